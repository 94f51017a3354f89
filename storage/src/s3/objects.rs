//! Handles S3 operations that read and delete objects.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LANGUAGE, EXPIRES};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use cloch_sql::caller::SERVICE_ROLE;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::payload::payload;
use super::put_object::show_checksum;
use super::request::S3Request;
use super::xml::{self, Document};
use super::{part_number, versions};
use crate::db::objects::{self, Object};
use crate::db::transaction::{Tx, set_role};
use crate::db::versions::{self as rows, Deletion, Version};
use crate::error::{Error, Result};
use crate::fields::MAX_ITEMS;
use crate::http_headers::put;
use crate::model::content_headers;
use crate::model::meta::Meta;
use crate::model::object_path::ObjectPath;
use crate::operation::Operation;
use crate::read::response::{ResponseOptions, head_response, object_response};
use crate::request::body::frames;
use crate::request::json_body;
use crate::upload::authorize::find_bucket;
use crate::upload::checksum::Checksum;
use crate::upload::commit;
use crate::upload::preconditions::{not_implemented, require_deleted};
use crate::validation::media_type::MediaType;

/// Maximum length of the value of an `x-amz-meta-…` header in bytes.
const MAX_METADATA_HEADER_BYTES: usize = 8 * 1024;

/// Handles GetObject. An overwrite may delete the blob after the object's row is read. In this case, loads and sends the new object.
pub(crate) async fn get(mut request: S3Request) -> Result<Response> {
    let found = find(&request, Operation::S3ObjectGet).await?;
    match read(&mut request, &found).await {
        Err(missing @ Error::BlobMissing(_)) => {
            let current = find(&request, Operation::S3ObjectGet).await?;
            if current.0.version == found.0.version { Err(missing) } else { read(&mut request, &current).await }
        }
        outcome => outcome,
    }
}

async fn read(request: &mut S3Request, (object, version): &Found) -> Result<Response> {
    let meta = object.meta();
    let (bytes, parts) = part_number::bytes(request, &meta)?;
    let options = ResponseOptions::default();
    let mut response = object_response(&request.state, request.headers(), &meta, &options, bytes).await?;
    finish(request, &mut response, object, version.as_deref(), parts);
    Ok(response)
}

/// Sets the response headers of the S3 protocol, and the response headers that the query of the request overrides (`response-…`
/// parameters).
fn finish(
    request: &mut S3Request,
    response: &mut Response,
    object: &Object,
    version: Option<&str>,
    parts: Option<u64>,
) {
    let (is_whole, meta) = (response.status() == StatusCode::OK, object.meta());
    let headers = response.headers_mut();
    describe(headers, object, &meta);
    versions::describe(headers, version, false);
    if is_whole {
        describe_checksum(request, headers, object);
    }
    if let Some(parts) = parts {
        headers.insert("x-amz-mp-parts-count", parts.into());
    }
    override_headers(headers, request, &meta);
}

/// Sets response headers that a presigned URL overrides (`response-…` parameters). The values are untrusted: the signer of the URL may have
/// signed any value.
fn override_headers(headers: &mut HeaderMap, request: &mut S3Request, meta: &Meta) {
    let mut media_type = meta.media_type();
    if let Some(wanted) = request.param("response-content-type") {
        media_type = MediaType::parse_or_default(&wanted);
        content_headers::set(headers, &media_type);
        meta.representation.send(headers, &media_type);
    }
    if let Some(wanted) = request.param("response-content-disposition") {
        content_headers::set_disposition(headers, &media_type, &wanted);
    }
    for (parameter, header) in [
        ("response-cache-control", CACHE_CONTROL),
        ("response-content-encoding", CONTENT_ENCODING),
        ("response-content-language", CONTENT_LANGUAGE),
        ("response-expires", EXPIRES),
    ] {
        if let Some(wanted) = request.param(parameter) {
            put(headers, header, &wanted);
        }
    }
}

/// Handles HeadObject. Unlike ordinary HTTP HEAD requests, HeadObject supports ranges.
pub(crate) async fn head(mut request: S3Request) -> Result<Response> {
    let (object, version) = find(&request, Operation::S3ObjectInfo).await?;
    let meta = object.meta();
    let (bytes, parts) = part_number::bytes(&mut request, &meta)?;
    let mut response = head_response(request.headers(), &meta, &ResponseOptions::default(), bytes)?;
    finish(&mut request, &mut response, &object, version.as_deref(), parts);
    Ok(response)
}

/// An object, and its version id if the bucket keeps versions or the request contains a version id.
type Found = (Object, Option<String>);

/// Sets the header with the object's stored checksum if the client requests it.
fn describe_checksum(request: &S3Request, headers: &mut HeaderMap, object: &Object) {
    if request.header("x-amz-checksum-mode").is_some_and(|mode| mode.eq_ignore_ascii_case("enabled")) {
        show_checksum(headers, Checksum::of_metadata(object.metadata.as_ref()).as_ref());
    }
}

/// Handles GetObjectTagging. Objects have no tags.
pub(crate) async fn tags(request: S3Request) -> Result<Response> {
    find(&request, Operation::S3ObjectTagging).await?;
    let mut document = Document::new("Tagging");
    document.nested("TagSet", |_| {});
    Ok(document.into_response())
}

/// Returns the object with its version id, or the version that the query parameter `versionId` selects.
pub(super) async fn find(request: &S3Request, operation: Operation) -> Result<Found> {
    let (identity, database) = (&request.identity, request.state.database());
    let Some(wanted) = request.version_id() else {
        let mut tx = identity.begin(database, operation).await?;
        let (object, is_versioned) = objects::find_versioned(&mut tx, &request.path).await?.ok_or(Error::NoSuchKey)?;
        let version = object.version.clone().filter(|_| is_versioned);
        return Ok((object, version));
    };
    let mut tx = identity.begin_as_service(database, operation).await?;
    let found = rows::find(&mut tx, identity.caller().role(), &request.path, wanted).await?;
    let found = found.ok_or_else(versions::no_such_version)?;
    if found.is_delete_marker {
        return Err(versions::is_delete_marker());
    }
    let version = found.s3_id().to_owned();
    Ok((found.into_object()?, Some(version)))
}

/// Sets the response headers of the S3 protocol. The content type is the stored type, even for HTML, because tools compare it. Browsers
/// download HTML files instead of showing them.
fn describe(headers: &mut HeaderMap, object: &Object, meta: &Meta) {
    let media_type = meta.media_type();
    content_headers::set(headers, &media_type);
    meta.representation.send(headers, &media_type);
    let mut unprintable = 0_u64;
    for (name, value) in object.user_metadata.iter().filter_map(Value::as_object).flatten() {
        let header = HeaderName::try_from(format!("x-amz-meta-{}", name.to_ascii_lowercase()));
        match (header, value) {
            (Ok(header), Value::String(value)) if is_header_text(value) => put(headers, header, value),
            _ => unprintable += 1,
        }
    }
    if unprintable > 0 {
        headers.insert("x-amz-missing-meta", unprintable.into());
    }
}

/// Whether a custom metadata value can be sent in a header: printable US-ASCII of at most [`MAX_METADATA_HEADER_BYTES`].
fn is_header_text(text: &str) -> bool {
    text.len() <= MAX_METADATA_HEADER_BYTES && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// Handles DeleteObject.
pub(crate) async fn delete(request: S3Request) -> Result<Response> {
    find_bucket(&request.state, &request.path.bucket).await?;
    if let Some(version) = request.version_id() {
        return delete_version(&request, version).await;
    }
    let (role, database) = (request.identity.caller().role(), request.state.database());
    let mut tx = request.identity.begin_as_service(database, Operation::S3ObjectDelete).await?;
    let names = std::slice::from_ref(&request.path.name);
    let deleted = objects::delete(&mut tx, role, &request.path.bucket, names).await?;
    set_role(&mut tx, role).await?;
    if deleted.is_empty() && objects::find(&mut tx, &request.path).await?.is_some() {
        return Err(Error::AccessDenied("Access denied".to_owned()));
    }
    // Check the conditional headers of the request. The deleted row is locked, so the object has not changed since the deletion.
    require_deleted(request.headers(), deleted.first().and_then(|deleted| deleted.object.metadata.as_ref()))?;
    tx.commit().await?;
    commit::discard_deleted(&request.state, &deleted);
    let mut response = StatusCode::NO_CONTENT.into_response();
    let marker = deleted.first().and_then(|deleted| deleted.marker.as_deref());
    versions::describe(response.headers_mut(), marker, marker.is_some());
    Ok(response)
}

/// Permanently deletes an object version. Succeeds if the version does not exist.
async fn delete_version(request: &S3Request, version: &str) -> Result<Response> {
    let (role, database) = (request.identity.caller().role(), request.state.database());
    let mut tx = request.identity.begin_as_service(database, Operation::S3ObjectDelete).await?;
    let gone = rows::delete(&mut tx, role, &request.path, version, Deletion::ForGood).await?;
    require_deleted(request.headers(), gone.as_ref().and_then(|gone| gone.metadata.as_ref()))?;
    tx.commit().await?;
    commit::discard_versions(&request.state, gone.as_slice());
    let mut response = StatusCode::NO_CONTENT.into_response();
    let is_marker = gone.is_some_and(|gone| gone.is_delete_marker);
    versions::describe(response.headers_mut(), Some(version), is_marker);
    Ok(response)
}

/// Permanently deletes an object version in a DeleteObjects request, and returns the deleted version. `None` if the version does not exist
/// or the caller cannot see it.
///
/// DeleteObject is different: a request to delete a version that the caller cannot see is refused. This response reveals that the version
/// exists, but guessing is slow, because the refusal of a single request is delayed.
async fn delete_visible(tx: &mut Tx, role: &str, path: &ObjectPath, version: &str) -> Result<Option<Version>> {
    set_role(tx, SERVICE_ROLE).await?;
    match rows::delete(tx, role, path, version, Deletion::ForGood).await {
        Err(Error::AccessDenied(reason)) => {
            set_role(tx, SERVICE_ROLE).await?;
            match rows::find(tx, role, path, version).await? {
                Some(_) => Err(Error::AccessDenied(reason)),
                None => Ok(None),
            }
        }
        outcome => outcome,
    }
}

/// Body of DeleteObjects.
#[derive(Debug, Deserialize)]
pub(crate) struct Delete {
    #[serde(rename = "Object", default)]
    objects: Vec<Named>,
    /// Whether the response contains only errors.
    #[serde(rename = "Quiet", default)]
    quiet: bool,
}

#[derive(Debug, Deserialize)]
struct Named {
    #[serde(rename = "Key")]
    key: String,
    #[serde(rename = "VersionId")]
    version: Option<String>,
    // Deletion conditions (such as the entity tag) are parsed so that they are refused instead of being ignored.
    #[serde(rename = "ETag")]
    etag: Option<IgnoredAny>,
    #[serde(rename = "LastModifiedTime")]
    last_modified: Option<IgnoredAny>,
    #[serde(rename = "Size")]
    size: Option<IgnoredAny>,
}

impl Named {
    fn has_condition(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some() || self.size.is_some()
    }
}

/// Handles DeleteObjects.
pub(crate) async fn delete_many(request: S3Request, body: Body) -> Result<Response> {
    let body = frames(body, request.state.settings().slow_client);
    let body = json_body::gather(payload(&request.signed, request.headers(), body)?.bytes).await?;
    find_bucket(&request.state, &request.path.bucket).await?;
    let wanted: Delete = xml::read(&body)?;
    if !(1..=MAX_ITEMS).contains(&wanted.objects.len()) {
        return Err(Error::S3(400, "MalformedXML", format!("A request deletes 1 to {MAX_ITEMS} objects")));
    }
    if wanted.objects.iter().any(Named::has_condition) {
        return Err(not_implemented());
    }
    let quiet = wanted.quiet;
    let (with_version, without): (Vec<Named>, Vec<Named>) =
        wanted.objects.into_iter().partition(|named| named.version.as_deref().is_some_and(|text| !text.is_empty()));
    let names: Vec<String> = without.into_iter().map(|object| object.key).collect();
    let (role, database) = (request.identity.caller().role(), request.state.database());
    let bucket = &request.path.bucket;
    let mut tx = request.identity.begin_as_service(database, Operation::S3ObjectDeleteMany).await?;
    let deleted = objects::delete(&mut tx, role, bucket, &names).await?;
    // Objects that the caller cannot see are treated as absent. Otherwise a client could send a list of guessed object names and find out
    // which hidden objects exist.
    set_role(&mut tx, role).await?;
    let kept = objects::find_names(&mut tx, bucket, &names).await?;
    let mut document = Document::new("DeleteResult");
    for name in &names {
        let one = deleted.iter().find(|deleted| deleted.object.name == *name);
        let marker = one.and_then(|one| one.marker.as_deref());
        let done = (!kept.contains(name)).then_some((marker.is_some(), marker));
        if !quiet || done.is_none() {
            show_deletion(&mut document, name, None, done);
        }
    }
    let mut gone = Vec::new();
    for Named { key, version, .. } in with_version {
        let version = version.unwrap_or_default();
        let path = ObjectPath::new(bucket, &key);
        let done = match delete_visible(&mut tx, role, &path, &version).await {
            Ok(one) => {
                let is_marker = one.as_ref().is_some_and(|one| one.is_delete_marker);
                gone.extend(one);
                Some(is_marker)
            }
            Err(Error::AccessDenied(_)) => None,
            Err(error) => return Err(error),
        };
        let done = done.map(|is_marker| (is_marker, Some(version.as_str()).filter(|_| is_marker)));
        if !quiet || done.is_none() {
            show_deletion(&mut document, &key, Some(&version), done);
        }
    }
    tx.commit().await?;
    commit::discard_deleted(&request.state, &deleted);
    commit::discard_versions(&request.state, &gone);
    Ok(document.into_response())
}

/// Writes the result of one deletion into the XML response. `done` is `None` if the deletion was refused. Otherwise it contains whether a
/// delete marker was created or deleted, and the version id of this marker.
fn show_deletion(document: &mut Document, key: &str, version: Option<&str>, done: Option<(bool, Option<&str>)>) {
    let Some((is_marker, marker)) = done else {
        document.nested("Error", |shown| {
            shown.element("Key", key).optional("VersionId", version);
            shown.element("Code", "AccessDenied").element("Message", "Access Denied");
        });
        return;
    };
    document.nested("Deleted", |shown| {
        shown.element("Key", key).optional("VersionId", version);
        shown.optional("DeleteMarker", is_marker.then_some(true)).optional("DeleteMarkerVersionId", marker);
    });
}
