//! Translates serde's messages about wrong types, which contain names of Rust types, into messages that authors of TOML files understand.

/// Beginnings of serde's messages about a wrong type or a value that is not allowed.
const INVALID: [&str; 2] = ["invalid type: ", "invalid value: "];
const BETWEEN: &str = ", expected ";

/// Beginnings of messages about an invalid URL (crate url), with a description in plain words.
const INVALID_URLS: [(&str, &str); 4] = [
    ("relative URL without a base: ", "no whole URL: begin with https:// or http://"),
    ("empty host: ", "no URL: the host is missing"),
    ("invalid port number: ", "no URL: the port is no number from 0 to 65535"),
    ("invalid international domain name: ", "no URL: the host has characters that no host has"),
];

/// Translates a message of serde. Returns messages that do not begin in a known way unchanged.
#[must_use]
pub fn plain(message: &str) -> String {
    if let Some(name) = quoted(message, "missing field ") {
        return format!("the key {name} is missing");
    }
    if let Some(name) = quoted(message, "duplicate field ") {
        return format!("the key {name} is written twice");
    }
    if let Some((found, expected)) = message.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(BETWEEN))
    {
        let expected = expected.strip_prefix("one of ").unwrap_or(expected);
        return format!("{} is written where one of these is expected: {}", as_text(found), as_text(expected));
    }
    if message.starts_with("data did not match any variant") {
        return "the value has a form that this key cannot have (docs/configuration.md)".to_owned();
    }
    let url = INVALID_URLS.iter().find_map(|(start, words)| Some((message.strip_prefix(start)?, words)));
    if let Some((written, words)) = url {
        return format!("{written} is {words}");
    }
    let parts = INVALID.iter().find_map(|start| message.strip_prefix(start)?.split_once(BETWEEN));
    let Some((found, expected)) = parts else { return message.to_owned() };
    format!("{} is written where {} is expected", found_in_words(found), expected_in_words(expected))
}

/// Returns an error message for an invalid network or socket address. The message contains the value `written`, because the messages of the
/// address parsers do not contain it. `None` for other errors.
#[must_use]
pub fn no_address(message: &str, written: &str) -> Option<String> {
    let expected = match message.trim() {
        "invalid IP address syntax" => "a network such as 10.0.0.0/8, or an address",
        "invalid socket address syntax" => "an address with a port, such as 127.0.0.1:9090",
        _ => return None,
    };
    Some(format!("{written} is written where {expected} is expected"))
}

/// Rewrites serde's description of a value: `string "20s"` to `"20s"`, `integer `70000`` to `70000`.
fn found_in_words(found: &str) -> String {
    match found.split_once(' ') {
        Some(("string" | "integer" | "boolean", value)) => value.replace('`', ""),
        Some(("floating", value)) => value.trim_start_matches("point ").replace('`', ""),
        _ if found == "map" => "a section".to_owned(),
        _ if found == "sequence" => "a list".to_owned(),
        _ => found.to_owned(),
    }
}

/// Returns the name in backticks if the message consists only of `start` and this name.
fn quoted<'a>(message: &'a str, start: &str) -> Option<&'a str> {
    message.strip_prefix(start)?.strip_prefix('`')?.strip_suffix('`')
}

/// Replaces serde's backticks by the quotes of TOML.
fn as_text(names: &str) -> String {
    names.replace('`', "\"")
}

fn expected_in_words(expected: &str) -> String {
    let words = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" | "u64" | "u128" | "usize" => "a whole number, not negative and without a unit",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" | "bool" => "true or false",
        "a string" | "string" => "text in quotes",
        "a sequence" => "a list in [ ]",
        "a map" => "a section",
        _ => match expected.strip_prefix("struct ") {
            Some(_) => "a section",
            None => return expected.to_owned(),
        },
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_a_file_has_them() {
        for (said, expected) in [
            (
                "invalid type: string \"20s\", expected u64",
                "\"20s\" is written where a whole number, not negative and without a unit is expected",
            ),
            (
                "invalid value: integer `70000`, expected u16",
                "70000 is written where a whole number from 0 to 65535 is expected",
            ),
            (
                "invalid type: floating point `0.5`, expected u32",
                "0.5 is written where a whole number, not negative and without a unit is expected",
            ),
            ("invalid type: boolean `true`, expected a string", "true is written where text in quotes is expected"),
            ("invalid type: string \"yes\", expected a boolean", "\"yes\" is written where true or false is expected"),
            ("invalid type: sequence, expected struct Server", "a list is written where a section is expected"),
            ("missing field `bucket`", "the key bucket is missing"),
            ("duplicate field `port`", "the key port is written twice"),
            (
                "unknown variant `often`, expected one of `daily`, `weekly`, `off`",
                "\"often\" is written where one of these is expected: \"daily\", \"weekly\", \"off\"",
            ),
            (
                "unknown variant `some`, expected `all` or `off`",
                "\"some\" is written where one of these is expected: \"all\" or \"off\"",
            ),
            (
                "data did not match any variant of untagged enum Written",
                "the value has a form that this key cannot have (docs/configuration.md)",
            ),
            (
                "relative URL without a base: \"club.example\"",
                "\"club.example\" is no whole URL: begin with https:// or http://",
            ),
            ("must be positive", "must be positive"),
        ] {
            assert_eq!(plain(said), expected);
        }
    }
}
