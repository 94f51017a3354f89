//! Handles the S3 operations PutObject and CopyObject.

use axum::body::Body;
use axum::http::header::ETAG;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::payload::payload;
use super::request::S3Request;
use super::versions;
use super::xml::Document;
use crate::conditions::Conditions;
use crate::db::iso;
use crate::error::{Error, Result};
use crate::http_headers::{header, put as put_header};
use crate::model::object_path::ObjectPath;
use crate::model::representation::Representation;
use crate::object::copy::{self, MetadataChanges, Wanted};
use crate::object::move_object::CopyPaths;
use crate::operation::Operation;
use crate::request::body::frames;
use crate::upload::checksum::{Checksum, VerifiedChecksum};
use crate::upload::preconditions::Preconditions;
use crate::upload::request::{FileDetails, IncomingFile};
use crate::upload::{Upload, UploadTarget};
use crate::validation::cache_control::CacheControl;
use crate::validation::media_type::MediaType;

/// Returns the properties of the object that the headers of an upload request declare.
///
/// # Errors
/// If a header value is invalid or too long.
pub(super) fn details(headers: &HeaderMap) -> Result<FileDetails> {
    let length = header(headers, "x-amz-decoded-content-length").or_else(|| header(headers, "content-length"));
    Ok(FileDetails {
        mimetype: header(headers, "content-type").map(MediaType::parse_or_default).unwrap_or_default(),
        cache_control: CacheControl::new(header(headers, "cache-control"))?,
        user_metadata: user_metadata(headers)?,
        robots: None,
        representation: Representation::of_headers(headers)?,
        declared_length: length.and_then(|text| text.parse().ok()),
        checksum: VerifiedChecksum::default(),
    })
}

/// Returns the custom metadata in `x-amz-meta-…` headers; `None` if there are no such headers.
///
/// # Errors
/// 400 if a value is not UTF-8.
pub(super) fn user_metadata(headers: &HeaderMap) -> Result<Option<Value>> {
    let mut map = Map::new();
    for header in headers.keys() {
        let Some(name) = header.as_str().strip_prefix("x-amz-meta-") else { continue };
        let lines = headers.get_all(header).iter().map(|line| std::str::from_utf8(line.as_bytes()));
        let lines = lines.collect::<Result<Vec<_>, _>>();
        let lines = lines.map_err(|_| Error::InvalidRequest(format!("The value of {header} is not UTF-8")))?;
        map.insert(name.to_owned(), Value::String(lines.join(",")));
    }
    Ok((!map.is_empty()).then_some(Value::Object(map)))
}

/// Handles PutObject. Replaces an existing object, unless a conditional header of the request forbids it.
pub(crate) async fn put(request: S3Request, body: Body) -> Result<Response> {
    let (state, identity) = (&request.state, &request.identity);
    let mut details = details(identity.headers())?;
    let preconditions = Preconditions::of(identity.headers())?;
    let body = payload(&request.signed, identity.headers(), frames(body, state.settings().slow_client))?;
    preconditions.check(state, identity, Operation::S3Upload, &request.path).await?;
    details.checksum = body.checksum;
    let mut path = request.path.clone();
    // S3 tools create folders as empty objects with a trailing slash. These objects are stored under a placeholder name.
    if path.name.ends_with('/') && details.declared_length == Some(0) {
        path.name.push_str(".emptyFolderPlaceholder");
        details.mimetype = MediaType::default();
    }
    let (upsert, if_match) = (preconditions.upsert(), preconditions.etag());
    let target = UploadTarget { path, owner: identity.owner(), upsert, if_match, check_policies: true };
    let upload = Upload { state, identity, operation: Operation::S3Upload, target };
    let stored = upload.store(IncomingFile { details, bytes: body.bytes, trailing: None }).await;
    let stored = stored.map_err(|error| preconditions.refusal(error))?;
    let mut response = (StatusCode::OK, [(ETAG, format!("\"{}\"", stored.etag))]).into_response();
    show_checksum(response.headers_mut(), stored.checksum.as_ref());
    versions::describe(response.headers_mut(), stored.version.as_deref(), false);
    Ok(response)
}

pub(super) fn show_checksum(headers: &mut HeaderMap, checksum: Option<&Checksum>) {
    if let Some(checksum) = checksum {
        put_header(headers, HeaderName::from_static(checksum.algorithm.header()), &checksum.value);
        headers.insert("x-amz-checksum-type", HeaderValue::from_static("FULL_OBJECT"));
    }
}

/// Parses the object path and the object's version id in the header `x-amz-copy-source`.
pub(super) fn copy_source(headers: &HeaderMap) -> Result<(ObjectPath, Option<String>)> {
    let sent = headers.get("x-amz-copy-source").map_or(&[][..], HeaderValue::as_bytes);
    let text = std::str::from_utf8(sent).map_err(|_| Error::MissingParameter("CopySource"))?;
    let (path, version) = text.split_once("?versionId=").map_or((text, None), |(path, version)| (path, Some(version)));
    let decoded = percent_decode_str(path).decode_utf8().map_err(|_| Error::BadUrl(path.to_owned()))?;
    let (bucket, key) = decoded.trim_start_matches('/').split_once('/').ok_or(Error::MissingParameter("CopySource"))?;
    Ok((ObjectPath::new(bucket, key), version.map(str::to_owned)))
}

/// Handles CopyObject.
pub(crate) async fn copy(request: S3Request) -> Result<Response> {
    let headers = request.headers();
    let (source, source_version) = copy_source(headers)?;
    let changes = match header(headers, "x-amz-metadata-directive") {
        None | Some("COPY") => MetadataChanges::default(),
        Some("REPLACE") => MetadataChanges {
            cache_control: Some(CacheControl::new(header(headers, "cache-control"))?),
            mimetype: Some(header(headers, "content-type").map(MediaType::parse_or_default).unwrap_or_default()),
            // Without such headers the copy has no custom metadata, even if it replaces an object with custom metadata.
            user_metadata: Some(Some(user_metadata(headers)?.unwrap_or_else(|| json!({})))),
            representation: Some(Representation::of_headers(headers)?),
        },
        Some(other) => {
            return Err(Error::S3(400, "InvalidArgument", format!("Unknown metadata directive: {other}")));
        }
    };
    let (state, identity, operation) = (&request.state, &request.identity, Operation::S3ObjectCopy);
    let preconditions = Preconditions::of(headers)?;
    preconditions.check(state, identity, operation, &request.path).await?;
    let of_source = Some(Conditions::of_copy_source(headers));
    let wanted = Wanted { upsert: preconditions.upsert(), if_match: preconditions.etag(), of_source };
    let paths = CopyPaths { source, source_version, destination: request.path.clone() };
    let copied = copy::copy(state, identity, operation, &paths, wanted, changes).await;
    let copied = copied.map_err(|error| preconditions.refusal(error))?;
    let mut document = Document::new("CopyObjectResult");
    let object = &copied.object;
    document.optional("ETag", object.meta().etag).optional("LastModified", object.updated_at.map(iso));
    let mut response = document.into_response();
    versions::describe(response.headers_mut(), copied.version.as_deref(), false);
    if let Some(version) = &copied.source_version {
        put_header(response.headers_mut(), HeaderName::from_static("x-amz-copy-source-version-id"), version);
    }
    Ok(response)
}
