//! Detects image formats by the first bytes of a file.

/// Number of bytes at the start of a file that are used to detect the image format.
pub(super) const HEAD_BYTES: usize = 4096;
/// Maximum number of arbitrary bytes before an image: an image with so few bytes before it is still detected. Archive headers are longer,
/// so an image in an archive is not detected.
const MARGIN_BYTES: usize = 16;
/// Maximum number of compatible brands of an `ftyp` box that are checked.
const MAX_BRANDS: usize = 64;
/// `ftyp` brands of still images in boxes (ISO/IEC 23008-12, AVIF 1.1, CR3).
const PICTURE_BRANDS: [&[u8; 4]; 15] = [
    b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"mif2", b"mif3", b"msf1",
    b"avif", b"avis", b"miaf",
];
/// `ftyp` brands of files that may contain an image sequence in tracks.
const SEQUENCE_BRANDS: [&[u8; 4]; 6] = [b"hevc", b"hevx", b"hevm", b"hevs", b"msf1", b"avis"];
/// Signatures and names of image formats whose metadata cannot be removed.
const UNSUPPORTED: [(&[u8], &str); 17] = [
    (b"II+\0", "BigTIFF"),
    (b"MM\0+", "BigTIFF"),
    (b"\0\0\0\x0cjP  ", "JPEG 2000"),
    (b"\xff\x4f\xff\x51", "JPEG 2000"),
    (b"II\xbc", "JPEG XR"),
    (b"8BPS", "Photoshop"),
    (b"\x8aMNG", "MNG"),
    (b"\x8bJNG", "JNG"),
    (b"FUJIFILMCCD-RAW", "a raw photograph"),
    (b"IIRO", "a raw photograph"),
    (b"IIRS", "a raw photograph"),
    (b"MMOR", "a raw photograph"),
    (b"IIU\0", "a raw photograph"),
    (b"II*\0\x10\0\0\0CR", "a raw photograph"),
    (b"FOVb", "a raw photograph"),
    (b"\0MRM", "a raw photograph"),
    (b"v/1\x01", "OpenEXR"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Jpeg,
    Png,
    Webp,
    Gif,
    Tiff,
    /// HEIC, AVIF and related formats.
    Heif {
        has_tracks: bool,
    },
    JpegXl,
    /// An image format that cannot contain metadata.
    WithoutMetadata,
    /// An image format whose metadata cannot be removed. Contains the name of the format.
    Unsupported(&'static str),
    /// The file is not detected as an image.
    Unknown,
}

impl Format {
    pub(super) fn of(head: &[u8]) -> Self {
        let format = Self::at_start(head);
        if format != Self::Unknown {
            return format;
        }
        let trimmed = without_margin(head);
        if is_svg(trimmed) {
            return Self::Unsupported("SVG");
        }
        let later = (1..=MARGIN_BYTES).filter_map(|start| head.get(start..));
        if later.chain([trimmed]).any(begins_for_certain) {
            return Self::Unsupported("a picture with bytes before its beginning");
        }
        Self::Unknown
    }

    fn at_start(head: &[u8]) -> Self {
        if let Some((_, name)) = UNSUPPORTED.iter().find(|(beginning, _)| head.starts_with(beginning)) {
            return Self::Unsupported(name);
        }
        match head {
            // Only the first two bytes are compared. JPEG decoders search for the next marker after these bytes, so a file with other bytes
            // in between is still a JPEG for them.
            [0xff, 0xd8, ..] => Self::Jpeg,
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Self::Png,
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Self::Webp,
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Self::Gif,
            [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => Self::Tiff,
            [0, 0, 0, 0x0c, b'J', b'X', b'L', b' ', 0x0d, 0x0a, 0x87, 0x0a, ..] => Self::JpegXl,
            // Signature of a JPEG XL codestream without boxes.
            [0xff, 0x0a, ..] => Self::WithoutMetadata,
            // The file size in a BMP header may be wrong, so only the four zero bytes after it are checked.
            [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Self::Unsupported("BMP"),
            [a, b, c, d, b'f', b't', b'y', b'p', brands @ ..] => {
                Self::of_brands(u32::from_be_bytes([*a, *b, *c, *d]) as usize, brands)
            }
            _ => Self::Unknown,
        }
    }

    /// Returns the format of a file whose first box is `ftyp` with the given size in bytes.
    fn of_brands(size: usize, brands: &[u8]) -> Self {
        // If the size of the `ftyp` box is too small to be valid, the size is ignored and all available bytes are parsed as brands.
        let brands = if size < 16 { brands } else { brands.get(..size - 8).unwrap_or(brands) };
        let (brands, _) = brands.as_chunks::<4>();
        // The second word of the `ftyp` box is the minor version and not a brand.
        let brands: Vec<&[u8; 4]> = brands.iter().take(1).chain(brands.iter().skip(2)).take(MAX_BRANDS).collect();
        let has = |wanted: &[&[u8; 4]]| brands.iter().any(|brand| wanted.contains(brand));
        match has(&PICTURE_BRANDS) {
            _ if has(&[b"crx "]) => Self::Unsupported("a raw photograph"),
            true => Self::Heif { has_tracks: has(&SEQUENCE_BRANDS) },
            false => Self::Unknown,
        }
    }
}

/// Whether an image begins at `bytes`. Only signatures of more than two bytes are compared.
fn begins_for_certain(bytes: &[u8]) -> bool {
    match Format::at_start(bytes) {
        Format::Jpeg => bytes.starts_with(b"\xff\xd8\xff"),
        Format::Unknown | Format::WithoutMetadata | Format::Unsupported(_) => false,
        _ => true,
    }
}

/// Returns the bytes after leading white space, zeros and byte order marks.
fn without_margin(head: &[u8]) -> &[u8] {
    let is_margin = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0 | 0xef | 0xbb | 0xbf);
    let start = head.iter().position(|byte| !is_margin(byte)).unwrap_or(head.len());
    head.get(start..).unwrap_or_default()
}

/// Whether the text is an SVG document. `false` for an HTML page that contains an `svg` element.
fn is_svg(text: &[u8]) -> bool {
    let has = |wanted: &[u8]| text.windows(wanted.len()).any(|window| window.eq_ignore_ascii_case(wanted));
    text.starts_with(b"<") && (has(b"<svg") || has(b":svg")) && !has(b"<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_told_by_its_beginning() {
        for (head, format) in [
            (b"\xff\xd8\0\0\xff\xe1".as_slice(), Format::Jpeg),
            (b"\0\0\0\x14ftypheic\0\0\0\0mif1", Format::Heif { has_tracks: false }),
            (b"\0\0\0\x18ftypmsf1\0\0\0\0msf1hevc", Format::Heif { has_tracks: true }),
            (b"\0\0\0\x14ftypisom\0\0\0\0mp42", Format::Unknown),
            // `heic` at the position of the minor version is not a brand.
            (b"\0\0\0\x14ftypisomheicmp42", Format::Unknown),
            (b"\0\0\0\x18ftypcrx \0\0\0\x01crx isom", Format::Unsupported("a raw photograph")),
            (b"MM\0+\0\x08\0\0", Format::Unsupported("BigTIFF")),
            (b"BM\x46\0\0\0\0\0\0\0\x36\0", Format::Unsupported("BMP")),
            (b"BMW and other cars", Format::Unknown),
            (b"\0\0\0\x01ftypheic\0\0\0\0", Format::Heif { has_tracks: false }),
            (b"\r\n\xff\xd8\xff\xe0", Format::Unsupported("a picture with bytes before its beginning")),
            (
                b"\x01\x02\x03\0\0\0\x14ftypavif\0\0\0\0mif1",
                Format::Unsupported("a picture with bytes before its beginning"),
            ),
            (b"PK\x03\x04 and a name that is long\xff\xd8\xff", Format::Unknown),
            (b"\xef\xbb\xbf<?xml version='1.0'?>\n<svg xmlns='x'/>", Format::Unsupported("SVG")),
            (b"<s:SVG xmlns:s='x'/>", Format::Unsupported("SVG")),
            (b"<!doctype html><html><svg/></html>", Format::Unknown),
            (b"plain text", Format::Unknown),
            (b"", Format::Unknown),
            (b"\0\0\0\0", Format::Unknown),
        ] {
            assert_eq!(Format::of(head), format, "{}", head.escape_ascii());
        }
    }
}
