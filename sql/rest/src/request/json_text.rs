//! Checks the strings of a JSON body.

/// Returns whether the strings of a JSON text are Unicode: the text is UTF-8, and each escaped surrogate is part of a pair.
///
/// The text must be valid JSON otherwise. `serde_json` does not check the strings of values that it skips, and PostgreSQL's type json stores
/// half a pair.
pub(super) fn is_unicode(json: &[u8]) -> bool {
    let Ok(mut rest) = std::str::from_utf8(json) else { return false };
    while let Some((_, escape)) = rest.split_once('\\') {
        rest = match unit(escape) {
            Some((0xD800..=0xDBFF, after)) => match after.strip_prefix('\\').and_then(unit) {
                Some((0xDC00..=0xDFFF, after)) => after,
                _ => return false,
            },
            Some((0xDC00..=0xDFFF, _)) => return false,
            Some((_, after)) => after,
            None => after_first(escape),
        };
    }
    true
}

/// Returns the UTF-16 code unit of an escape without its backslash (`u00e9…`), and the text after the escape. Returns `None` for any other escape.
fn unit(escape: &str) -> Option<(u16, &str)> {
    let digits = escape.strip_prefix('u')?;
    Some((u16::from_str_radix(digits.get(..4)?, 16).ok()?, digits.get(4..)?))
}

fn after_first(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    chars.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_pairs_and_other_escapes() {
        for json in [
            r#""\ud83d\ude00""#,
            r#""\uD83D\uDE00é""#,
            r#""\\ud800""#,
            r#""\n\"\\""#,
            r#""\u00e9\u0000""#,
            r#"{"\\\\u":"\\"}"#,
            "1",
        ] {
            assert!(is_unicode(json.as_bytes()), "{json}");
        }
    }

    #[test]
    fn refuses_half_pairs() {
        for json in [
            r#""\ud800""#,
            r#""\udc00x""#,
            r#""\ude00\ud83d""#,
            r#""\ud83d\n""#,
            r#""\ud83dude00""#,
            r#"{"\ud800":1}"#,
            r#""\\\ud800""#,
        ] {
            assert!(!is_unicode(json.as_bytes()), "{json}");
        }
    }

    #[test]
    fn refuses_what_is_not_utf_8() {
        for json in [&b"\"\xff\""[..], b"\"\xc0\x80\"", b"\"\xed\xa0\x80\""] {
            assert!(!is_unicode(json), "{json:?}");
        }
    }
}
