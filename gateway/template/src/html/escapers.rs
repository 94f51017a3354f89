//! Escapers of Go's html/template. Most of them have internal names, which [`super`] inserts into templates. Templates can call the
//! escapers `html`, `js` and `urlquery` themselves.

use super::attributes::{self, Content};
use super::css::{self, FAILSAFE};
use super::js::is_identifier_part;
use crate::print::sprint;
use crate::quote::is_printable;
use crate::value::Value;

/// Applies the escaper with the internal name `name` to `values`, and returns the escaped text. `values` are the arguments that the
/// pipeline passes.
pub(crate) fn apply(name: &str, values: &[Value]) -> String {
    if name == "_js_value" {
        return js_value(values);
    }
    if name == "_arguments" {
        return sprint(values);
    }
    let text = stringify(values);
    match name {
        "_html" | "_attr" | "_rcdata" => html(&text),
        "_no_space" => without_spaces(&text),
        "_name" => attribute_name(&text),
        "_url_filter" => url_filter(&text),
        "_url" => url(&text, true),
        "_url_part" => url(&text, false),
        "_srcset" => srcset(&text),
        "_css" => css::escape(&text),
        "_css_value" => css::filter(&text),
        "_js_string" => js_text(&text, ""),
        "_js_template" => js_text(&text, "${}"),
        "_js_regexp" => js_regexp(&text),
        // A value that is inserted into a comment is discarded (`_comment`).
        _ => String::new(),
    }
}

/// Formats values and joins them to one text. Leaves out missing values.
fn stringify(values: &[Value]) -> String {
    match values {
        [Value::Text(text)] => text.to_string(),
        values => sprint(&values.iter().filter(|value| !value.is_nil()).cloned().collect::<Vec<_>>()),
    }
}

fn replace(text: &str, replacement: impl Fn(char) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match replacement(c) {
            Some(other) => out.push_str(&other),
            None => out.push(c),
        }
    }
    out
}

fn html_of(c: char) -> Option<&'static str> {
    Some(match c {
        '\0' => "\u{fffd}",
        '"' => "&#34;",
        '&' => "&amp;",
        '\'' => "&#39;",
        '+' => "&#43;",
        '<' => "&lt;",
        '>' => "&gt;",
        _ => return None,
    })
}

fn html(text: &str) -> String {
    replace(text, |c| html_of(c).map(str::to_owned))
}

/// Escapes a value for an HTML attribute without quotes. In particular, escapes spaces, which would end the attribute.
fn without_spaces(text: &str) -> String {
    if text.is_empty() {
        return FAILSAFE.to_owned();
    }
    replace(text, |c| match c {
        '\0' => Some("&#xfffd;".to_owned()),
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '=' | '`' => Some(format!("&#{};", u32::from(c))),
        '\u{fdd0}'..='\u{fdef}' | '\u{fff0}'..='\u{ffff}' => Some(format!("&#x{:x};", u32::from(c))),
        c => html_of(c).map(str::to_owned),
    })
}

fn attribute_name(text: &str) -> String {
    let name = text.to_lowercase();
    let is_harmless = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if name.is_empty() || attributes::content(&name) != Content::Plain || !is_harmless {
        return FAILSAFE.to_owned();
    }
    name
}

fn is_safe_url(text: &str) -> bool {
    text.split_once(':').is_none_or(|(scheme, _)| {
        scheme.contains('/') || ["http", "https", "mailto"].iter().any(|safe| scheme.eq_ignore_ascii_case(safe))
    })
}

fn url_filter(text: &str) -> String {
    if is_safe_url(text) { text.to_owned() } else { format!("#{FAILSAFE}") }
}

/// Percent-encodes a whole URL (`is_whole`) or a part of a URL. In a part, the characters that separate the parts of a URL, such as `/` and
/// `&`, are encoded too.
fn url(text: &str, is_whole: bool) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    for (index, byte) in bytes.iter().enumerate() {
        let is_kept = match byte {
            b'!' | b'#' | b'$' | b'&' | b'*' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'?' | b'@' | b'[' | b']' => {
                is_whole
            }
            b'-' | b'.' | b'_' | b'~' => true,
            b'%' => {
                let digits = bytes.get(index + 1..index + 3);
                is_whole && digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            }
            byte => byte.is_ascii_alphanumeric(),
        };
        if is_kept {
            out.push(char::from(*byte));
        } else {
            out.push_str(&format!("%{byte:02x}"));
        }
    }
    out
}

fn srcset(text: &str) -> String {
    let is_space = |c: char| matches!(c, '\t' | '\n' | '\u{c}' | '\r' | ' ');
    let parts = text.split(',').map(|part| {
        let trimmed = part.trim_start_matches(is_space);
        let before = part.get(..part.len() - trimmed.len()).unwrap_or_default();
        let end = trimmed.find(is_space).unwrap_or(trimmed.len());
        let (address, behind) = trimmed.split_at_checked(end).unwrap_or((trimmed, ""));
        if is_safe_url(address) && behind.chars().all(|c| is_space(c) || c.is_ascii_alphanumeric()) {
            format!("{before}{}{behind}", url(address, true))
        } else {
            format!("#{FAILSAFE}")
        }
    });
    parts.collect::<Vec<_>>().join(",")
}

fn js_escape(c: char) -> Option<String> {
    Some(match c {
        '\t' => "\\t".to_owned(),
        '\n' => "\\n".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        '\r' => "\\r".to_owned(),
        '/' => "\\/".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\0'..='\u{1f}' | '"' | '`' | '&' | '\'' | '+' | '<' | '>' | '\u{2028}' | '\u{2029}' => {
            format!("\\u{:04x}", u32::from(c))
        }
        _ => return None,
    })
}

fn js_text(text: &str, further: &str) -> String {
    replace(text, |c| js_escape(c).or_else(|| further.contains(c).then(|| format!("\\u{:04x}", u32::from(c)))))
}

fn js_regexp(text: &str) -> String {
    if text.is_empty() {
        // An empty regular expression would be written as `//`, which begins a JavaScript comment.
        return "(?:)".to_owned();
    }
    replace(text, |c| match c {
        '$' | '(' | ')' | '*' | '-' | '.' | '?' | '[' | ']' | '^' | '{' | '|' | '}' => Some(format!("\\{c}")),
        '`' => None,
        c => js_escape(c),
    })
}

/// Formats a value as JSON, which is a valid JavaScript expression.
fn js_value(values: &[Value]) -> String {
    let text = match values {
        [one] => json(one),
        values => json_text(&sprint(values)),
    };
    let Ok(text) = text else { return " /* json: unsupported value */null ".to_owned() };
    let touches = |byte: Option<&u8>| byte.is_some_and(|byte| is_identifier_part(*byte));
    // A value such as `true` could form one word with the JavaScript before or after it. Spaces around the value prevent this.
    if touches(text.as_bytes().first()) || touches(text.as_bytes().last()) { format!(" {text} ") } else { text }
}

fn json_text(text: &str) -> Result<String, ()> {
    let inner = replace(text, |c| match c {
        '"' => Some("\\\"".to_owned()),
        '\\' => Some("\\\\".to_owned()),
        '\u{8}' => Some("\\b".to_owned()),
        '\u{c}' => Some("\\f".to_owned()),
        '\n' => Some("\\n".to_owned()),
        '\r' => Some("\\r".to_owned()),
        '\t' => Some("\\t".to_owned()),
        '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => Some(format!("\\u{:04x}", u32::from(c))),
        _ => None,
    });
    Ok(format!("\"{inner}\""))
}

fn json(value: &Value) -> Result<String, ()> {
    match value {
        Value::Missing | Value::Null => Ok("null".to_owned()),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Int(number) => Ok(number.to_string()),
        Value::Byte(number) => Ok(number.to_string()),
        Value::Float(number) if !number.is_finite() => Err(()),
        Value::Float(number) => {
            let size = number.abs();
            let is_plain = size == 0.0 || (1e-6..1e21).contains(&size);
            let text = crate::float::format(*number, if is_plain { 'f' } else { 'e' }, None);
            Ok(text.replace("e-0", "e-"))
        }
        Value::Text(text) => json_text(text),
        Value::List(list) => {
            let items = list.iter().map(json).collect::<Result<Vec<_>, _>>()?;
            Ok(format!("[{}]", items.join(",")))
        }
        Value::Map(fields) => {
            let fields = fields.iter().map(|(name, value)| Ok(format!("{}:{}", json_text(name)?, json(value)?)));
            Ok(format!("{{{}}}", fields.collect::<Result<Vec<_>, ()>>()?.join(",")))
        }
    }
}

/// Implements the template function `html`.
pub(crate) fn text_html(text: &str) -> String {
    replace(text, |c| html_of(c).filter(|_| c != '+').map(str::to_owned))
}

/// Implements the template function `js`.
pub(crate) fn text_js(text: &str) -> String {
    replace(text, |c| match c {
        '\\' | '\'' | '"' => Some(format!("\\{c}")),
        '<' | '>' | '&' | '=' => Some(format!("\\u{:04X}", u32::from(c))),
        c if c < ' ' || (!c.is_ascii() && !is_printable(c)) => Some(format!("\\u{:04X}", u32::from(c))),
        _ => None,
    })
}

/// Implements the template function `urlquery`.
pub(crate) fn query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
