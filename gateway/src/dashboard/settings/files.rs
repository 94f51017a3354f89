//! Parses a TOML settings file into dotted keys. Values that may be secrets are omitted.

use std::path::Path;

use serde_json::Value;
use toml::Table;

use super::shown::is_shown;
use super::{Setting, Source};

const MAX_KEYS: usize = 2000;
/// Returns the settings of a file; empty if the file does not exist.
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
    let secret = !may_be_seen(key, &value);
    let value = if secret { Value::Null } else { value };
    settings.push(Setting { key: key.to_owned(), value, source, secret });
}

/// Whether a value may be shown in the dashboard. Booleans are not secret, and `env(NAME)` is only the name of a variable. Other values may
/// be shown only if the key is in the list of visible keys.
pub(super) fn may_be_seen(key: &str, value: &Value) -> bool {
    match value {
        Value::Bool(_) => true,
        Value::Array(items) => items.iter().all(|item| may_be_seen(key, item)),
        Value::Object(fields) => fields.iter().all(|(name, value)| may_be_seen(&format!("{key}.{name}"), value)),
        Value::String(text) if text.starts_with("env(") && text.ends_with(')') => true,
        Value::String(text) => is_shown(key) && !holds_password(text),
        Value::Number(_) | Value::Null => is_shown(key),
    }
}

/// Whether a URL contains credentials: `scheme://user:password@host`, or a token instead of the user.
pub(super) fn holds_password(text: &str) -> bool {
    let authority = text.split_once("://").and_then(|(_, rest)| rest.split(['/', '?', '#']).next());
    authority.is_some_and(|authority| authority.contains('@'))
}

#[cfg(test)]
mod tests {
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
            client_id = "g.example"
            [auth.sms.test_otp]
            441475000000 = "s3"
            441475000001 = 333333
            [auth.hook.send_email]
            enabled = true
            uri = "https://hooks.example/s4"
            secrets = "s5"
            [edge_runtime.secrets]
            MODEL = "s6"
            site_url = "s7"
            [backup]
            to = "https://user:s8@store.example/b"
            [ai]
            base_url = "https://s9@models.example"
            [[auth.issuers]]
            issuer = "https://sso.example"
            client = { of_later = "s10" }
            [later]
            on = true
            opens = ["s11"]
        "#;
        let mut settings = Vec::new();
        flatten("", &toml::Value::Table(toml::from_str(text).unwrap()), Source::ConfigToml, &mut settings);
        let shown = serde_json::to_string(&settings).unwrap();
        for number in 1..=11 {
            for form in [format!("\"s{number}\""), format!("s{number}@"), format!("/s{number}"), format!(":s{number}")]
            {
                assert!(!shown.contains(&form), "{form} in {shown}");
            }
        }
        assert!(!shown.contains("333333"), "{shown}");
        for seen in ["mail.example", "env(GOOGLE)", "g.example", "\"value\":10", "auth.sms.test_otp.441475000000"] {
            assert!(shown.contains(seen), "{seen} not in {shown}");
        }
    }
}
