//! Reading and writing of HTTP headers.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use chrono::{DateTime, Utc};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that JavaScript's `encodeURIComponent` does not encode.
const URI_COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// A header's text.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Sets a header, unless the stored value is invalid in a header.
pub(crate) fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// A time as an HTTP-date (RFC 9110, 5.6.7).
pub(crate) fn http_date(time: DateTime<Utc>) -> String {
    time.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// `Content-Disposition` of a file to be saved under a name.
pub(crate) fn attachment(name: &str) -> String {
    if name.is_empty() {
        return "attachment;".to_owned();
    }
    let encoded = utf8_percent_encode(name, URI_COMPONENT);
    format!("attachment; filename={encoded}; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_cannot_leave_its_header() {
        assert_eq!(attachment(""), "attachment;");
        assert_eq!(
            attachment("a\"; x=\r\nö.txt"),
            "attachment; filename=a%22%3B%20x%3D%0D%0A%C3%B6.txt; filename*=UTF-8''a%22%3B%20x%3D%0D%0A%C3%B6.txt"
        );
    }
}
