//! Parses media types of files, and checks them against the lists of types that buckets allow.

use std::fmt;

use crate::error::{Error, Result};

const MAX_PATTERN_BYTES: usize = 1000;
/// Maximum length of a media type in bytes (RFC 6838 allows 127 for each half).
const MAX_ESSENCE_BYTES: usize = 255;
const MAX_CHARSET_BYTES: usize = 40;
const OCTET_STREAM: &str = "application/octet-stream";

/// A media type as stored and served: `type/subtype` in lower case, and for text types the charset in the form of Supabase Storage's
/// clients (`text/plain;charset=UTF-8`). Other parameters and lists of several media types are never stored, because browsers may derive
/// another type from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MediaType(String);

impl Default for MediaType {
    fn default() -> Self {
        Self(OCTET_STREAM.to_owned())
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl MediaType {
    /// Parses the value of a `Content-Type` header. `None` unless it starts with two tokens (RFC 9110, 8.3.1) separated by one slash.
    pub(crate) fn parse(value: &str) -> Option<Self> {
        let (essence, parameters) = value.split_once(';').unwrap_or((value, ""));
        let essence = essence.trim_matches([' ', '\t']);
        let (kind, subtype) = essence.split_once('/')?;
        if essence.len() > MAX_ESSENCE_BYTES || !is_token(kind) || !is_token(subtype) {
            return None;
        }
        let essence = essence.to_ascii_lowercase();
        let charset = if essence.starts_with("text/") { charset(parameters) } else { None };
        Some(Self(charset.map_or_else(|| essence.clone(), |charset| format!("{essence};charset={charset}"))))
    }

    /// Parses the value of a `Content-Type` header. An invalid value becomes `application/octet-stream`.
    pub(crate) fn parse_or_default(value: &str) -> Self {
        Self::parse(value).unwrap_or_default()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `type/subtype` without the charset.
    pub(crate) fn essence(&self) -> &str {
        self.0.split(';').next().unwrap_or(&self.0)
    }

    /// Returns the top-level type, before the slash.
    pub(crate) fn kind(&self) -> &str {
        self.0.split('/').next().unwrap_or(&self.0)
    }
}

/// Whether the text is a token (RFC 9110, 5.6.2).
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Returns the charset in the parameters of a media type; `None` if there is none or its name is invalid (RFC 2978, 2.3).
fn charset(parameters: &str) -> Option<&str> {
    let mut pairs = parameters.split(';').filter_map(|parameter| parameter.trim().split_once('='));
    let (_, charset) = pairs.find(|(name, _)| name.eq_ignore_ascii_case("charset"))?;
    let charset = charset.trim_matches('"');
    let can_be = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._:".contains(&byte);
    (!charset.is_empty() && charset.len() <= MAX_CHARSET_BYTES && charset.bytes().all(can_be)).then_some(charset)
}

/// Checks a media type against a bucket's list of allowed types. Parameters, such as the charset, are not compared (RFC 9110, 8.3.1),
/// because clients of Supabase Storage declare `text/plain;charset=UTF-8` by default. `type/*` allows all subtypes.
///
/// # Errors
/// [`Error::InvalidMimeType`] if the list does not contain the media type.
pub(crate) fn check_allowed(mime: &MediaType, allowed: &[String]) -> Result<()> {
    let allows = |pattern: &String| match pattern.strip_suffix("/*") {
        Some(kind) => kind.eq_ignore_ascii_case(mime.kind()),
        None => MediaType::parse(pattern).is_some_and(|pattern| pattern.essence() == mime.essence()),
    };
    if allowed.iter().any(allows) { Ok(()) } else { Err(Error::InvalidMimeType(mime.to_string())) }
}

/// Validates a bucket's list of allowed media types and removes empty entries. Every entry must be `type/subtype[; charset=…]` or end with
/// `*`.
///
/// # Errors
/// [`Error::InvalidMimeType`] with the first invalid entry.
pub(crate) fn valid_patterns(patterns: Vec<String>) -> Result<Vec<String>> {
    let patterns: Vec<String> = patterns.into_iter().filter(|pattern| !pattern.is_empty()).collect();
    match patterns.iter().find(|pattern| !is_pattern(pattern)) {
        Some(bad) => Err(Error::InvalidMimeType(bad.clone())),
        None => Ok(patterns),
    }
}

fn is_pattern(pattern: &str) -> bool {
    if pattern.len() > MAX_PATTERN_BYTES {
        return false;
    }
    if pattern.ends_with('*') {
        return true;
    }
    let (essence, parameter) = pattern.split_once(';').unwrap_or((pattern, "charset=none"));
    let token = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    let charset = parameter.trim_start().strip_prefix("charset=").is_some_and(token);
    charset && essence.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(mime: &str, patterns: &[&str]) -> bool {
        check_allowed(&MediaType::parse(mime).unwrap(), &patterns.iter().map(ToString::to_string).collect::<Vec<_>>())
            .is_ok()
    }

    #[test]
    fn refuses_other_types() {
        assert!(!allowed("image/png", &["image/jpeg"]));
        assert!(!allowed("text/plain;charset=UTF-8", &["text/html;charset=UTF-8"]));
        assert!(!allowed("image/png", &["image"]));
        assert!(!allowed("image/png", &["*/*"]));
        assert!(!allowed("image/png", &["*"]));
        assert!(!allowed("image/png", &["image/png*"]));
    }

    #[test]
    fn allows_listed_types() {
        assert!(allowed("image/png", &["text/plain", "image/png"]));
        assert!(allowed("text/plain;charset=UTF-8", &["text/*"]));
        assert!(allowed("Image/PNG", &["image/png"]));
        assert!(allowed("image/png", &["IMAGE/*"]));
        assert!(allowed("text/plain;charset=UTF-8", &["text/plain;charset=UTF-8"]));
        assert!(allowed("text/plain;charset=UTF-8", &["text/plain; charset=utf-8"]));
        assert!(allowed("text/plain;charset=UTF-8", &["text/plain"]));
        assert!(allowed("text/plain", &["text/plain;charset=UTF-8"]));
        assert!(allowed("text/plain;charset=UTF-8", &["text/plain;charset=ISO-8859-1"]));
    }

    #[test]
    fn refuses_what_does_not_begin_with_two_tokens() {
        let long = format!("text/{}", "x".repeat(MAX_ESSENCE_BYTES));
        for value in [
            "",
            "text",
            "/",
            "text/",
            "a/b/c",
            "a b/c",
            "text/html,",
            "audio/mpeg, text/html",
            "audio/mpeg,text/html",
            "text/html\u{c}",
            "text/html\u{b};x",
            "te\u{e9}t/html",
            "text/ html",
            "text /html",
            "text\r\n/html",
            "<a>/b",
            "a/\"b\"",
            &long,
        ] {
            assert_eq!(MediaType::parse(value), None, "{value}");
        }
    }

    #[test]
    fn keeps_two_tokens_and_the_charset_of_texts() {
        for (value, kept) in [
            ("text/plain", "text/plain"),
            ("TEXT/PLAIN", "text/plain"),
            ("text/plain ; x", "text/plain"),
            ("text/plain;charset=UTF-8", "text/plain;charset=UTF-8"),
            ("text/plain; boundary=x; Charset=\"utf-8\"", "text/plain;charset=utf-8"),
            ("text/plain;charset=a b", "text/plain"),
            ("text/plain;charset=utf-8, text/html", "text/plain"),
            ("image/png;charset=utf-8", "image/png"),
            ("audio/x; a=b, text/html", "audio/x"),
            ("audio/mpeg;\"a, text/html", "audio/mpeg"),
            ("image/svg+xml;charset=utf-8", "image/svg+xml"),
        ] {
            assert_eq!(MediaType::parse(value).unwrap().as_str(), kept, "{value}");
        }
    }

    #[test]
    fn stores_only_patterns() {
        for pattern in ["image", "a/b/c", "*/png", "text/plain; boundary=x", "/png", "image/"] {
            assert!(!is_pattern(pattern), "{pattern}");
        }
        for pattern in ["image/png", "image/*", "*/*", "*", "image/png*", "text/plain; charset=utf-8", "image/svg+xml"]
        {
            assert!(is_pattern(pattern), "{pattern}");
        }
    }
}
