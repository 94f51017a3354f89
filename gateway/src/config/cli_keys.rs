//! The keys that the Supabase CLI gives every local project. Apps carry them in `.env.development`, and everybody knows them.

use std::net::IpAddr;

use cloch_sql::Secret;
use url::Url;

use super::{ConfigError, KeyOverrides, is_local_url};

/// The secret that the Supabase CLI gives every local project.
pub(crate) const JWT_SECRET: &str = "super-secret-jwt-token-with-at-least-32-characters-long";
const ANON_KEY: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9.CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0";
const SERVICE_ROLE_KEY: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6InNlcnZpY2Vfcm9sZSIsImV4cCI6MTk4MzgxMjk5Nn0.EGIM96RAZx35lJzdJsyH-qQwv8Hdp7fsn3W0YpN81IU";
const PUBLISHABLE_KEY: &str = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";
const SECRET_KEY: &str = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz";

/// The password of role postgres there: the CLI's commands for its local project (`db push`, `migration list`) use no other.
pub(crate) const DATABASE_PASSWORD: &str = "postgres";

/// The keys by name.
const KEYS: [(&str, &str, &str); 4] = [
    ("anon key", ANON_KEY, "ANON_KEY"),
    ("service_role key", SERVICE_ROLE_KEY, "SERVICE_ROLE_KEY"),
    ("publishable key", PUBLISHABLE_KEY, "PUBLISHABLE_KEY"),
    ("secret key", SECRET_KEY, "SECRET_KEY"),
];

/// `--cli-keys`: these keys instead of the project's own, on a server that only this machine reaches.
pub(super) fn overrides(host: IpAddr, external_url: &Url) -> Result<KeyOverrides, ConfigError> {
    if !host.is_loopback() || !is_local_url(external_url) {
        return Err(ConfigError::Variable {
            name: "--cli-keys".into(),
            message: format!(
                "everybody knows these keys, and this server is reached from other machines ({host}, {external_url}): listen on 127.0.0.1, \
                 or give the app the keys of `cloch status`"
            ),
        });
    }
    let secret = |text| Some(Secret::new(text));
    Ok(KeyOverrides {
        jwt_secret: secret(JWT_SECRET),
        anon_key: secret(ANON_KEY),
        service_role_key: secret(SERVICE_ROLE_KEY),
        publishable_key: secret(PUBLISHABLE_KEY),
        secret_key: secret(SECRET_KEY),
        are_the_clis: true,
    })
}

/// If a text is one of these keys: its name, and the name under which `cloch status` shows the project's own.
pub(crate) fn named(key: &str) -> Option<(&'static str, &'static str)> {
    KEYS.iter().find(|(_, known, _)| *known == key).map(|(name, _, variable)| (*name, *variable))
}

#[cfg(test)]
mod tests {
    use cloch_sql::caller::KeyRing;
    use cloch_sql::caller::token::Verifier;

    use super::*;

    #[test]
    fn they_are_refused_where_others_reach_the_server() {
        let (own, public) = ("http://127.0.0.1:54321".parse().unwrap(), "https://club.example".parse().unwrap());
        for (host, url) in [("0.0.0.0", &own), ("127.0.0.1", &public), ("192.168.1.2", &own)] {
            assert!(overrides(host.parse().unwrap(), url).unwrap_err().to_string().contains("everybody knows"));
        }
        assert!(overrides("127.0.0.1".parse().unwrap(), &own).unwrap().are_the_clis);
        assert!(overrides("::1".parse().unwrap(), &own).is_ok());
    }

    #[test]
    fn the_tokens_are_signed_with_the_secret() {
        let ring = KeyRing::new(Secret::new(JWT_SECRET), &[]).unwrap();
        let verifier = Verifier::new(std::sync::Arc::new(ring));
        for (key, role) in [(ANON_KEY, "anon"), (SERVICE_ROLE_KEY, "service_role")] {
            assert_eq!(verifier.verify(key).unwrap().role(), role);
        }
        assert_eq!(named(SECRET_KEY), Some(("secret key", "SECRET_KEY")));
        assert_eq!(named("sb_secret_other"), None);
    }
}
