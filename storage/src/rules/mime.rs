//! Which types of file a bucket takes.

use crate::error::{Error, Result};

const MAX_PATTERN: usize = 1000;

/// Whether a bucket's list allows a type. Type and subtype are compared as text, parameters included, as clients of this API
/// have come to rely on, but in any letter case: types have none. `type/*` allows any subtype.
///
/// # Errors
/// [`Error::InvalidMimeType`] with the type.
pub(crate) fn check_allowed(mime: &str, allowed: &[String]) -> Result<()> {
    let refused = || Error::InvalidMimeType(mime.to_owned());
    let (kind, subtype) = halves(mime).ok_or_else(refused)?;
    let allows = |pattern: &String| {
        halves(pattern).is_some_and(|(allowed_kind, allowed_subtype)| {
            allowed_kind.eq_ignore_ascii_case(kind)
                && (allowed_subtype == "*" || allowed_subtype.eq_ignore_ascii_case(subtype))
        })
    };
    if allowed.iter().any(allows) { Ok(()) } else { Err(refused()) }
}

/// The two parts between the first slashes; what follows a second slash does not count.
fn halves(mime: &str) -> Option<(&str, &str)> {
    let (kind, rest) = mime.split_once('/')?;
    Some((kind, rest.split('/').next().unwrap_or(rest)))
}

/// The list as a bucket stores it: empty texts dropped, every entry `type/subtype[; charset=…]` or ending in `*`.
///
/// # Errors
/// [`Error::InvalidMimeType`] with the first entry that is neither.
pub(crate) fn valid_patterns(patterns: Vec<String>) -> Result<Vec<String>> {
    let patterns: Vec<String> = patterns.into_iter().filter(|pattern| !pattern.is_empty()).collect();
    match patterns.iter().find(|pattern| !is_pattern(pattern)) {
        Some(bad) => Err(Error::InvalidMimeType(bad.clone())),
        None => Ok(patterns),
    }
}

fn is_pattern(pattern: &str) -> bool {
    if pattern.len() > MAX_PATTERN {
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

/// Whether a `Content-Type` header is of the form `type/subtype`, whatever follows.
pub(crate) fn is_content_type(value: &str) -> bool {
    let essence = value.split(';').next().unwrap_or(value).trim();
    let token = |text: &str| !text.is_empty() && text.bytes().all(is_token);
    essence.split_once('/').is_some_and(|(kind, subtype)| token(kind) && token(subtype))
}

/// The characters of HTTP's tokens (RFC 9110, 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The type a file is served as. HTML from the API's own origin would run there with the visitor's rights, so it is text.
pub(crate) fn served(mime: &str) -> &str {
    if mime.trim_start().get(..9).is_some_and(|start| start.eq_ignore_ascii_case("text/html")) {
        "text/plain"
    } else {
        mime
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(mime: &str, patterns: &[&str]) -> bool {
        check_allowed(mime, &patterns.iter().map(ToString::to_string).collect::<Vec<_>>()).is_ok()
    }

    #[test]
    fn refuses_other_types() {
        assert!(!allowed("image/png", &["image/jpeg"]));
        assert!(!allowed("text/plain;charset=UTF-8", &["text/plain"]));
        assert!(!allowed("image", &["image/*"]));
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
    }

    #[test]
    fn a_content_type_is_two_tokens() {
        for value in ["text", "/", "text/", "a/b/c", "a b/c", ""] {
            assert!(!is_content_type(value), "{value}");
        }
        for value in ["text/plain", "TEXT/PLAIN", "text/plain ; x", "image/svg+xml;charset=utf-8"] {
            assert!(is_content_type(value), "{value}");
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

    #[test]
    fn html_is_served_as_text() {
        assert_eq!(served("text/html; charset=utf-8"), "text/plain");
        assert_eq!(served("TEXT/HTML"), "text/plain");
        assert_eq!(served("image/svg+xml"), "image/svg+xml");
    }
}
