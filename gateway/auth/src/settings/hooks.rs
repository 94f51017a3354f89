//! The settings of `[auth.hook.<name>]`: auth hooks, which are functions or endpoints of the project that the server calls.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cloch_core::Secret;
use serde::Deserialize;

/// Settings of a project's auth hooks.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Hooks {
    /// Hook that the server calls before it inserts a user. The hook can refuse the user.
    pub before_user_created: Hook,
    /// Hook that the server calls after it inserted a user.
    pub after_user_created: Hook,
    /// Hook that the server calls before it signs an access token. The hook can change the claims of the token.
    pub custom_access_token: Hook,
    /// Hook that the server calls after it checked a code of a second factor. The hook can reject the attempt.
    pub mfa_verification_attempt: Hook,
    /// Hook that the server calls after it checked a password. The hook can reject the attempt.
    pub password_verification_attempt: Hook,
    /// Hook that sends text messages in place of the server.
    pub send_sms: Hook,
    /// Hook that sends mails in place of the server.
    pub send_email: Hook,
}

/// Settings of one auth hook.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Hook {
    /// Whether the server calls this hook.
    pub enabled: bool,
    /// The URI of the hook: `pg-functions://postgres/<schema>/<function>` or an http(s) URL.
    pub uri: String,
    /// The secrets that sign the HTTP requests to the hook: `v1,whsec_…`, several separated by `|`.
    pub secrets: Secret,
}

/// Allowed number of base64 characters in a hook's secret, the same as in the Supabase CLI.
const SECRET_CHARS: std::ops::RangeInclusive<usize> = 32..=88;

impl Hooks {
    /// Returns all hooks with their names in config.toml.
    #[must_use]
    pub fn all(&self) -> [(&'static str, &Hook); 7] {
        [
            ("before_user_created", &self.before_user_created),
            ("after_user_created", &self.after_user_created),
            ("custom_access_token", &self.custom_access_token),
            ("mfa_verification_attempt", &self.mfa_verification_attempt),
            ("password_verification_attempt", &self.password_verification_attempt),
            ("send_sms", &self.send_sms),
            ("send_email", &self.send_email),
        ]
    }

    /// Returns the first invalid setting of an enabled hook, as the key and the reason. `None` if the settings of all enabled hooks are
    /// valid.
    #[must_use]
    pub fn error(&self) -> Option<(String, &'static str)> {
        let error = |(name, hook): (&'static str, &Hook)| {
            let (key, why) = hook.error()?;
            Some((format!("auth.hook.{name}.{key}"), why))
        };
        self.all().into_iter().find_map(error)
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
            "pg-functions" => Some(("secrets", "apply to HTTP hooks only, not to database functions")),
            "http" | "https" if secrets.is_empty() => Some(("secrets", "are required: they sign the requests")),
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
