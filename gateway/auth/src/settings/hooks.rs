//! `[auth.hook.<point>]`: the project's own code at fixed points.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cloch_core::Secret;
use serde::Deserialize;

/// The points at which the project may be asked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Hooks {
    /// Before a user is stored.
    pub before_user_created: Hook,
    /// After a user is stored.
    pub after_user_created: Hook,
    /// The claims of every access token.
    pub custom_access_token: Hook,
    /// After a second factor's code was checked.
    pub mfa_verification_attempt: Hook,
    /// After a password was checked.
    pub password_verification_attempt: Hook,
    /// In place of sending a text message.
    pub send_sms: Hook,
    /// In place of sending a mail.
    pub send_email: Hook,
}

/// One hook.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Hook {
    /// Whether it is called.
    pub enabled: bool,
    /// `pg-functions://postgres/<schema>/<function>` or an http address.
    pub uri: String,
    /// `v1,whsec_…`, several separated by `|`: what http calls are signed with.
    pub secrets: Secret,
}

/// Characters of the base64 in a secret, as the Supabase CLI takes it.
const SECRET_CHARS: std::ops::RangeInclusive<usize> = 32..=88;

impl Hooks {
    /// The first setting of an enabled hook that cannot be carried out: its key, and why.
    #[must_use]
    pub fn error(&self) -> Option<(String, &'static str)> {
        let hooks = [
            ("before_user_created", &self.before_user_created),
            ("after_user_created", &self.after_user_created),
            ("custom_access_token", &self.custom_access_token),
            ("mfa_verification_attempt", &self.mfa_verification_attempt),
            ("password_verification_attempt", &self.password_verification_attempt),
            ("send_sms", &self.send_sms),
            ("send_email", &self.send_email),
        ];
        let error = |(name, hook): (&str, &Hook)| {
            let (key, why) = hook.error()?;
            Some((format!("auth.hook.{name}.{key}"), why))
        };
        hooks.into_iter().find_map(error)
    }
}

impl Hook {
    fn error(&self) -> Option<(&'static str, &'static str)> {
        if !self.enabled {
            return None;
        }
        let secrets = self.secrets.expose();
        let scheme = self.uri.split_once("://").map_or("", |(scheme, _)| scheme);
        match scheme {
            "pg-functions" if secrets.is_empty() => None,
            "pg-functions" => Some(("secrets", "are for http calls: a function of the database is called without")),
            "http" | "https" if secrets.is_empty() => Some(("secrets", "are needed: they sign what the hook gets")),
            "http" | "https" if secrets.split('|').all(is_secret) => None,
            "http" | "https" => Some((
                "secrets",
                "must have the form v1,whsec_<base64> with 32 to 88 characters of base64, several separated by |",
            )),
            _ => Some(("uri", "must begin with http://, https:// or pg-functions://")),
        }
    }
}

fn is_secret(text: &str) -> bool {
    let encoded = text.trim().strip_prefix("v1,whsec_").unwrap_or_default();
    SECRET_CHARS.contains(&encoded.len()) && STANDARD.decode(encoded).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_enabled_hook_can_be_called_and_signed() {
        let secret = format!("v1,whsec_{}", STANDARD.encode([7; 32]));
        let both = format!("{secret}|{secret}");
        for (uri, secrets, key) in [
            ("pg-functions://postgres/public/f", "", None),
            ("https://a.example/hook", secret.as_str(), None),
            ("http://127.0.0.1:9000", both.as_str(), None),
            ("https://a.example/hook", "", Some("auth.hook.send_sms.secrets")),
            ("https://a.example/hook", "whsec_abc", Some("auth.hook.send_sms.secrets")),
            ("https://a.example/hook", "v1,whsec_c2hvcnQ=", Some("auth.hook.send_sms.secrets")),
            ("https://a.example/hook", &format!("{secret}|x"), Some("auth.hook.send_sms.secrets")),
            ("pg-functions://postgres/public/f", secret.as_str(), Some("auth.hook.send_sms.secrets")),
            ("postgres://public/f", "", Some("auth.hook.send_sms.uri")),
            ("", "", Some("auth.hook.send_sms.uri")),
        ] {
            let send_sms = Hook { enabled: true, uri: uri.to_owned(), secrets: Secret::new(secrets) };
            let off = Hooks { send_sms: Hook { enabled: false, ..send_sms.clone() }, ..Hooks::default() };
            assert_eq!(off.error(), None);
            let error = Hooks { send_sms, ..Hooks::default() }.error();
            assert_eq!(error.map(|(key, _)| key).as_deref(), key, "{uri} {secrets}");
        }
    }
}
