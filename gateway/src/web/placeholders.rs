//! Replaces placeholders in prerendered pages. A page is built once and can be used for several projects: it contains placeholders for the
//! project's public settings and published content ([`super::published`]), which are replaced when the page is sent.
//!
//! | placeholder | replaced by |
//! |---|---|
//! | `{cloch:text:NAME\|FALLBACK}` | the value as HTML, in a text or an attribute |
//! | `{cloch:url:NAME\|FALLBACK}` | the value percent-encoded, as a part of an address |
//! | `{cloch:json:NAME\|FALLBACK}` | the value inside a string of JSON within a script element |
//! | `{cloch:config}`, `{cloch:content}` | the content of `/_/config.json`, and all published content, within a script element |
//! | `{cloch:each:NAME}A{cloch:else}B{cloch:end}` | A for each item of a list; B if the list is empty |
//! | `{cloch:if:NAME}A{cloch:else}B{cloch:end}` | A if there is a value; B if it is null, false or empty |
//!
//! NAME is a setting, or `content.` and the path of a published value. Within `each`, it may also be `item.` and a path within the current
//! item. FALLBACK is used if there is no value. The build has already escaped FALLBACK for its position.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

const PLACEHOLDER_PREFIX: &str = "{cloch:";

/// Characters that are percent-encoded in URLs: the same characters that JavaScript's `encodeURIComponent` encodes, so that the URLs in
/// pages are equal to the URLs that the app's code builds.
const ENCODED_IN_URL: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

pub(super) fn has_any(page: &[u8]) -> bool {
    page.windows(PLACEHOLDER_PREFIX.len()).any(|window| window == PLACEHOLDER_PREFIX.as_bytes())
}

/// Replaces all placeholders of a page. Text that looks like a placeholder but is not valid stays unchanged.
pub(super) fn replace_all(page: &str, config: &Value, content: &Value) -> String {
    let mut filled = String::with_capacity(page.len());
    Scope { config, content, item: None }.fill(page, &mut filled);
    filled
}

/// The values to which the names in placeholders refer.
#[derive(Clone, Copy)]
struct Scope<'page> {
    config: &'page Value,
    content: &'page Value,
    item: Option<&'page Value>,
}

impl<'page> Scope<'page> {
    fn fill(self, page: &'page str, filled: &mut String) {
        let mut rest = page;
        while let Some((before, after)) = rest.split_once(PLACEHOLDER_PREFIX) {
            filled.push_str(before);
            rest = match after.split_once('}').and_then(|(inside, after)| self.one(inside, after, filled)) {
                Some(following) => following,
                None => {
                    filled.push_str(PLACEHOLDER_PREFIX);
                    after
                }
            };
        }
        filled.push_str(rest);
    }

    /// Replaces one placeholder and appends the result to `filled`. For `each` and `if`, replaces the whole block. `inside` is the text
    /// between the placeholder's braces, and `after` is the text after the placeholder. Returns the text that follows the placeholder or
    /// block, or `None` if the placeholder is invalid.
    fn one(self, inside: &'page str, after: &'page str, filled: &mut String) -> Option<&'page str> {
        if let Some(name) = inside.strip_prefix("each:") {
            let block = Block::of(after)?;
            let items = self.find(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            for item in items {
                Self { item: Some(item), ..self }.fill(block.body, filled);
            }
            if items.is_empty() {
                self.fill(block.otherwise, filled);
            }
            return Some(block.rest);
        }
        if let Some(name) = inside.strip_prefix("if:") {
            let block = Block::of(after)?;
            let is_there = self.find(name).is_some_and(is_something);
            self.fill(if is_there { block.body } else { block.otherwise }, filled);
            return Some(block.rest);
        }
        filled.push_str(&self.value(inside)?);
        Some(after)
    }

    /// Returns the text that replaces a placeholder for a single value, or `None` if the placeholder is invalid.
    fn value(self, placeholder: &'page str) -> Option<Cow<'page, str>> {
        match placeholder {
            "config" => return Some(Cow::Owned(in_script(&self.config.to_string()))),
            "content" => return Some(Cow::Owned(in_script(&self.content.to_string()))),
            _ => {}
        }
        let (kind, named) = placeholder.split_once(':')?;
        let (name, fallback) = named.split_once('|')?;
        let text = self.find(name).and_then(text_of).filter(|text| !text.trim().is_empty());
        match (kind, text) {
            ("text" | "json" | "url", None) => Some(Cow::Borrowed(fallback)),
            ("text", Some(text)) => Some(Cow::Owned(in_html(&text))),
            ("url", Some(text)) => Some(Cow::Owned(in_html(&utf8_percent_encode(&text, ENCODED_IN_URL).to_string()))),
            ("json", Some(text)) => {
                let quoted = Value::from(text).to_string();
                let inside = quoted.strip_prefix('"').and_then(|quoted| quoted.strip_suffix('"'))?;
                Some(Cow::Owned(in_script(inside)))
            }
            _ => None,
        }
    }

    fn find(self, name: &str) -> Option<&'page Value> {
        let within = |value: &'page Value, path: &str| path.split('.').try_fold(value, |value, key| value.get(key));
        match name.split_once('.') {
            Some(("content", path)) => within(self.content, path),
            Some(("item", path)) => within(self.item?, path),
            _ => self.config.get("settings")?.get(name),
        }
    }
}

/// The two parts of an `each` or `if` block, before and after `{cloch:else}`, and the text after the block.
struct Block<'page> {
    body: &'page str,
    otherwise: &'page str,
    rest: &'page str,
}

impl<'page> Block<'page> {
    /// Parses an `each` or `if` block. `after` is the text after the placeholder that begins the block. `None` if the block has no end.
    fn of(after: &'page str) -> Option<Self> {
        let (mut depth, mut at, mut middle) = (0_u32, 0, None);
        loop {
            let start = at + after.get(at..)?.find(PLACEHOLDER_PREFIX)?;
            let inside = after.get(start + PLACEHOLDER_PREFIX.len()..)?;
            at = start + PLACEHOLDER_PREFIX.len();
            match inside {
                _ if inside.starts_with("each:") || inside.starts_with("if:") => depth += 1,
                _ if inside.starts_with("else}") && depth == 0 => middle = Some((start, at + "else}".len())),
                _ if inside.starts_with("end}") && depth > 0 => depth -= 1,
                _ if inside.starts_with("end}") => {
                    let (body_end, otherwise) = middle.unwrap_or((start, start));
                    return Some(Self {
                        body: after.get(..body_end)?,
                        otherwise: after.get(otherwise..start)?,
                        rest: after.get(at + "end}".len()..)?,
                    });
                }
                _ => {}
            }
        }
    }
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_true) => *is_true,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Number(_) | Value::Object(_) => true,
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
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

/// Escapes JSON for a script element, so that a value in it cannot end the element or begin an HTML comment.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
#[path = "placeholders_tests.rs"]
mod tests;
