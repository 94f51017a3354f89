//! The headers that decide what a browser makes of a file. Files come from users, and are served from the origin whose storage holds
//! the app's sessions: nothing of theirs may run there, whatever a row says of their type.

use std::borrow::Cow;

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue};

use crate::http_headers::put;
use crate::validation::media_type::MediaType;

/// A document made of a file has an opaque origin, runs no script and loads nothing, except the style that browsers give to documents
/// of images and texts, and the audio or video itself.
const SANDBOX_POLICY: HeaderValue =
    HeaderValue::from_static("sandbox; default-src 'none'; style-src 'unsafe-inline'; media-src 'self'");
/// A PDF is data of the browser's viewer, not a document of this origin, and some viewers refuse to start in a sandbox.
const PDF_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; object-src 'self'");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const ATTACHMENT: HeaderValue = HeaderValue::from_static("attachment");

/// Types that a browser may show in a tab. All others are saved as attachments: among them are all document types, which no list
/// names completely (any subtype that ends in `+xml` is one).
const INLINE_TYPES: [&str; 31] = [
    "application/pdf",
    "audio/aac",
    "audio/flac",
    "audio/mp4",
    "audio/mpeg",
    "audio/ogg",
    "audio/opus",
    "audio/wav",
    "audio/wave",
    "audio/webm",
    "audio/x-flac",
    "audio/x-m4a",
    "audio/x-wav",
    "image/apng",
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/heic",
    "image/heif",
    "image/jpeg",
    "image/jpg",
    "image/png",
    "image/tiff",
    "image/webp",
    "image/x-icon",
    "text/plain",
    "video/mp4",
    "video/mpeg",
    "video/ogg",
    "video/quicktime",
    "video/webm",
];

/// The type that a file is served with by the plain endpoints. HTML is text there, as clients of this API know it.
pub(crate) fn plain(stored: Option<&str>) -> MediaType {
    let stored = stored_type(stored);
    if stored.essence() == "text/html" { MediaType::parse_or_default("text/plain") } else { stored }
}

/// The type in a row, which may be of another server, or older than the check at upload.
pub(crate) fn stored_type(stored: Option<&str>) -> MediaType {
    stored.map(MediaType::parse_or_default).unwrap_or_default()
}

/// Sets the headers of a file of a type, and whether a browser shows or saves it.
pub(crate) fn set(headers: &mut HeaderMap, media_type: &MediaType) {
    put(headers, CONTENT_TYPE, media_type.as_str());
    headers.insert(X_CONTENT_TYPE_OPTIONS, NOSNIFF);
    let policy = if media_type.essence() == "application/pdf" { PDF_POLICY } else { SANDBOX_POLICY };
    headers.insert(CONTENT_SECURITY_POLICY, policy);
    if is_inline(media_type) {
        headers.remove(CONTENT_DISPOSITION);
    } else {
        headers.insert(CONTENT_DISPOSITION, ATTACHMENT);
    }
}

/// Sets the `Content-Disposition` that a signed URL asks for. One that is not to be saved anyway must be of a type that may be shown.
pub(crate) fn set_disposition(headers: &mut HeaderMap, media_type: &MediaType, wanted: &str) {
    let (kind, parameters) = wanted.split_once(';').unwrap_or((wanted, ""));
    let saved = kind.trim().eq_ignore_ascii_case("attachment");
    let value = match saved || is_inline(media_type) {
        true => Cow::Borrowed(wanted),
        false if parameters.is_empty() => Cow::Borrowed("attachment"),
        false => Cow::Owned(format!("attachment;{parameters}")),
    };
    put(headers, CONTENT_DISPOSITION, &value);
}

fn is_inline(media_type: &MediaType) -> bool {
    INLINE_TYPES.contains(&media_type.essence())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(stored: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        set(&mut headers, &plain(Some(stored)));
        headers
    }

    #[test]
    fn whatever_may_be_a_document_is_saved() {
        for stored in [
            "image/svg+xml",
            "IMAGE/SVG+XML",
            "audio/x+xml",
            "application/xhtml+xml",
            "text/xml",
            "application/xml",
            "text/xsl",
            "multipart/related",
            "message/rfc822",
            "application/x-mimearchive",
            "text/vtt",
            "application/json",
            "audio/mpeg, text/html",
            "nonsense",
            "",
        ] {
            let headers = headers(stored);
            assert_eq!(headers[CONTENT_DISPOSITION], "attachment", "{stored}");
            assert!(headers[CONTENT_SECURITY_POLICY].to_str().unwrap().starts_with("sandbox; default-src 'none'"));
            assert_eq!(headers[X_CONTENT_TYPE_OPTIONS], "nosniff");
        }
        assert_eq!(headers("audio/mpeg, text/html")[CONTENT_TYPE], "application/octet-stream");
    }

    #[test]
    fn what_can_run_nothing_is_inline() {
        for stored in INLINE_TYPES {
            let headers = headers(stored);
            assert_eq!(headers[CONTENT_TYPE], stored);
            assert_eq!(headers.get(CONTENT_DISPOSITION), None, "{stored}");
        }
        assert_eq!(headers("Text/HTML; charset=utf-8")[CONTENT_TYPE], "text/plain");
        assert_eq!(headers("text/plain;charset=UTF-8")[CONTENT_TYPE], "text/plain;charset=UTF-8");
    }

    #[test]
    fn a_link_cannot_have_a_document_shown() {
        let disposition = |media_type: &str, wanted: &str| {
            let mut headers = HeaderMap::new();
            let media_type = MediaType::parse_or_default(media_type);
            set(&mut headers, &media_type);
            set_disposition(&mut headers, &media_type, wanted);
            headers[CONTENT_DISPOSITION].to_str().unwrap().to_owned()
        };
        for wanted in ["inline", "", "x", "INLINE", "attachment-not"] {
            assert_eq!(disposition("text/html", wanted), "attachment", "{wanted}");
        }
        assert_eq!(disposition("image/svg+xml", "inline; filename=\"a.svg\""), "attachment; filename=\"a.svg\"");
        assert_eq!(disposition("text/html", "Attachment; filename=a"), "Attachment; filename=a");
        assert_eq!(disposition("image/png", "inline; filename=a"), "inline; filename=a");
    }
}
