//! The keys of a TOML file, dotted, without secrets.

use std::path::Path;

use serde_json::Value;
use toml::Table;

use super::{Setting, Source};

/// Keys of one file.
const MAX_KEYS: usize = 2000;
/// Words in a key that mean a secret.
const SECRET_WORDS: [&str; 7] = ["secret", "password", "passphrase", "token", "credential", "_key", "encrypt"];
/// Keys with such a word that are none.
const NO_SECRETS: [&str; 6] = [
    "jwt_issuer",
    "minimum_password_length",
    "password_requirements",
    "enable_refresh_token_rotation",
    "token_refresh",
    "token_verifications",
];

/// The settings of a file; none where it is not there.
pub(super) fn read(file: &Path, source: Source) -> Vec<Setting> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let table: Table = toml::from_str(&text).unwrap_or_default();
    let mut settings = Vec::new();
    flatten("", &toml::Value::Table(table), source, &mut settings);
    settings
}

fn flatten(key: &str, value: &toml::Value, source: Source, settings: &mut Vec<Setting>) {
    if settings.len() >= MAX_KEYS {
        return;
    }
    if let toml::Value::Table(table) = value {
        for (name, value) in table {
            let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
            flatten(&key, value, source, settings);
        }
        return;
    }
    let value = serde_json::to_value(value).unwrap_or_default();
    // `env(NAME)` names where the secret is.
    let is_reference = value.as_str().is_some_and(|text| text.starts_with("env(") && text.ends_with(')'));
    let secret = !is_reference && (is_secret(key) || holds_password(&value));
    let value = if secret { Value::Null } else { value };
    settings.push(Setting { key: key.to_owned(), value, source, secret });
}

fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let last = key.rsplit('.').next().unwrap_or_default();
    if NO_SECRETS.contains(&last) {
        return false;
    }
    // `[edge_runtime.secrets]`: everything below it.
    key.split('.').any(|part| part == "secrets")
        || matches!(last, "pass" | "key" | "sid")
        || SECRET_WORDS.iter().any(|word| last.contains(word))
}

/// `scheme://user:password@host`.
fn holds_password(value: &Value) -> bool {
    match value {
        Value::String(text) => text
            .split_once("://")
            .and_then(|(_, rest)| rest.split(['/', '?', '#']).next())
            .is_some_and(|authority| authority.rsplit_once('@').is_some_and(|(user, _)| user.contains(':'))),
        Value::Array(items) => items.iter().any(holds_password),
        Value::Object(fields) => fields.iter().any(|(name, value)| is_secret(name) || holds_password(value)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn no_secret_is_shown() {
        let text = r#"
            [auth]
            jwt_secret = "s1"
            minimum_password_length = 10
            [auth.email.smtp]
            pass = "s2"
            host = "mail.example"
            [auth.external.google]
            secret = "env(GOOGLE)"
            [edge_runtime.secrets]
            MODEL = "s3"
            [backup]
            to = "https://user:s4@store.example/b"
            [[auth.hook.list]]
            api_key = "s5"
        "#;
        let mut settings = Vec::new();
        flatten("", &toml::Value::Table(toml::from_str(text).unwrap()), Source::ConfigToml, &mut settings);
        let shown = serde_json::to_string(&settings).unwrap();
        for secret in ["s1", "s2", "s3", "s4", "s5"] {
            assert!(!shown.contains(&format!("\"{secret}\"")) && !shown.contains(":s4@"), "{secret} in {shown}");
        }
        assert!(shown.contains("mail.example") && shown.contains("env(GOOGLE)") && shown.contains("10"));
    }
}
