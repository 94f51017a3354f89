//! Handles S3 multipart uploads: creation, completion and abortion. The parts are separate blobs until the upload is completed.

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use md5::{Digest, Md5};
use serde::Deserialize;
use serde_json::Value;

use super::keep_alive_response;
use super::payload::{compare, declared, payload};
use super::put_object::details;
use super::request::S3Request;
use super::xml::{self, Document};
use crate::backend::{BlobKey, Piece};
use crate::db::buckets::BucketRules;
use crate::db::multipart_uploads::{self as rows, MultipartUpload, NewUpload, Part};
use crate::db::write_object::NewObject;
use crate::error::{Error, Result};
use crate::model::blob::StoredBlob;
use crate::model::meta::PART_SIZE;
use crate::model::representation::Representation;
use crate::operation::Operation;
use crate::request::body::frames;
use crate::request::json_body;
use crate::state::StorageState;
use crate::upload::authorize::{self, trial_metadata};
use crate::upload::checksum::{Algorithm, Checksum};
use crate::upload::commit::{self, NewVersion, UncommittedBlob};
use crate::upload::first_bytes;
use crate::upload::limits::max_file_bytes;
use crate::upload::preconditions::Preconditions;
use crate::upload::request::FileDetails;
use crate::upload::{Upload, UploadTarget};
use crate::validation::media_type::MediaType;

/// Handles CreateMultipartUpload.
pub(crate) async fn create(request: S3Request) -> Result<Response> {
    let (state, identity, operation) = (&request.state, &request.identity, Operation::S3MultipartCreate);
    let details = FileDetails { declared_length: None, ..details(identity.headers())? };
    let owner = identity.owner();
    let target = UploadTarget {
        path: request.path.clone(),
        owner: owner.clone(),
        upsert: true,
        if_match: None,
        check_policies: true,
    };
    Upload { state, identity, operation, target }.admit(&details, None).await?;
    let mut metadata =
        serde_json::json!({ "mimetype": details.mimetype.as_str(), "cacheControl": details.cache_control.as_str() });
    details.representation.describe(&mut metadata);
    let id = BlobKey::fresh();
    let upload = MultipartUpload {
        id: id.to_string(),
        owner_id: owner.id,
        user_metadata: details.user_metadata,
        metadata: Some(metadata),
    };
    let new = NewUpload {
        id: id.uuid(),
        network: identity.network(),
        max_unfinished: state.settings().visitors.unfinished_uploads,
    };
    rows::insert(state.database().admin(), &request.path, &new, &upload).await?;
    let mut document = Document::new("InitiateMultipartUploadResult");
    document.element("Bucket", &request.path.bucket).element("Key", &request.path.name).element("UploadId", id);
    Ok(document.into_response())
}

/// Checks that the RLS policies allow the caller to overwrite the object of a multipart upload. Returns the restrictions of the bucket.
pub(super) async fn check_policies(
    request: &S3Request,
    operation: Operation,
    mimetype: Option<&MediaType>,
    user_metadata: Option<&Value>,
) -> Result<BucketRules> {
    let owner = request.identity.owner();
    let wanted = NewObject {
        path: &request.path,
        owner: &owner,
        upsert: true,
        metadata: &trial_metadata(mimetype, None),
        user_metadata,
    };
    authorize::check_policies(&request.state, &request.identity, operation, &wanted, None).await
}

#[derive(Debug, Deserialize)]
struct Completion {
    #[serde(rename = "Part", default)]
    parts: Vec<Claimed>,
}

#[derive(Debug, Deserialize)]
struct Claimed {
    #[serde(rename = "PartNumber")]
    number: i32,
    #[serde(rename = "ETag")]
    etag: String,
}

/// Handles CompleteMultipartUpload.
pub(crate) async fn complete(mut request: S3Request, body: Body) -> Result<Response> {
    let operation = Operation::S3MultipartComplete;
    let id = request.param("uploadId").unwrap_or_default();
    let body = frames(body, request.state.settings().slow_client);
    let completed_object =
        Completed { preconditions: Preconditions::of(request.headers())?, checksum: declared(request.headers())? };
    // The checksum in the headers applies to the completed object, not to the body of this request.
    let headers = without_checksum(request.headers());
    let body = json_body::gather(payload(&request.signed, &headers, body)?.bytes).await?;
    let completion: Completion = xml::read(&body)?;
    let (state, identity) = (&request.state, &request.identity);
    let mut tx = identity.begin_service(state.database(), operation).await?;
    // Read the parts before the upload's row. If the row still exists afterwards, no other request had completed the upload and deleted its
    // parts when the parts were read.
    let stored = rows::parts(&mut tx, &id).await?;
    let upload = rows::find(&mut tx, &request.path, &id).await;
    tx.rollback().await?;
    let upload = match upload {
        Err(Error::NoSuchUpload) => {
            let etags: Vec<&str> = completion.parts.iter().map(|part| part.etag.as_str()).collect();
            return Ok(completed(&request, &id, &etags).await?.into_response());
        }
        found => found?,
    };
    completed_object.preconditions.check(state, identity, operation, &request.path).await?;
    let rules = check_policies(&request, operation, mimetype(&upload).as_ref(), upload.user_metadata.as_ref()).await?;
    let chosen = chosen(&completion.parts, &stored)?;
    // Check the total size again. While several parts are uploaded at the same time, the size check of one part does not include the other
    // parts.
    if pieces(&chosen)?.iter().map(|piece| piece.size).sum::<u64>() > max_file_bytes(state, &rules, &request.path.name)
    {
        return Err(Error::EntityTooLarge);
    }
    let resource = request.path.to_string();
    keep_alive_response::respond(resource, join_parts(request, upload, completed_object, rules, chosen, stored)).await
}

/// Conditions of the request that completes a multipart upload, and the expected checksum of the object.
struct Completed {
    preconditions: Preconditions,
    /// Checksum that the completed object must have.
    checksum: Option<Checksum>,
}

fn show(checksum: &Checksum, document: &mut Document) {
    document.element(&format!("Checksum{}", checksum.algorithm.name()), &checksum.value);
    document.element("ChecksumType", "FULL_OBJECT");
}

fn without_checksum(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    for algorithm in Algorithm::ALL {
        headers.remove(algorithm.header());
    }
    headers
}

/// Checks that a stored blob has the given checksum.
async fn verify(state: &StorageState, blob: &StoredBlob, checksum: &Checksum) -> Result<()> {
    let mut hasher = checksum.algorithm.hasher();
    let mut bytes = state.backend().get(blob.key, 0..blob.size).await?.into_stream();
    while let Some(chunk) = bytes.next().await {
        hasher.update(&chunk?);
    }
    compare(hasher, checksum)
}

/// Returns the response for a multipart upload that is already completed. A client may repeat the request if it has not received the first
/// response. `etags` are the entity tags of the parts in the request.
async fn completed(request: &S3Request, id: &str, etags: &[&str]) -> Result<Document> {
    let pool = request.state.database().admin();
    let etag = rows::completed(pool, &request.path, id).await?.ok_or(Error::NoSuchUpload)?;
    // A list of other parts asks for another object than the one that exists. An entity tag without the number of parts is that of a file
    // whose metadata was removed, so it does not show the parts.
    if etag.contains('-') && entity_tag(etags).ok().as_ref() != Some(&etag) {
        return Err(Error::NoSuchUpload);
    }
    check_policies(request, Operation::S3MultipartComplete, None, None).await?;
    Ok(result(request, &etag))
}

fn result(request: &S3Request, etag: &str) -> Document {
    let mut document = Document::new("CompleteMultipartUploadResult");
    document
        .element("Location", &request.path)
        .element("Bucket", &request.path.bucket)
        .element("Key", &request.path.name);
    document.element("ETag", format!("\"{etag}\""));
    document
}

/// Creates the object from the chosen parts and deletes all stored parts of the multipart upload.
async fn join_parts(
    request: S3Request,
    upload: MultipartUpload,
    wanted: Completed,
    rules: BucketRules,
    chosen: Vec<Part>,
    stored: Vec<Part>,
) -> Result<Document> {
    let operation = Operation::S3MultipartComplete;
    let (state, identity) = (&request.state, &request.identity);
    let etags: Vec<&str> = chosen.iter().map(|part| part.etag.as_str()).collect();
    let (key, etag) = (BlobKey::fresh(), entity_tag(&etags)?);
    let size = match state.backend().concatenate(key, pieces(&chosen)?).await {
        Ok(size) => size,
        // A concurrent request may have completed the multipart upload and deleted the parts.
        Err(error) => return completed(&request, &upload.id, &etags).await.map_err(|_| error),
    };
    let uncommitted = UncommittedBlob::new(state, key);
    let blob = StoredBlob { key, size, etag };
    if let Some(checksum) = &wanted.checksum {
        verify(state, &blob, checksum).await?;
    }
    let declared = Some(mimetype(&upload).unwrap_or_default());
    let mimetype = first_bytes::check_stored(state, &rules, &request.path.name, declared, &blob).await?;
    let representation = Representation::of_metadata(upload.metadata.as_ref());
    let (uncommitted, blob) =
        uncommitted.strip_metadata(&request.path.bucket, blob, (&mimetype, &representation)).await?;
    let cache_control = upload.text("cacheControl").unwrap_or("no-cache");
    let mut metadata = commit::metadata(&blob, &mimetype, cache_control, None);
    representation.describe(&mut metadata);
    if let (Some(map), Some(size), true) = (metadata.as_object_mut(), part_size(&chosen), blob.key == key) {
        map.insert(PART_SIZE.to_owned(), size.into());
    }
    let checksum = wanted.checksum.filter(|_| blob.key == key);
    checksum.iter().for_each(|checksum| checksum.describe(&mut metadata));
    let version = NewVersion {
        path: request.path.clone(),
        owner: identity.owner(),
        upsert: wanted.preconditions.upsert(),
        if_match: wanted.preconditions.etag(),
        key: blob.key,
        metadata,
        user_metadata: Some(upload.user_metadata.clone().unwrap_or_else(|| serde_json::json!({}))),
    };
    uncommitted.commit(identity, operation, version).await.map_err(|error| wanted.preconditions.refusal(error))?;
    rows::complete(state.database().admin(), &request.path, &upload.id, &blob.etag).await?;
    discard_parts(state, &stored).await;
    let mut document = result(&request, &blob.etag);
    checksum.iter().for_each(|checksum| show(checksum, &mut document));
    Ok(document)
}

fn mimetype(upload: &MultipartUpload) -> Option<MediaType> {
    upload.text("mimetype").map(MediaType::parse_or_default)
}

async fn discard_parts(state: &StorageState, parts: &[Part]) {
    for part in parts {
        commit::discard_version(state, Some(&part.version)).await;
    }
}

/// Returns the size of each part except the last, or `None` if these parts have different sizes or the last part is larger. Most tools
/// divide files into parts of equal size.
fn part_size(parts: &[Part]) -> Option<i64> {
    let (last, others) = parts.split_last()?;
    let size = others.first()?.size;
    (others.iter().all(|part| part.size == size) && last.size <= size).then_some(size)
}

/// Returns the blobs of the parts, for their concatenation.
fn pieces(parts: &[Part]) -> Result<Vec<Piece>> {
    let piece =
        |part: &Part| Ok(Piece { key: BlobKey::of_version(Some(&part.version))?, size: part.size.unsigned_abs() });
    parts.iter().map(piece).collect()
}

/// Returns the entity tag of a multipart object in Amazon's format: the MD5 of the parts' MD5s and the number of parts. The MD5 of the
/// whole object is not used, because the object would have to be read again. For an object of several gigabytes, this takes longer than the
/// timeout of clients.
fn entity_tag(etags: &[&str]) -> Result<String> {
    let unreadable = |source: hex::FromHexError| Error::Internal {
        context: "reading the entity tag of a part",
        source: source.into(),
    };
    let mut md5 = Md5::new();
    for etag in etags {
        md5.update(hex::decode(etag.trim_matches('"')).map_err(unreadable)?);
    }
    Ok(format!("{}-{}", hex::encode(md5.finalize()), etags.len()))
}

/// Returns the stored parts that the client's request lists. `stored` must be in ascending order of part numbers.
///
/// # Errors
/// 400 if the request lists no part, a part that is not stored or has another entity tag, or parts that are not in ascending order.
fn chosen(claimed: &[Claimed], stored: &[Part]) -> Result<Vec<Part>> {
    if claimed.is_empty() {
        return Err(Error::S3(400, "MalformedXML", "At least one part is required".to_owned()));
    }
    if claimed.iter().zip(claimed.iter().skip(1)).any(|(first, second)| first.number >= second.number) {
        return Err(Error::S3(400, "InvalidPartOrder", "The list of parts was not in ascending order.".to_owned()));
    }
    let find = |claimed: &Claimed| {
        let at = stored.binary_search_by_key(&claimed.number, |part| part.number).ok();
        let part = at.and_then(|at| stored.get(at));
        let part = part.ok_or_else(|| Error::S3(400, "MissingPart", format!("Part {} is missing", claimed.number)))?;
        if part.etag.trim_matches('"') != claimed.etag.trim_matches('"') {
            return Err(Error::S3(400, "InvalidChecksum", format!("Invalid ETag for part {}", claimed.number)));
        }
        Ok(part.clone())
    };
    claimed.iter().map(find).collect()
}

/// Handles AbortMultipartUpload.
pub(crate) async fn abort(mut request: S3Request) -> Result<Response> {
    let operation = Operation::S3MultipartAbort;
    let id = request.param("uploadId").unwrap_or_default();
    let mut tx = request.identity.begin_service(request.state.database(), operation).await?;
    let upload = rows::find(&mut tx, &request.path, &id).await?;
    let parts = rows::parts(&mut tx, &id).await?;
    tx.rollback().await?;
    check_policies(&request, operation, None, upload.user_metadata.as_ref()).await?;
    let mut tx = request.identity.begin_service(request.state.database(), operation).await?;
    rows::delete(&mut tx, &id).await?;
    tx.commit().await?;
    discard_parts(&request.state, &parts).await;
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn etag(bytes: &[u8]) -> String {
        hex::encode(Md5::digest(bytes))
    }

    #[test]
    fn the_entity_tag_is_amazons() {
        // Expected value computed with `printf` and `md5sum`: the MD5 of the concatenated binary MD5s of `a` and `b`.
        assert_eq!(entity_tag(&[&etag(b"a"), &etag(b"b")]).unwrap(), "96e024ba2074fe77e8e965ba43a704be-2");
        assert_eq!(entity_tag(&[&etag(b"a")]).unwrap(), format!("{}-1", etag(&Md5::digest(b"a"))));
        assert!(entity_tag(&["\"x\""]).is_err());
    }
}
