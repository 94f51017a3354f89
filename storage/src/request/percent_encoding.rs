//! Validates percent-encoded paths.

use percent_encoding::percent_decode_str;

/// Whether a URL path is valid percent-encoding of UTF-8. Requests with other paths are refused before routing.
pub(crate) fn is_well_formed(path: &str) -> bool {
    let hex = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_hexdigit());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' && !(hex(bytes.next()) && hex(bytes.next())) {
            return false;
        }
    }
    percent_decode_str(path).decode_utf8().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_broken_and_overlong_encodings() {
        for path in ["/a%zz", "/a%", "/a%4", "/%c0%ae", "/%ff", "/%e0%80%ae"] {
            assert!(!is_well_formed(path), "{path}");
        }
        assert!(is_well_formed("/a%20b/%C3%A4/%2e%2e"));
    }
}
