//! File signatures (magic numbers): checks whether the first bytes of a file match its declared type. For example, a bucket for images
//! refuses a text file with the name `a.png`.
//!
//! A file is refused only if the mismatch is certain. The check distinguishes container formats but not their content, because audio and
//! video formats use the same containers. Types without a known signature (CSV, AAC frames, unlisted formats) are allowed, unless the first
//! bytes belong to another family of types (`image`, `audio`, …).

use super::media_type::{MediaType, check_allowed};
use crate::error::{Error, Result};

/// Number of first bytes of a file that are checked.
pub(crate) const HEAD_BYTES: usize = 1024;

/// File or container format detected from the first bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Png,
    Jpeg,
    Gif,
    Webp,
    Bmp,
    Tiff,
    Avif,
    Heif,
    Icon,
    Pdf,
    Ole,
    Rtf,
    Zip,
    Gzip,
    SevenZip,
    Rar,
    Wave,
    Avi,
    Ogg,
    Flac,
    Matroska,
    Mp4,
    MpegAudio,
    Aiff,
    Midi,
    MpegVideo,
    Executable,
}

use Container::*;

/// Signatures at offset 0 of a file, and their formats.
const PREFIXES: [(&[u8], Container); 27] = [
    (b"\x89PNG\r\n\x1a\n", Png),
    (b"\xff\xd8\xff", Jpeg),
    (b"GIF87a", Gif),
    (b"GIF89a", Gif),
    (b"II*\0", Tiff),
    (b"MM\0*", Tiff),
    (b"II+\0", Tiff),
    (b"MM\0+", Tiff),
    (b"\0\0\x01\0", Icon),
    (b"%PDF-", Pdf),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Ole),
    (b"{\\rtf", Rtf),
    (b"PK\x03\x04", Zip),
    (b"PK\x05\x06", Zip),
    (b"\x1f\x8b\x08", Gzip),
    (b"7z\xbc\xaf\x27\x1c", SevenZip),
    (b"Rar!\x1a\x07", Rar),
    (b"OggS\0", Ogg),
    (b"fLaC", Flac),
    (b"\x1a\x45\xdf\xa3", Matroska),
    (b"ID3\x02", MpegAudio),
    (b"ID3\x03", MpegAudio),
    (b"ID3\x04", MpegAudio),
    (b"MThd\0\0\0\x06", Midi),
    (b"\0\0\x01\xba", MpegVideo),
    (b"\x7fELF", Executable),
    (b"MZ\x90\0", Executable),
];

impl Container {
    fn of(head: &[u8]) -> Option<Self> {
        if let Some((_, container)) = PREFIXES.iter().find(|(prefix, _)| head.starts_with(prefix)) {
            return Some(*container);
        }
        let at = |start: usize, length: usize| head.get(start..start + length).unwrap_or_default();
        match (at(0, 4), at(4, 4), at(8, 4)) {
            (b"RIFF", _, b"WEBP") => Some(Webp),
            (b"RIFF" | b"RF64", _, b"WAVE") => Some(Wave),
            (b"RIFF", _, b"AVI ") => Some(Avi),
            (b"FORM", _, b"AIFF" | b"AIFC") => Some(Aiff),
            (_, b"ftyp", b"avif" | b"avis") => Some(Avif),
            (_, b"ftyp", b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"mif1" | b"msf1") => Some(Heif),
            (_, b"ftyp", _) => Some(Mp4),
            // The two bytes `BM` are not sufficient to detect a BMP image, so the four reserved zero bytes after the file size are checked
            // as well.
            ([b'B', b'M', ..], _, _) if at(6, 4) == [0; 4] => Some(Bmp),
            // Sync word of an MPEG audio frame. FF FE is a UTF-16 byte order mark, and FF FF is not a valid frame.
            ([0xff, second, ..], _, _) if (0xe0..0xfe).contains(second) => Some(MpegAudio),
            _ if head.windows(5).any(|window| window == b"%PDF-") => Some(Pdf),
            _ => None,
        }
    }

    /// Returns the usual media type of the container.
    fn media_type(self) -> &'static str {
        match self {
            Png => "image/png",
            Jpeg => "image/jpeg",
            Gif => "image/gif",
            Webp => "image/webp",
            Bmp => "image/bmp",
            Tiff => "image/tiff",
            Avif => "image/avif",
            Heif => "image/heic",
            Icon => "image/x-icon",
            Pdf => "application/pdf",
            Ole => "application/msword",
            Rtf => "application/rtf",
            Zip => "application/zip",
            Gzip => "application/gzip",
            SevenZip => "application/x-7z-compressed",
            Rar => "application/vnd.rar",
            Wave => "audio/wav",
            Avi => "video/x-msvideo",
            Ogg => "audio/ogg",
            Flac => "audio/flac",
            Matroska => "video/webm",
            Mp4 => "video/mp4",
            MpegAudio => "audio/mpeg",
            Aiff => "audio/aiff",
            Midi => "audio/midi",
            MpegVideo => "video/mpeg",
            Executable => "application/x-executable",
        }
    }

    /// Whether the container is an audio or video format.
    fn is_media(self) -> bool {
        self.media_type().starts_with("audio/") || self.media_type().starts_with("video/")
    }
}

/// Returns the containers that are valid for a media type. `None` for types without a known signature.
fn expected(essence: &str) -> Option<&'static [Container]> {
    Some(match essence {
        "image/png" | "image/apng" | "image/x-png" => &[Png],
        "image/jpeg" | "image/jpg" | "image/pjpeg" => &[Jpeg],
        "image/gif" => &[Gif],
        "image/webp" => &[Webp],
        "image/bmp" | "image/x-bmp" | "image/x-ms-bmp" => &[Bmp],
        "image/tiff" => &[Tiff],
        "image/avif" | "image/heic" | "image/heif" | "image/heic-sequence" | "image/heif-sequence" => &[Avif, Heif],
        "image/x-icon" | "image/vnd.microsoft.icon" => &[Icon],
        "application/pdf" => &[Pdf],
        // Microsoft Word writes all of these formats into .doc files, and encrypts .docx files in the old format (OLE).
        "application/msword" => &[Ole, Rtf, Zip],
        "application/rtf" | "text/rtf" => &[Rtf],
        "application/zip" | "application/x-zip-compressed" => &[Zip],
        "application/gzip" | "application/x-gzip" => &[Gzip],
        office if office.starts_with("application/vnd.openxmlformats-officedocument.") => &[Zip, Ole],
        office if office.starts_with("application/vnd.oasis.opendocument.") => &[Zip],
        "audio/wav" | "audio/wave" | "audio/x-wav" | "audio/vnd.wave" => &[Wave],
        "audio/flac" | "audio/x-flac" => &[Flac],
        "audio/ogg" | "audio/opus" | "video/ogg" => &[Ogg],
        "audio/mp4" | "audio/m4a" | "audio/x-m4a" | "video/mp4" | "video/quicktime" => &[Mp4],
        "audio/webm" | "video/webm" => &[Matroska],
        "audio/aiff" | "audio/x-aiff" => &[Aiff],
        _ => return None,
    })
}

/// Detects the media type of a file from its first bytes.
pub(crate) fn media_type(head: &[u8]) -> MediaType {
    Container::of(head).map(|container| MediaType::parse_or_default(container.media_type())).unwrap_or_default()
}

/// Checks the first bytes of a file against its media type, for a bucket with a list of allowed types.
///
/// # Errors
/// [`Error::ContentMismatch`] if the first bytes belong to another family of types, or have no signature although the declared type
/// requires one.
pub(crate) fn check(mime: &MediaType, allowed: &[String], head: &[u8]) -> Result<()> {
    let found = Container::of(head);
    let fits = match (mime.kind(), expected(mime.essence()), found) {
        (_, Some(expected), Some(found)) if expected.contains(&found) => true,
        // Cameras and users often name image files with the wrong extension. Another image format is accepted if the bucket allows it.
        ("image", _, Some(found)) => {
            let found = MediaType::parse_or_default(found.media_type());
            found.kind() == "image" && !is_text_format(mime) && check_allowed(&found, allowed).is_ok()
        }
        ("audio" | "video", _, Some(found)) => found.is_media(),
        ("audio" | "video", None, None) => !is_text(head),
        (_, Some(_), _) => false,
        _ if is_text_format(mime) => found.is_none() || is_text(head),
        ("font", None, Some(_)) => false,
        _ => true,
    };
    if fits { Ok(()) } else { Err(Error::ContentMismatch(mime.to_string(), found_in_words(found, head))) }
}

/// Describes the detected type of a file's content in words, for an error message.
fn found_in_words(found: Option<Container>, head: &[u8]) -> &'static str {
    match found {
        Some(container) => container.media_type(),
        None if head.is_empty() => "empty",
        None if is_text(head) => "text",
        None => "of no known type",
    }
}

fn is_text_format(mime: &MediaType) -> bool {
    let essence = mime.essence();
    mime.kind() == "text"
        || essence.ends_with("+xml")
        || essence.ends_with("+json")
        || ["application/json", "application/xml", "application/javascript"].contains(&essence)
}

/// Whether the first bytes of a file are the start of a UTF-8 text.
fn is_text(head: &[u8]) -> bool {
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The last character of the text is incomplete, because only the first bytes of the file are checked.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(head.get(..error.valid_up_to()).unwrap_or_default()).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !text.chars().any(|letter| letter.is_control() && !['\t', '\n', '\r', '\u{c}', '\u{1b}'].contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF";
    const HTML: &[u8] = b"<!doctype html><script>alert(1)</script>";

    fn fits(mime: &str, head: &[u8]) -> bool {
        let allowed = ["image/*", "audio/*", "text/*", "application/pdf"].map(str::to_owned);
        check(&MediaType::parse(mime).unwrap(), &allowed, head).is_ok()
    }

    #[test]
    fn a_refusal_names_the_type_that_was_found() {
        let allowed = ["image/*".to_owned()];
        let png = MediaType::parse("image/png").unwrap();
        for (head, found) in [
            (b"%PDF-1.7".as_slice(), "application/pdf"),
            (HTML, "text"),
            (b"", "empty"),
            (b"\x01\x02\x03", "of no known type"),
        ] {
            let message = check(&png, &allowed, head).unwrap_err().to_string();
            assert_eq!(message, format!("mime type image/png is not supported: the content of the file is {found}"));
        }
    }

    #[test]
    fn refuses_what_is_not_what_it_says() {
        for (mime, head) in [
            ("image/png", HTML),
            ("image/png", b"PNG"),
            ("image/png", b""),
            ("image/png", b"\x01\x02\x03"),
            ("image/png", b"%PDF-1.7"),
            ("image/x-unknown", b"%PDF-1.7"),
            ("image/jpeg", b"MZ\x90\0\x03"),
            ("image/svg+xml", PNG),
            ("image/heic", b"\0\0\0\x18ftypmp42"),
            ("audio/mpeg", HTML),
            ("audio/mpeg", PNG),
            ("audio/wav", b"\x01\x02"),
            ("audio/x+xml", HTML),
            ("application/pdf", HTML),
            ("application/pdf", PNG),
            ("application/msword", HTML),
            ("text/csv", PNG),
            ("text/plain;charset=UTF-8", b"MZ\x90\0\xff"),
            ("application/json", b"PK\x03\x04\0\xff"),
            ("font/woff2", PNG),
        ] {
            assert!(!fits(mime, head), "{mime} {head:?}");
        }
        // Tests another image format in a bucket that does not allow it.
        let png = MediaType::parse("image/png").unwrap();
        assert!(check(&png, &["image/png".to_owned()], JPEG).is_err());
    }

    #[test]
    fn takes_what_it_may_be() {
        for (mime, head) in [
            ("image/png", PNG),
            ("image/jpg", JPEG),
            ("image/jpeg", PNG),
            ("image/heic", b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic"),
            ("image/avif", b"\0\0\0\x1cftypavif"),
            ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
            ("image/x-unknown", b"\x01\x02"),
            ("audio/mpeg", b"ID3\x03\0\0"),
            ("audio/mpeg", b"\xff\xf3\x44\xc4"),
            ("audio/mpeg", b"\0\0\0\0\0\0"),
            ("audio/mpeg", b"RIFF\0\0\0\0WAVE"),
            ("audio/aac", b"\xff\xf1\x50\x80"),
            ("audio/x-m4a", b"\0\0\0\x1cftypM4A "),
            ("audio/ogg", b"OggS\0\x02"),
            ("audio/amr", b"#!AMR\n\x01"),
            ("application/pdf", b"\n\n%PDF-1.4"),
            ("application/msword", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
            ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", b"PK\x03\x04"),
            ("application/octet-stream", PNG),
            ("text/csv", b""),
            ("text/csv", "BM,Grüße\n1,2".as_bytes()),
            ("text/plain", b"MZ is not always a program"),
            ("text/plain", b"%PDF-1.4 as a text"),
            ("text/plain", b"\xff\xfea\0"),
            ("text/plain", b"caf\xe9"),
            ("application/json", b"{}"),
        ] {
            assert!(fits(mime, head), "{mime} {head:?}");
        }
    }

    #[test]
    fn a_text_may_be_cut_within_a_letter() {
        assert!(is_text(&"é".as_bytes()[..1]));
        assert!(!is_text(b"\xe9 "));
        assert!(!is_text(b"a\0"));
    }

    #[test]
    fn tells_the_type_of_bytes() {
        assert_eq!(media_type(PNG).as_str(), "image/png");
        assert_eq!(media_type(HTML).as_str(), "application/octet-stream");
    }
}
