//! Placeholders in prerendered pages. A page is built once for all projects: where it shows one of a project's public settings it has a
//! placeholder, which is replaced when the page is sent.
//!
//! | placeholder | replaced by |
//! |---|---|
//! | `{cloch:text:NAME\|FALLBACK}` | the setting as HTML, in a text or an attribute |
//! | `{cloch:json:NAME\|FALLBACK}` | the setting inside a string of JSON within a script element |
//! | `{cloch:config}` | what `/_/config.json` answers, within a script element |
//!
//! The fallback is used where the project has no such setting; the build has escaped it for its place.

use std::borrow::Cow;

use serde_json::Value;

const PLACEHOLDER_PREFIX: &str = "{cloch:";

/// Whether a page has placeholders.
pub(super) fn has_any(page: &[u8]) -> bool {
    page.windows(PLACEHOLDER_PREFIX.len()).any(|window| window == PLACEHOLDER_PREFIX.as_bytes())
}

/// The page with every placeholder replaced. What only looks like one stays as it is.
pub(super) fn replace_all(page: &str, config: &Value) -> String {
    let mut filled = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(PLACEHOLDER_PREFIX) {
        filled.push_str(before);
        let value = after.split_once('}').and_then(|(inside, rest)| Some((value(inside, config)?, rest)));
        match value {
            Some((value, following)) => {
                filled.push_str(&value);
                rest = following;
            }
            None => {
                filled.push_str(PLACEHOLDER_PREFIX);
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// The value of a placeholder, given its inside.
fn value<'page>(placeholder: &'page str, config: &Value) -> Option<Cow<'page, str>> {
    if placeholder == "config" {
        return Some(Cow::Owned(in_script(&config.to_string())));
    }
    let (kind, named) = placeholder.split_once(':')?;
    let (name, fallback) = named.split_once('|')?;
    let setting = config.get("settings").and_then(|settings| settings.get(name)).and_then(Value::as_str);
    let setting = setting.filter(|text| !text.trim().is_empty());
    match (kind, setting) {
        ("text" | "json", None) => Some(Cow::Borrowed(fallback)),
        ("text", Some(text)) => Some(Cow::Owned(in_html(text))),
        ("json", Some(text)) => {
            let quoted = Value::from(text).to_string();
            Some(Cow::Owned(in_script(quoted.trim_matches('"'))))
        }
        _ => None,
    }
}

fn in_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#x27;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// JSON in which nothing ends the script element or begins a comment.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(page: &str) -> String {
        let settings = json!({ "club": "Tom & \"Jo\" <O'Neill>", "blank": " ", "list": ["a"] });
        replace_all(page, &json!({ "anonKey": "key", "settings": settings }))
    }

    #[test]
    fn a_setting_cannot_leave_its_place() {
        assert_eq!(filled("<p>{cloch:text:club|x}</p>"), "<p>Tom &amp; &quot;Jo&quot; &lt;O&#x27;Neill&gt;</p>");
        assert_eq!(filled(r#"{"name":"{cloch:json:club|x}"}"#), r#"{"name":"Tom & \"Jo\" \u003cO'Neill>"}"#);
        let config = filled("<script>{cloch:config}</script>");
        assert!(config.contains("\\u003cO'Neill>") && config.matches('<').count() == 2, "{config}");
    }

    #[test]
    fn a_setting_that_is_left_out_reads_as_the_build_wrote_it() {
        for name in ["none", "blank", "list"] {
            assert_eq!(filled(&format!("a {{cloch:text:{name}|b &amp; c}} d")), "a b &amp; c d", "{name}");
        }
        assert_eq!(replace_all("{cloch:text:club|b}", &json!({})), "b");
    }

    #[test]
    fn what_is_no_mark_stays() {
        for page in
            ["{cloch:", "{cloch:text:club", "{cloch:text}", "{cloch:other:club|x}", "{ cloch:config }", "é{cloch:é|}"]
        {
            assert_eq!(filled(page), page);
        }
        assert_eq!(filled("{cloch:{cloch:text:none|x}"), "{cloch:x");
        assert!(has_any(b"a{cloch:config}") && !has_any(b"{cloch") && !has_any(b""));
    }
}
