//! Parses the three formats of HTTP-date (RFC 9110, 5.6.7).

use chrono::{DateTime, NaiveDateTime, Utc};

/// Parses an HTTP-date. `None` if the text is invalid. A wrong day of the week is ignored, because it is redundant.
pub(super) fn parse(text: &str) -> Option<DateTime<Utc>> {
    match text.split_once(", ") {
        Some((_, date)) => {
            let fixed = DateTime::parse_from_rfc2822(date).ok().map(|date| date.to_utc());
            fixed.or_else(|| utc(date, "%d-%b-%y %H:%M:%S GMT"))
        }
        None => utc(text.get(4..)?, "%b %e %H:%M:%S %Y"),
    }
}

fn utc(text: &str, format: &str) -> Option<DateTime<Utc>> {
    NaiveDateTime::parse_from_str(text, format).ok().map(|date| date.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests the examples of RFC 9110.
    #[test]
    fn all_forms() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(parse(text).map(|date| date.timestamp()), Some(784_111_777), "{text}");
        }
        for text in ["", "soon", "Sun, ", "0", "784111777", "Sun, 36 Nov 1994 08:49:37 GMT", "é, é", "ééé"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
