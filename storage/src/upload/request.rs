//! Reads the file in a request body: either the raw body with the file's properties in headers, or a part of a form.

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE};
use cloch_core::min_rate::MinRate;
use serde_json::Value;

use super::checksum::VerifiedChecksum;
use super::content_md5;
use super::form::{self, TrailingFields};
use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::http_headers::header;
use crate::model::representation::Representation;
use crate::request::body::frames;
use crate::request::custom_metadata;
use crate::validation::cache_control::CacheControl;
use crate::validation::media_type::MediaType;
use crate::validation::robots_tag;

/// A file in an upload request.
pub(crate) struct IncomingFile {
    /// File properties that are known before the content is read.
    pub(crate) details: FileDetails,
    pub(crate) bytes: ByteStream,
    /// Form fields that follow the file. They are available after the content of the file is read.
    pub(crate) trailing: Option<TrailingFields>,
}

/// Properties that are stored with a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FileDetails {
    pub(crate) mimetype: MediaType,
    pub(crate) cache_control: CacheControl,
    /// Custom metadata sent by the client.
    pub(crate) user_metadata: Option<Value>,
    /// Value of `X-Robots-Tag` for responses with the file.
    pub(crate) robots: Option<String>,
    /// Representation headers such as `Content-Encoding`.
    pub(crate) representation: Representation,
    /// Declared size of the request body in bytes, which RLS policies can check.
    pub(crate) declared_length: Option<u64>,
    /// Checksum that the client sent, available after the content is read and verified.
    pub(crate) checksum: VerifiedChecksum,
}

/// Whether the upload request may replace an existing object (`x-upsert: true`).
pub(crate) fn wants_upsert(headers: &HeaderMap) -> bool {
    header(headers, "x-upsert") == Some("true")
}

/// Opens the file in a request body for reading.
///
/// # Errors
/// If a header or the start of the form is malformed.
pub(crate) async fn open(headers: &HeaderMap, body: Body, min_rate: MinRate) -> Result<IncomingFile> {
    let robots = header(headers, "x-robots-tag").filter(|tag| !tag.is_empty()).map(str::to_owned);
    if let Some(tag) = &robots {
        robots_tag::check(tag)?;
    }
    let content_type = header(headers, CONTENT_TYPE.as_str());
    let mimetype = match content_type.map(MediaType::parse) {
        Some(None) => return Err(Error::ContentType),
        Some(Some(mimetype)) => mimetype,
        None => MediaType::default(),
    };
    let bytes = frames(body, min_rate);
    let declared_length = header(headers, CONTENT_LENGTH.as_str()).and_then(|value| value.parse().ok());
    match content_type {
        Some(form) if mimetype.essence() == "multipart/form-data" => {
            let mut file = form::open(form, bytes).await?;
            file.details.robots = robots;
            file.details.declared_length = declared_length;
            Ok(file)
        }
        _ => {
            let details = FileDetails {
                mimetype,
                cache_control: CacheControl::new(header(headers, CACHE_CONTROL.as_str()))?,
                user_metadata: custom_metadata::of_headers(headers)?,
                robots,
                representation: Representation::of_headers(headers)?,
                declared_length,
                checksum: VerifiedChecksum::default(),
            };
            let bytes = content_md5::checked(headers, bytes)?;
            Ok(IncomingFile { details, bytes, trailing: None })
        }
    }
}
