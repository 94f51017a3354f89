//! Handles S3 operations on object versions: versioning of a bucket and ListObjectVersions.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;

use super::list::{UNRESERVED, is_encoded, max_keys};
use super::payload::payload;
use super::request::S3Request;
use super::xml::{self, Document};
use crate::db::versions::{self, Filter, ListVersions, ListedVersion, NULL_VERSION};
use crate::db::{buckets, iso};
use crate::error::{Error, Result};
use crate::http_headers::put;
use crate::model::meta::Meta;
use crate::operation::Operation;
use crate::request::body::frames;
use crate::request::json_body;
use crate::upload::authorize::find_bucket;

/// Body of PutBucketVersioning.
#[derive(Debug, Deserialize)]
struct Configuration {
    #[serde(rename = "Status")]
    status: Option<String>,
    #[serde(rename = "MfaDelete")]
    mfa_delete: Option<String>,
}

/// Handles PutBucketVersioning.
pub(crate) async fn configure(request: S3Request, body: Body) -> Result<Response> {
    let body = frames(body, request.state.settings().slow_client);
    let body = json_body::gather(payload(&request.signed, request.headers(), body)?.bytes).await?;
    let wanted: Configuration = xml::read(&body)?;
    if wanted.mfa_delete.is_some_and(|mfa| mfa != "Disabled") {
        let message = "MFA delete is not implemented".to_owned();
        return Err(Error::S3(501, "NotImplemented", message));
    }
    let status = match wanted.status.as_deref() {
        Some("Enabled") => "ENABLED",
        Some("Suspended") => "SUSPENDED",
        _ => {
            let message = "The Versioning element must be specified".to_owned();
            return Err(Error::S3(400, "IllegalVersioningConfigurationException", message));
        }
    };
    let mut tx = request.identity.begin(request.state.database(), Operation::S3BucketPutVersioning).await?;
    if !buckets::set_versioning(&mut tx, &request.path.bucket, status).await? {
        return Err(Error::NoSuchBucket);
    }
    tx.commit().await?;
    Ok(StatusCode::OK.into_response())
}

/// Handles ListObjectVersions.
pub(crate) async fn list(mut request: S3Request) -> Result<Response> {
    let prefix = request.param("prefix").unwrap_or_default();
    let delimiter = request.param("delimiter").unwrap_or_default();
    let encoded = is_encoded(&mut request)?;
    let key_marker = request.param("key-marker").unwrap_or_default();
    let version_marker = request.param("version-id-marker").unwrap_or_default();
    if key_marker.is_empty() && !version_marker.is_empty() {
        let message = "A version-id marker cannot be specified without a key marker.".to_owned();
        return Err(Error::S3(400, "InvalidArgument", message));
    }
    let max = max_keys(&mut request)?;

    // The existence of a bucket is not confidential. The RLS policies only control which of its objects are listed.
    find_bucket(&request.state, &request.path.bucket).await?;
    let mut tx = request.identity.begin_as_service(request.state.database(), Operation::S3VersionsList).await?;
    let wanted = ListVersions {
        bucket: &request.path.bucket,
        prefix: &prefix,
        exact: false,
        delimiter: &delimiter,
        noncurrent: Filter::Include,
        markers: Filter::Include,
        after: &key_marker,
        after_version: &version_marker,
        limit: max + 1,
    };
    let mut entries = versions::list(&mut tx, request.identity.caller().role(), &wanted).await?;
    tx.rollback().await?;
    let truncated = max > 0 && entries.len() > usize::try_from(max).unwrap_or(usize::MAX);
    entries.truncate(usize::try_from(max).unwrap_or(usize::MAX));

    let name = |key: &str| if encoded { utf8_percent_encode(key, UNRESERVED).to_string() } else { key.to_owned() };
    let mut document = Document::new("ListVersionsResult");
    document.element("Name", &request.path.bucket).element("Prefix", name(&prefix));
    document.element("KeyMarker", name(&key_marker)).element("VersionIdMarker", &version_marker);
    document.element("MaxKeys", max).element("IsTruncated", truncated);
    document.optional("Delimiter", Some(name(&delimiter)).filter(|text| !text.is_empty()));
    document.optional("EncodingType", encoded.then_some("url"));
    if let Some(last) = entries.last().filter(|_| truncated) {
        document.element("NextKeyMarker", name(&last.name));
        document.optional("NextVersionIdMarker", s3_id(last));
    }
    for entry in entries.iter().filter(|entry| entry.id.is_some()) {
        show(&mut document, entry, &name);
    }
    for entry in entries.iter().filter(|entry| entry.id.is_none()) {
        document.nested("CommonPrefixes", |shown| {
            shown.element("Prefix", name(&entry.name));
        });
    }
    Ok(document.into_response())
}

fn s3_id(entry: &ListedVersion) -> Option<&str> {
    let version = entry.version.as_deref()?;
    Some(if entry.is_versioned == Some(true) { version } else { NULL_VERSION })
}

fn show(document: &mut Document, entry: &ListedVersion, name: &impl Fn(&str) -> String) {
    let is_marker = entry.is_delete_marker == Some(true);
    document.nested(if is_marker { "DeleteMarker" } else { "Version" }, |shown| {
        shown
            .element("Key", name(&entry.name))
            .optional("VersionId", s3_id(entry))
            .element("IsLatest", entry.is_latest)
            .optional("LastModified", entry.updated_at.map(iso));
        if !is_marker {
            let meta = Meta::of_metadata(entry.metadata.as_ref());
            shown
                .optional("ETag", meta.etag)
                .element("Size", meta.size.unwrap_or(0))
                .element("StorageClass", "STANDARD");
        }
    });
}

/// Sets the headers that identify the object version in a response.
pub(super) fn describe(headers: &mut HeaderMap, version: Option<&str>, is_delete_marker: bool) {
    if let Some(version) = version {
        put(headers, HeaderName::from_static("x-amz-version-id"), version);
    }
    if is_delete_marker {
        headers.insert("x-amz-delete-marker", HeaderValue::from_static("true"));
    }
}

pub(super) fn no_such_version() -> Error {
    Error::S3(404, "NoSuchVersion", "The specified version does not exist.".to_owned())
}

/// Returns the error for reading a delete marker, which has no content.
pub(super) fn is_delete_marker() -> Error {
    let message = "The specified method is not allowed against this resource.".to_owned();
    Error::S3(405, "MethodNotAllowed", message)
}
