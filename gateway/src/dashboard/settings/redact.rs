//! Removes secrets from the text of a settings file, so that a diff of the file can be shown.

use std::collections::HashSet;

use serde_json::Value as Json;
use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::files::{holds_password, may_be_seen};

const HIDDEN: &str = "(hidden)";

/// Returns the text of a settings file with a placeholder in place of each value that may be a secret, including values in comments. `shown`
/// contains keys whose values may be shown in addition to those of the list of visible keys. Returns an empty text if the text is not valid
/// TOML.
pub(super) fn redacted(text: &str, shown: &HashSet<String>) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return String::new() };
    hide_in(document.as_table_mut(), "", shown);
    let lines = document.to_string();
    lines.split_inclusive('\n').map(comment).collect()
}

/// Whether a value may be shown to an owner. Either its key is known to contain no secret, or its key is in `shown` and the value contains
/// no password.
pub(super) fn is_visible(key: &str, value: &Json, shown: &HashSet<String>) -> bool {
    let has_password = |text: &Json| text.as_str().is_some_and(holds_password);
    let is_plain = !has_password(value) && !value.as_array().is_some_and(|items| items.iter().any(has_password));
    may_be_seen(key, value) || shown.contains(key) && is_plain
}

fn hide_in(table: &mut dyn TableLike, section: &str, shown: &HashSet<String>) {
    for (name, item) in table.iter_mut() {
        let key = if section.is_empty() { name.get().to_owned() } else { format!("{section}.{}", name.get()) };
        hide(item, &key, shown);
    }
}

fn hide(item: &mut Item, key: &str, shown: &HashSet<String>) {
    if let Some(tables) = item.as_array_of_tables_mut() {
        tables.iter_mut().for_each(|table| hide_in(table, key, shown));
    } else if let Some(table) = item.as_table_like_mut() {
        hide_in(table, key, shown);
    } else if let Some(value) = item.as_value_mut() {
        // A comment after a hidden value is removed, because it may contain the secret too. A comment after `env(NAME)` in place of a secret
        // is also removed.
        if !is_visible(key, &json(value), shown) {
            let mut hidden = Value::from(HIDDEN);
            if let Some(prefix) = value.decor().prefix() {
                hidden.decor_mut().set_prefix(prefix.clone());
            }
            *value = hidden;
        } else if !shown.contains(key) && value.as_str().is_some_and(|text| text.starts_with("env(")) {
            value.decor_mut().set_suffix("");
        }
    }
}

fn json(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::String(text.value().clone()),
        Value::Boolean(boolean) => Json::Bool(*boolean.value()),
        Value::Integer(number) => (*number.value()).into(),
        Value::Float(number) => (*number.value()).into(),
        Value::Datetime(time) => Json::String(time.value().to_string()),
        Value::Array(items) => items.iter().map(json).collect(),
        Value::InlineTable(table) => table.iter().map(|(name, value)| (name.to_owned(), json(value))).collect(),
    }
}

/// Hides the value in a line that is commented out, such as `# pass = "x"`. Booleans and `env(NAME)` stay, because they are not secret.
fn comment(line: &str) -> String {
    let Some((key, value)) = line.split_once('=').filter(|(key, _)| key.trim_start().starts_with('#')) else {
        return line.to_owned();
    };
    let value = value.trim();
    match value == "true" || value == "false" || value.starts_with("\"env(") {
        true => line.to_owned(),
        false => format!("{key}= {HIDDEN}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_in_a_redacted_text() {
        let text = "# jwt_secret = \"s1\"\n[auth]\njwt_secret = \"s2\" # was s3\nsite_url = \"https://user:s4@app.example\"\n\
                    jwt_expiry = 60 # short\n# enable_signup = true\n[auth.email.smtp]\nhost = \"mail.example\"\nuser = \"club\"\n\
                    pass = \"\"\"\ns5\ns6\"\"\"\n[auth.external]\ngithub = { secret = \"s7\", client_id = \"id\" }\n\
                    apple.secret = \"env(APPLE)\" # was s0\n[[auth.issuers]]\nissuer = \"https://sso.example\"\nlist = [\"s8\", { a = \"s9\" }]\n\
                    [edge_runtime.secrets]\nuser = \"t1\"\n";
        let shown = ["auth.email.smtp.user", "auth.site_url"].map(str::to_owned).into();
        let redacted = redacted(text, &shown);
        for number in 0..=9 {
            assert!(!redacted.contains(&format!("s{number}")), "s{number} in {redacted}");
        }
        assert!(!redacted.contains("t1"), "{redacted}");
        for line in [
            "jwt_expiry = 60 # short",
            "# enable_signup = true",
            "host = \"mail.example\"",
            "user = \"club\"",
            "client_id = \"id\"",
            "apple.secret = \"env(APPLE)\"",
            "issuer = \"https://sso.example\"",
            "pass = \"(hidden)\"",
        ] {
            assert!(redacted.contains(line), "{line} not in {redacted}");
        }
        assert_eq!(super::redacted("[auth", &shown), "");
    }
}
