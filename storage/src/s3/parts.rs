//! Handles S3 operations on the parts of a multipart upload.

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::ETAG;
use axum::response::{IntoResponse, Response};

use super::list_uploads::limit;
use super::payload::payload;
use super::put_object::{copy_source, details, show_checksum};
use super::request::S3Request;
use super::xml::Document;
use super::{copy_range, keep_alive_response, multipart, part_number};
use crate::backend::{BlobKey, ByteStream};
use crate::byte_stream::buffer::buffered;
use crate::byte_stream::digest::Digest;
use crate::conditions::Conditions;
use crate::db::multipart_uploads::{self as rows, Part};
use crate::db::{iso, objects, versions};
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::body::frames;
use crate::state::StorageState;
use crate::upload::commit::{self, UncommittedBlob};
use crate::upload::limits::{limited, max_file_bytes};

const MAX_LISTED_PARTS: i64 = 1000;

/// Handles UploadPart.
pub(crate) async fn upload(mut request: S3Request, body: Body) -> Result<Response> {
    let body = frames(body, request.state.settings().slow_client);
    let body = payload(&request.signed, request.headers(), body)?;
    let declared = details(request.headers())?.declared_length;
    let etag = store(&mut request, Operation::S3Part, declared, Source::Bytes(body.bytes)).await?;
    let mut response = (StatusCode::OK, [(ETAG, format!("\"{etag}\""))]).into_response();
    show_checksum(response.headers_mut(), body.checksum.get());
    response.headers_mut().remove("x-amz-checksum-type");
    Ok(response)
}

/// Handles UploadPartCopy.
pub(crate) async fn copy(mut request: S3Request) -> Result<Response> {
    let (source, version) = copy_source(request.headers())?;
    let (identity, database, operation) = (&request.identity, request.state.database(), Operation::S3PartCopy);
    let object = match version {
        None => {
            let mut tx = identity.begin(database, operation).await?;
            objects::get(&mut tx, &source).await?
        }
        Some(version) => {
            let mut tx = identity.begin_as_service(database, operation).await?;
            versions::get(&mut tx, identity.caller().role(), &source, &version).await?.into_object()?
        }
    };
    let meta = object.meta();
    Conditions::of_copy_source(request.headers()).require(meta.validators())?;
    let size = meta.size.unwrap_or(0);
    let wanted = match request.header("x-amz-copy-source-range") {
        Some(text) => copy_range::parse(text, size)?,
        None => 0..size,
    };
    let (from, length) = (meta.key()?, wanted.end - wanted.start);
    let digest = meta.etag.as_deref().and_then(md5_of);
    let resource = request.path.to_string();
    keep_alive_response::respond(resource, async move {
        let source = match digest.filter(|_| length == size) {
            Some(etag) => Source::Blob { from, size, etag },
            None => Source::Bytes(request.state.backend().get(from, wanted).await?.into_stream()),
        };
        let etag = store(&mut request, Operation::S3PartCopy, Some(length), source).await?;
        let mut document = Document::new("CopyPartResult");
        document.element("ETag", format!("\"{etag}\"")).element("LastModified", iso(chrono::Utc::now()));
        Ok(document)
    })
    .await
}

/// Returns the MD5 of an object's content in lower-case hexadecimal if the entity tag is that MD5. The entity tag of an object that was
/// uploaded in parts is not: it contains a digest of the parts' digests and ends with the number of parts.
fn md5_of(etag: &str) -> Option<String> {
    let digest = etag.trim_matches('"');
    (digest.len() == 32 && hex::decode(digest).is_ok()).then(|| digest.to_owned())
}

/// Source of a multipart upload's part.
enum Source {
    /// Content to be stored and hashed.
    Bytes(ByteStream),
    /// A whole object whose MD5 is known. The backend copies it without reading the content.
    Blob { from: BlobKey, size: u64, etag: String },
}

impl Source {
    /// Stores the content as a blob of at most `room` bytes. Returns the size and entity tag of the blob.
    async fn store(self, state: &StorageState, key: BlobKey, room: u64) -> Result<(u64, String)> {
        match self {
            Self::Bytes(bytes) => {
                let digest = Digest::default();
                let bytes = state.capacity().guard(limited(bytes, room), None)?;
                let size = state.backend().put(key, digest.over(buffered(bytes))).await?;
                Ok((size, digest.hex().await))
            }
            Self::Blob { from, size, etag } => {
                state.capacity().check(size)?;
                state.backend().copy(from, key).await?;
                Ok((size, etag))
            }
        }
    }
}

/// Stores a part of a multipart upload and returns the part's entity tag.
async fn store(request: &mut S3Request, operation: Operation, declared: Option<u64>, source: Source) -> Result<String> {
    let id = request.param("uploadId").unwrap_or_default();
    let number = part_number::of(request)?.map(i32::from).ok_or(Error::MissingParameter("partNumber"))?;
    let (state, identity) = (&request.state, &request.identity);
    let path = &request.path;
    let mut tx = identity.begin_service(state.database(), operation).await?;
    let upload = rows::find(&mut tx, path, &id).await?;
    let others: u64 = rows::parts(&mut tx, &id)
        .await?
        .iter()
        .filter(|part| part.number != number)
        .map(|part| part.size.unsigned_abs())
        .sum();
    tx.rollback().await?;
    let rules = multipart::check_policies(request, operation, None, upload.user_metadata.as_ref()).await?;
    let room = max_file_bytes(state, &rules, &path.name).saturating_sub(others);
    if declared.is_some_and(|declared| declared > room) {
        return Err(Error::EntityTooLarge);
    }

    let key = BlobKey::fresh();
    let (size, etag) = source.store(state, key, room).await?;
    let uncommitted = UncommittedBlob::new(state, key);
    let part = Part {
        number,
        size: i64::try_from(size).unwrap_or(i64::MAX),
        etag,
        version: key.to_string(),
        created_at: chrono::Utc::now(),
    };
    let mut tx = identity.begin_service(state.database(), operation).await?;
    let replaced = rows::insert_part(&mut tx, path, &id, identity.owner().id.as_deref(), &part).await?;
    // From now on, the part's row may be committed even if the connection is lost. Therefore only the periodic cleanup of orphaned blobs
    // may delete the blob.
    uncommitted.release();
    tx.commit().await?;
    for version in replaced {
        commit::discard_version(state, Some(&version)).await;
    }
    Ok(part.etag)
}

/// Handles ListParts, with pagination.
pub(crate) async fn list(mut request: S3Request) -> Result<Response> {
    let max = limit(&mut request, "max-parts", "MaxParts", MAX_LISTED_PARTS)?;
    let id = request.param("uploadId").unwrap_or_default();
    let invalid = || Error::InvalidParameter("Invalid Parameter PartNumberMarker".to_owned());
    let marker: i32 = match request.param("part-number-marker").as_deref() {
        None | Some("") => 0,
        Some(_) => {
            let marker = request.number("part-number-marker").map_err(|_| invalid())?;
            marker.and_then(|marker| i32::try_from(marker).ok()).ok_or_else(invalid)?
        }
    };
    let mut tx = request.identity.begin(request.state.database(), Operation::S3PartsList).await?;
    rows::find(&mut tx, &request.path, &id).await?;
    let parts = rows::parts(&mut tx, &id).await?;
    tx.commit().await?;
    let page = usize::try_from(max).unwrap_or(usize::MAX);
    let mut parts: Vec<Part> = parts.into_iter().filter(|part| part.number > marker).take(page + 1).collect();
    let truncated = parts.len() > page;
    parts.truncate(page);
    let mut document = Document::new("ListPartsResult");
    document.element("Bucket", &request.path.bucket).element("Key", &request.path.name).element("UploadId", &id);
    document.element("StorageClass", "STANDARD").element("PartNumberMarker", marker);
    document.optional("NextPartNumberMarker", parts.last().filter(|_| truncated).map(|last| last.number));
    document.element("MaxParts", max).element("IsTruncated", truncated);
    for part in parts {
        document.nested("Part", |shown| {
            shown
                .element("PartNumber", part.number)
                .element("LastModified", iso(part.created_at))
                .element("ETag", format!("\"{}\"", part.etag.trim_matches('"')))
                .element("Size", part.size);
        });
    }
    Ok(document.into_response())
}
