//! Converts the value of a setting in a request to a TOML value, and checks its type and bounds.

use cloch_auth::settings::GoDuration;
use cloch_sql::advisors::Ignore;
use serde::Deserialize;
use serde_json::Value as Json;
use toml_edit::{Array, InlineTable, Value};
use url::Url;

use super::list::Kind;

/// Maximum length of a text in characters.
const MAX_TEXT_CHARS: usize = 2_000;
/// Maximum length of a text with line breaks in characters.
const MAX_LINES_CHARS: usize = 100_000;
/// Maximum number of texts in a list.
const MAX_ITEMS: usize = 200;
/// Maximum number of ignored advisor findings, and maximum number of objects in one of them. A large project can have one object for each
/// table.
const MAX_IGNORED: usize = 5_000;

/// Converts the value of a setting in a request to a TOML value of the type `kind`.
///
/// # Errors
/// Returns the reason why the value is invalid, as the end of a sentence that begins with the setting's name.
pub(super) fn parse(kind: Kind, value: &Json) -> Result<Value, String> {
    match kind {
        Kind::Switch => value.as_bool().map(Value::from).ok_or_else(|| "is on or off".to_owned()),
        Kind::Count { min, max } => {
            let number = value.as_i64().filter(|number| (min..=max).contains(number));
            number.map(Value::from).ok_or_else(|| format!("is a whole number from {min} to {max}"))
        }
        Kind::Size => size(value),
        Kind::Duration => {
            let text = plain(value)?;
            GoDuration::parse(text).map_err(|_| "is a duration, such as 30s, 15m or 24h".to_owned())?;
            Ok(text.into())
        }
        Kind::Choice { choices } => {
            let text = plain(value)?;
            let is_choice = choices.contains(&text);
            is_choice.then(|| text.into()).ok_or_else(|| format!("is one of: {}", choices.join(", ")))
        }
        Kind::Url => {
            let text = plain(value)?;
            let url = Url::parse(text).ok().filter(|_| text.contains("://"));
            let url = url.ok_or("is a whole URL, such as https://app.example")?;
            match url.password().is_none() && url.username().is_empty() {
                true => Ok(text.into()),
                false => Err("is a URL without a user name and a password".to_owned()),
            }
        }
        Kind::Text => plain(value).map(Value::from),
        Kind::Lines | Kind::Template => lines(value).map(Value::from),
        Kind::List => list(value, MAX_ITEMS),
        Kind::Ignored => ignored(value),
        Kind::Secret => Err("is a secret and is not written to this file".to_owned()),
    }
}

/// Checks the value of a secret. Line breaks and NUL characters cannot be part of a secret of these settings.
///
/// # Errors
/// Returns the reason why the value is invalid. The reason does not contain the value.
pub(super) fn secret(value: &Json) -> Result<&str, String> {
    let text = plain(value)?;
    match text.is_empty() {
        true => Err("is empty".to_owned()),
        false => Ok(text),
    }
}

/// Returns the text of a value. Refuses texts that are too long or contain control characters, and `env(NAME)`, which would read an
/// environment variable.
fn plain(value: &Json) -> Result<&str, String> {
    let text = short(value, MAX_TEXT_CHARS)?;
    if text.chars().any(char::is_control) {
        return Err("has no line breaks".to_owned());
    }
    Ok(text)
}

/// Returns the text of a value that may contain line breaks and tabs. Windows line breaks become `\n`.
pub(super) fn lines(value: &Json) -> Result<String, String> {
    let text = short(value, MAX_LINES_CHARS)?.replace("\r\n", "\n");
    match text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        true => Err("has no control characters".to_owned()),
        false => Ok(text),
    }
}

fn short(value: &Json, max_chars: usize) -> Result<&str, String> {
    let text = value.as_str().ok_or("is a text")?;
    if text.chars().count() > max_chars {
        return Err(format!("has at most {max_chars} characters"));
    }
    if text.starts_with("env(") && text.ends_with(')') {
        return Err("names a variable: write it into the file by hand".to_owned());
    }
    Ok(text)
}

fn size(value: &Json) -> Result<Value, String> {
    let text = plain(value)?.trim();
    let is_size = !text.is_empty() && crate::config::sections::config_toml::parse_size(text).is_some();
    match (is_size, text.parse::<i64>()) {
        (false, _) => Err("is a size with a unit, such as 50MiB".to_owned()),
        (true, Ok(bytes)) => Ok(bytes.into()),
        (true, Err(_)) => Ok(text.into()),
    }
}

/// Converts ignored advisor findings to a list of tables. Whether their rules exist is checked with the whole configuration.
fn ignored(value: &Json) -> Result<Value, String> {
    let entries = items(value, MAX_IGNORED)?;
    if entries.is_empty() {
        return Err("has one entry or more; without an entry, the setting is removed".to_owned());
    }
    let entry = |entry: &Json| -> Result<Value, String> {
        let Ignore { lint, on, reason } =
            Ignore::deserialize(entry).map_err(|_| "has entries with a rule, objects and a reason".to_owned())?;
        let mut table = InlineTable::new();
        table.insert("lint", plain(&lint.into())?.into());
        if !on.is_empty() {
            table.insert("on", list(&on.into(), MAX_IGNORED)?);
        }
        table.insert("reason", lines(&reason.into())?.into());
        Ok(table.into())
    };
    let entries = entries.iter().map(entry).collect::<Result<Array, String>>()?;
    Ok(entries.into())
}

fn items(value: &Json, max: usize) -> Result<&[Json], String> {
    let items = value.as_array().ok_or("is a list")?;
    if items.len() > max {
        return Err(format!("has at most {max} entries"));
    }
    Ok(items)
}

fn list(value: &Json, max: usize) -> Result<Value, String> {
    let mut array = Array::new();
    for item in items(value, max)? {
        match plain(item)? {
            "" => return Err("has an empty entry".to_owned()),
            text => array.push(text),
        }
    }
    Ok(array.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_outside_the_bounds_are_refused() {
        let text = "x".repeat(MAX_TEXT_CHARS + 1);
        for (kind, value) in [
            (Kind::Switch, json!("true")),
            (Kind::Count { min: 6, max: 10 }, json!(5)),
            (Kind::Count { min: 6, max: 10 }, json!(11)),
            (Kind::Count { min: 6, max: 10 }, json!(6.5)),
            (Kind::Count { min: 6, max: 10 }, json!("7")),
            (Kind::Size, json!("much")),
            (Kind::Size, json!("")),
            (Kind::Size, json!("-1")),
            (Kind::Duration, json!("5")),
            (Kind::Duration, json!("-1h")),
            (Kind::Choice { choices: &["a", "b"] }, json!("c")),
            (Kind::Url, json!("localhost:3000")),
            (Kind::Url, json!("https://user:secret@app.example")),
            (Kind::Text, json!("a\nb")),
            (Kind::Text, json!(text)),
            (Kind::Text, json!("env(CLOCH_JWT_SECRET)")),
            (Kind::Lines, json!("env(CLOCH_JWT_SECRET)")),
            (Kind::Lines, json!("a\u{7}b")),
            (Kind::Lines, json!("x".repeat(MAX_LINES_CHARS + 1))),
            (Kind::List, json!(["a", ""])),
            (Kind::List, json!(["env(X)"])),
            (Kind::List, json!("a")),
            (Kind::Ignored, json!([])),
            (Kind::Ignored, json!("table_bloat")),
            (Kind::Ignored, json!([{ "lint": 1, "reason": "Why." }])),
            (Kind::Ignored, json!([{ "lint": "table_bloat", "on": [""], "reason": "Why." }])),
            (Kind::Ignored, json!([{ "lint": "table_bloat", "reason": "env(CLOCH_JWT_SECRET)" }])),
            (Kind::Secret, json!("a")),
        ] {
            assert!(parse(kind, &value).is_err(), "{kind:?} {value}");
        }
        for value in [json!(""), json!("a\nb"), json!(1), json!("env(X)")] {
            assert!(secret(&value).is_err(), "{value}");
        }
    }

    #[test]
    fn values_inside_the_bounds_are_written_as_toml() {
        for (kind, value, written) in [
            (Kind::Switch, json!(true), "true"),
            (Kind::Count { min: 6, max: 10 }, json!(6), "6"),
            (Kind::Size, json!("50MiB"), "\"50MiB\""),
            (Kind::Size, json!("1024"), "1024"),
            (Kind::Duration, json!("1h30m"), "\"1h30m\""),
            (Kind::Choice { choices: &["", "b"] }, json!(""), "\"\""),
            (Kind::Url, json!("app://callback"), "\"app://callback\""),
            (Kind::List, json!(["a", "b"]), "[\"a\", \"b\"]"),
            (
                Kind::Ignored,
                json!([{ "lint": "a", "on": [], "reason": "b" }, { "lint": "c", "on": ["d.e"], "reason": "f" }]),
                "[{ lint = \"a\", reason = \"b\" }, { lint = \"c\", on = [\"d.e\"], reason = \"f\" }]",
            ),
            (Kind::Lines, json!("<p>\"a\"</p>\r\n\tb\n"), "\"\"\"\n<p>\"a\"</p>\n\\tb\n\"\"\""),
        ] {
            assert_eq!(parse(kind, &value).unwrap().to_string(), written, "{kind:?}");
        }
    }
}
