//! Handles SVG images, which are returned in their own size and format, as imgproxy does for Supabase Storage. Scripts, event handlers, foreign
//! elements and references to other files are removed.

use std::io::{Error as IoError, Write};

use bytes::Bytes;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::svg_repair::{max_repaired, with_separated_attributes};
use crate::error::{Error, Result};

/// Number of bytes at the start of a file in which the `svg` element must begin.
const HEAD_BYTES: usize = 64 * 1024;
/// Maximum size of a sanitised SVG image, as a multiple of the source size. Entities and the indentation of nested elements make the result
/// larger than the source.
const MAX_GROWTH: usize = 4;

/// Whether a file is an XML document whose first element is `svg`. Only encodings that are compatible with ASCII (such as UTF-8) are detected.
pub(super) fn is_svg(source: &[u8]) -> bool {
    let mut reader = Reader::from_reader(source.get(..HEAD_BYTES).unwrap_or(source));
    reader.config_mut().check_end_names = false;
    loop {
        match reader.read_event() {
            Ok(Event::Start(element) | Event::Empty(element)) => return element.local_name().as_ref() == b"svg",
            Ok(Event::Text(text))
                if !text.iter().all(|byte| byte.is_ascii_whitespace() || matches!(byte, 0xef | 0xbb | 0xbf)) =>
            {
                return false;
            }
            Ok(Event::Eof) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// Returns the memory in bytes that [`sanitised`] needs.
pub(super) fn memory(source: &[u8]) -> u64 {
    max_result(source).saturating_add(max_repaired(source)) as u64
}

/// Removes scripts, event handlers, foreign elements and references to other files from an SVG image.
///
/// # Errors
/// [`Error::Image`] if the file is not well-formed XML (except for spaces between attributes), or the sanitised image is too large.
pub(super) fn sanitised(source: &[u8]) -> Result<Bytes> {
    let result = filtered(source).or_else(|error| match with_separated_attributes(source) {
        Some(repaired) => filtered(&repaired),
        None => Err(error),
    });
    result.map_err(|error| {
        tracing::debug!(%error, "storage: SVG image refused");
        Error::Image("The source image is invalid or unsupported for rendering")
    })
}

fn filtered(source: &[u8]) -> std::result::Result<Bytes, svg_hush::FError> {
    let mut filter = svg_hush::Filter::new();
    filter.set_data_url_filter(svg_hush::data_url_filter::allow_standard_images);
    let mut result = Bounded { bytes: Vec::with_capacity(source.len()), max: max_result(source) };
    filter.filter(source, &mut result)?;
    Ok(result.bytes.into())
}

fn max_result(source: &[u8]) -> usize {
    source.len().saturating_mul(MAX_GROWTH).saturating_add(HEAD_BYTES)
}

/// Buffer of limited size. A write beyond the limit fails.
struct Bounded {
    bytes: Vec<u8>,
    max: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.max {
            return Err(IoError::other("the result is too large"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(svg: &str) -> String {
        String::from_utf8(sanitised(svg.as_bytes()).unwrap().to_vec()).unwrap()
    }

    #[test]
    fn a_document_with_the_element_svg_is_an_svg_image() {
        for svg in [
            "<svg/>",
            "\u{feff}<?xml version='1.0'?>\n<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x'>\n<!-- by a program -->\n<svg xmlns='x'>",
            "<s:svg xmlns:s='http://www.w3.org/2000/svg'/>",
        ] {
            assert!(is_svg(svg.as_bytes()), "{svg}");
        }
        for other in ["", "<html><svg/></html>", "text <svg/>", "<!-- <svg/> -->", "{\"a\":1}", "<svgs/>"] {
            assert!(!is_svg(other.as_bytes()), "{other}");
        }
        assert!(!is_svg(format!("{}<svg/>", " ".repeat(HEAD_BYTES)).as_bytes()));
    }

    #[test]
    fn shapes_and_text_stay() {
        let kept = result(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><title>Boat</title><linearGradient id='g'/>
             <path fill='url(#g)' d='M0 0h9v9z'/><image href='data:image/png;base64,AAAA'/></svg>",
        );
        for part in
            ["viewBox=\"0 0 9 9\"", "<title>Boat</title>", "d=\"M0 0h9v9z\"", "url(#g)", "data:image/png;base64,AAAA"]
        {
            assert!(kept.contains(part), "{part} in {kept}");
        }
    }

    #[test]
    fn attributes_without_a_space_between_them() {
        let kept = result(
            "<svg xmlns='http://www.w3.org/2000/svg'viewBox='0 0 9 9'onload='alert(1)'><path d='M0 0h9v9z'fill='red'/></svg>",
        );
        assert!(
            kept.contains("viewBox=\"0 0 9 9\"") && kept.contains("fill=\"red\"") && !kept.contains("alert"),
            "{kept}"
        );
    }

    #[test]
    fn what_could_run_or_load_is_removed() {
        const NS: &str = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'";
        for attack in [
            "<script>alert(1)</script>",
            "<script href='https://evil.example/x.js'/>",
            "<circle r='9' onclick='alert(1)' onload='alert(1)'/>",
            "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></body></foreignObject>",
            "<a href='javascript:alert(1)'><text>x</text></a>",
            "<a xlink:href='&#106;avascript:alert(1)'><text>x</text></a>",
            "<use href='https://evil.example/x.svg#a'/>",
            "<image href='https://evil.example/pixel.png'/>",
            "<image href='data:image/svg+xml,%3Csvg onload=alert(1)%3E'/>",
            "<style>circle { fill: url(https://evil.example/x) }</style>",
            "<circle style='fill: url(https://evil.example/x)' r='9'/>",
            "<set attributeName='onmouseover' to='1'/>",
            "<animate attributeName='href' values='1'/>",
            "<iframe src='https://evil.example'/>",
            "<h:script xmlns:h='http://www.w3.org/1999/xhtml'>alert(1)</h:script>",
            "<handler type='text/javascript'>alert(1)</handler>",
        ] {
            let kept = result(&format!("<svg {NS}>{attack}<rect width='1'/></svg>"));
            assert!(kept.contains("<rect"), "{kept}");
            for trace in ["alert", "javascript", "evil.example", "onload", "script", "attributeName"] {
                assert!(!kept.contains(trace), "{trace} of {attack} in {kept}");
            }
        }
    }

    #[test]
    fn entities_and_depth_do_not_grow_without_limit() {
        let entities = format!(
            "<!DOCTYPE svg [<!ENTITY a '{}'><!ENTITY b '{}'>]><svg xmlns='http://www.w3.org/2000/svg'><text>{}</text></svg>",
            "x".repeat(1000),
            "&a;".repeat(100),
            "&b;".repeat(1000)
        );
        let depth =
            format!("<svg xmlns='http://www.w3.org/2000/svg'>{}{}</svg>", "<g>".repeat(50_000), "</g>".repeat(50_000));
        for bomb in [entities.as_str(), &depth, "<svg xmlns='http://www.w3.org/2000/svg'>", "<svg/>"] {
            assert!(matches!(sanitised(bomb.as_bytes()), Err(Error::Image(_))));
        }
    }
}
