//! Sets the headers that determine how a browser handles a file. Users upload files, and Cloch serves these files from the same origin as
//! the app's sessions. Therefore a file must not be able to execute scripts, whatever media type is stored in the object's row.

use std::borrow::Cow;

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue};

use crate::http_headers::put;
use crate::validation::media_type::MediaType;

/// Content security policy of a document created from an uploaded file. The document has an opaque origin, runs no scripts and loads no
/// resources. Exceptions are the styles that browsers add to image and text documents, and the audio or video itself.
const SANDBOX_POLICY: HeaderValue =
    HeaderValue::from_static("sandbox; default-src 'none'; style-src 'unsafe-inline'; media-src 'self'");
/// Content security policy of a PDF. It has no `sandbox`, because some PDF viewers refuse to start in a sandbox. The browser shows the PDF
/// in its own viewer, so the PDF is not a document of this server's origin.
const PDF_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; object-src 'self'");
const NOSNIFF: HeaderValue = HeaderValue::from_static("nosniff");
const ATTACHMENT: HeaderValue = HeaderValue::from_static("attachment");

/// Media types that a browser may show in a tab. All other types are downloaded as attachments. The list contains the allowed types and not
/// the forbidden document types, because document types cannot be listed completely (any subtype that ends in `+xml` is a document type).
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

/// Returns the media type with which the object endpoints (not the S3 protocol) serve a file. HTML is served as text, as Supabase Storage
/// does.
pub(crate) fn plain(stored: Option<&str>) -> MediaType {
    let stored = stored_type(stored);
    if stored.essence() == "text/html" { MediaType::parse_or_default("text/plain") } else { stored }
}

/// Parses the media type in an object's row, which may have been written by another server or without validation.
pub(crate) fn stored_type(stored: Option<&str>) -> MediaType {
    stored.map(MediaType::parse_or_default).unwrap_or_default()
}

/// Sets the response headers of a file with the given media type. These headers also determine whether a browser shows or downloads the
/// file.
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

/// Sets the `Content-Disposition` that an uploader or a presigned URL has chosen. If a browser must not show the media type, any
/// disposition other than `attachment` is replaced by `attachment`.
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
