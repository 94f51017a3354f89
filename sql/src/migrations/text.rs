//! Reads the text of an SQL file: UTF-8, with or without a byte order mark.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Reads a file and removes the byte order mark that Windows editors write, as psql does.
pub(super) fn read(path: &Path) -> Result<String> {
    decode(std::fs::read(path)?)
}

fn decode(bytes: Vec<u8>) -> Result<String> {
    let invalid = |message: String| Error::new(ErrorKind::InvalidData, message);
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(invalid("the file is UTF-16: save it as UTF-8".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        invalid(format!("line {line} is not UTF-8: save the file as UTF-8"))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_text() {
        assert_eq!(decode(b"\xef\xbb\xbfselect 1;\r\n".to_vec()).unwrap(), "select 1;\r\n");
        assert_eq!(decode("select '\u{feff}';".as_bytes().to_vec()).unwrap(), "select '\u{feff}';");
    }

    #[test]
    fn other_encodings_are_refused_by_name_and_line() {
        let refused = |bytes: &[u8]| decode(bytes.to_vec()).unwrap_err().to_string();
        assert_eq!(refused(b"\xff\xfes\0"), "the file is UTF-16: save it as UTF-8");
        assert_eq!(refused(b"select 1;\n-- Caf\xe9\n"), "line 2 is not UTF-8: save the file as UTF-8");
    }
}
