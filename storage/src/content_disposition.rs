//! Builds the `Content-Disposition` header of a download with a file name (RFC 6266, RFC 8187).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Set of all characters that must be percent-encoded: the complement of attr-char (RFC 8187, 3.2.1).
const EXTENDED_VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');
/// Replacement for each character that not all clients accept in a quoted string.
const REPLACEMENT: char = '_';

/// Returns the value of `Content-Disposition` for a file name. Clients that support `filename*` use the UTF-8 name; other clients use the
/// ASCII version of the name.
///
/// If the name needs no encoding under both standards, or the request gives no name (`?download`), the value is the same as that of
/// Supabase Storage. For other names, Supabase Storage sends the percent-encoded name in `filename`, and clients without support for
/// `filename*` would not decode it.
pub(crate) fn attachment(name: &str) -> String {
    if name.is_empty() {
        return "attachment;".to_owned();
    }
    let ascii = if name.bytes().all(is_plain) { name.to_owned() } else { format!("\"{}\"", quoted(name)) };
    format!("attachment; filename={ascii}; filename*=UTF-8''{}", utf8_percent_encode(name, EXTENDED_VALUE))
}

/// Whether a character can be part of a token (RFC 9110, 5.6.2) and stays unchanged in JavaScript's `encodeURIComponent`.
fn is_plain(character: u8) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, b'-' | b'_' | b'.' | b'!' | b'~')
}

/// Returns the file name escaped for a quoted-string (RFC 9110, 5.6.4). A percent sign before two hexadecimal digits is replaced as well,
/// because some clients would decode the three characters (RFC 6266, appendix D).
fn quoted(name: &str) -> String {
    let is_hex = |at: usize| name.as_bytes().get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut text = String::with_capacity(name.len());
    for (at, character) in name.char_indices() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            '%' if is_hex(at + 1) && is_hex(at + 2) => text.push(REPLACEMENT),
            ' '..='~' => text.push(character),
            _ => text.push(REPLACEMENT),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_both_forms() {
        for (name, expected) in [
            ("", "attachment;"),
            ("a.txt", "attachment; filename=a.txt; filename*=UTF-8''a.txt"),
            ("A-b_c!~.txt", "attachment; filename=A-b_c!~.txt; filename*=UTF-8''A-b_c!~.txt"),
            ("it's (1).txt", "attachment; filename=\"it's (1).txt\"; filename*=UTF-8''it%27s%20%281%29.txt"),
            ("a\"b\\c", "attachment; filename=\"a\\\"b\\\\c\"; filename*=UTF-8''a%22b%5Cc"),
            ("€ 5%41.txt", "attachment; filename=\"_ 5_41.txt\"; filename*=UTF-8''%E2%82%AC%205%2541.txt"),
            ("100%", "attachment; filename=\"100%\"; filename*=UTF-8''100%25"),
        ] {
            assert_eq!(attachment(name), expected);
        }
    }

    #[test]
    fn a_name_cannot_leave_its_header() {
        assert_eq!(
            attachment("a; x=\r\nö.txt\0"),
            "attachment; filename=\"a; x=___.txt_\"; filename*=UTF-8''a%3B%20x%3D%0D%0A%C3%B6.txt%00"
        );
    }
}
