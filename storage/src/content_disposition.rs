//! Builds the `Content-Disposition` header of a download with a file name.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Set of all characters that must be percent-encoded: those that JavaScript's `encodeURIComponent` encodes, and `'`, `(`, `)` and `*`.
///
/// Supabase's storage server sends `encodeURIComponent(name)` in both parameters. The four additional characters are not allowed in an extended
/// value (RFC 8187, 3.2.1), and parentheses are not allowed in a token (RFC 9110, 5.6.2): strict clients could not read the name.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'!').remove(b'~');

/// Returns the value of `Content-Disposition` for a file name. Without a name, it is the value of Supabase's storage server (`?download`).
pub(crate) fn attachment(name: &str) -> String {
    if name.is_empty() {
        return "attachment;".to_owned();
    }
    let encoded = utf8_percent_encode(name, ENCODED);
    format!("attachment; filename={encoded}; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values come from `encodeURIComponent(name).replace(/['()*]/g, …)` on Node; tests/client/download_names.test.mjs compares more names.
    #[test]
    fn a_name_in_both_parameters() {
        for (name, encoded) in [
            ("a.txt", "a.txt"),
            ("A-b_c!~.txt", "A-b_c!~.txt"),
            ("it's (1)*.txt", "it%27s%20%281%29%2A.txt"),
            ("a\"b\\c", "a%22b%5Cc"),
            ("€ 5%41.txt", "%E2%82%AC%205%2541.txt"),
            ("a; x=\r\nö.txt\0", "a%3B%20x%3D%0D%0A%C3%B6.txt%00"),
        ] {
            assert_eq!(attachment(name), format!("attachment; filename={encoded}; filename*=UTF-8''{encoded}"));
        }
    }

    #[test]
    fn no_name() {
        assert_eq!(attachment(""), "attachment;");
    }
}
