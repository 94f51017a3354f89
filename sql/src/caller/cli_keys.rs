//! Default secrets and API keys of the Supabase CLI, the same for every local project. They are publicly known: apps contain them in
//! `.env.development`.

/// Default JWT secret of the Supabase CLI.
pub const JWT_SECRET: &str = "super-secret-jwt-token-with-at-least-32-characters-long";
/// Default API key of role `anon`, shown as `ANON_KEY` by `cloch status` and the CLI.
pub const ANON_KEY: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9.CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0";
/// Default API key of role `service_role`, shown as `SERVICE_ROLE_KEY` by `cloch status` and the CLI.
pub const SERVICE_ROLE_KEY: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6InNlcnZpY2Vfcm9sZSIsImV4cCI6MTk4MzgxMjk5Nn0.EGIM96RAZx35lJzdJsyH-qQwv8Hdp7fsn3W0YpN81IU";
/// Default opaque API key of role `anon`, shown as `PUBLISHABLE_KEY` by `cloch status` and the CLI.
pub const PUBLISHABLE_KEY: &str = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";
/// Default opaque API key of role `service_role`, shown as `SECRET_KEY` by `cloch status` and the CLI.
pub const SECRET_KEY: &str = "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz";

/// Default password of role postgres in local projects. CLI commands for the local project (`db push`, `migration list`) use only this
/// password.
pub const DATABASE_PASSWORD: &str = "postgres";

/// Default API keys, each with its display name and its name in the output of `cloch status`.
const KEYS: [(&str, &str, &str); 4] = [
    ("legacy anon key", ANON_KEY, "ANON_KEY"),
    ("legacy service_role key", SERVICE_ROLE_KEY, "SERVICE_ROLE_KEY"),
    ("publishable key", PUBLISHABLE_KEY, "PUBLISHABLE_KEY"),
    ("secret key", SECRET_KEY, "SECRET_KEY"),
];

/// If a text is a default API key of the CLI, returns the key's display name and its name in the output of `cloch status`.
#[must_use]
pub fn named(key: &str) -> Option<(&'static str, &'static str)> {
    KEYS.iter().find(|(_, known, _)| *known == key).map(|(name, _, variable)| (*name, *variable))
}

#[cfg(test)]
mod tests {
    use cloch_core::Secret;

    use super::*;
    use crate::caller::KeyRing;
    use crate::caller::token::Verifier;

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
