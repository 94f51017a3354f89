//! Repairs SVG images that are not well-formed XML because there is no space between two attributes (`<path x="1"y="2"/>`). imgproxy
//! accepts such images.

use quick_xml::Reader;
use quick_xml::events::Event;

/// Inserts the spaces that are missing between attributes. `None` if no space is missing, or the file is too malformed for the tags to be found.
pub(super) fn with_separated_attributes(source: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::from_reader(source);
    reader.config_mut().check_end_names = false;
    let (mut repaired, mut copied) = (Vec::with_capacity(max_repaired(source)), 0);
    loop {
        // The end of the tag contains `>`, or `/>`.
        let (tag, end) = match reader.read_event() {
            Ok(Event::Start(tag)) => (tag, 1),
            Ok(Event::Empty(tag)) => (tag, 2),
            Ok(Event::Eof) => break,
            Ok(_) => continue,
            Err(_) => return None,
        };
        let begin = usize::try_from(reader.buffer_position()).ok()?.checked_sub(end + tag.len())?;
        for at in missing_spaces(&tag) {
            repaired.extend_from_slice(source.get(copied..begin + at)?);
            repaired.push(b' ');
            copied = begin + at;
        }
    }
    if copied == 0 {
        return None;
    }
    repaired.extend_from_slice(source.get(copied..)?);
    Some(repaired)
}

/// Maximum size of a repaired file in bytes. A space is inserted only after a quoted value, which has at least two bytes (its quotes).
/// Therefore the file grows at most by half of its size.
pub(super) fn max_repaired(source: &[u8]) -> usize {
    source.len().saturating_add(source.len() / 2)
}

/// Returns the positions in a tag at which an attribute directly follows the closing quote of the previous attribute.
fn missing_spaces(tag: &[u8]) -> impl Iterator<Item = usize> {
    let (mut quote, mut is_after_value) = (None, false);
    tag.iter().enumerate().filter_map(move |(at, &byte)| {
        if quote == Some(byte) {
            (quote, is_after_value) = (None, true);
            return None;
        }
        let is_missing = quote.is_none() && is_after_value && !byte.is_ascii_whitespace();
        if quote.is_none() {
            quote = Some(byte).filter(|byte| matches!(byte, b'"' | b'\''));
        }
        is_after_value = false;
        is_missing.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(source: &str) -> Option<String> {
        with_separated_attributes(source.as_bytes()).map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_missing_space_is_inserted() {
        for (source, expected) in [
            ("<svg a=\"1\"b='2'>x</svg>", "<svg a=\"1\" b='2'>x</svg>"),
            (
                "<?xml version='1.0'?>\n<svg a='1'><path b='2'c=\"3\"d='4'/></svg>",
                "<?xml version='1.0'?>\n<svg a='1'><path b='2' c=\"3\" d='4'/></svg>",
            ),
            ("<svg a='\"'b='>'c=''/>", "<svg a='\"' b='>' c=''/>"),
            // The repair inserts a space between any two attributes, so this source becomes as long as possible.
            ("<a ''''''''''''/>", "<a '' '' '' '' '' ''/>"),
        ] {
            assert_eq!(repaired(source).as_deref(), Some(expected));
            assert!(expected.len() <= max_repaired(source.as_bytes()));
        }
    }

    #[test]
    fn the_rest_of_a_file_stays() {
        for source in [
            "",
            "<svg/>",
            "<svg a='1' b=\"2\"\n/>",
            "<svg><!-- a='1'b='2' --><![CDATA[<a b='1'c='2'>]]>a='1'b='2'</svg>",
            "<svg a='1'b='2",
        ] {
            assert_eq!(repaired(source), None, "{source}");
        }
    }
}
