//! Uploads in parts, as a whole: begun, completed, given up, listed. The parts are blobs of their own until then.

use axum::body::Body;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use md5::{Digest, Md5};
use serde::Deserialize;
use serde_json::Value;

use super::put::details;
use super::xml::{self, Document};
use super::{S3Request, chunked, patience};
use crate::backend::{BlobKey, Piece};
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::json;
use crate::rows::bucket::Rules;
use crate::rows::iso;
use crate::rows::multipart::{self as rows, Begun, Part, Upload};
use crate::rows::write::NewObject;
use crate::rules::mime::MediaType;
use crate::state::StorageState;
use crate::strip::{Blob, strip};
use crate::upload::Details;
use crate::upload::body::frames;
use crate::upload::commit::{self, Finished, Loose};
use crate::upload::head;
use crate::upload::permit::{self, trial_metadata};
use crate::upload::pipeline::{Target, admit, size_limit};

/// CreateMultipartUpload
pub(crate) async fn create(request: S3Request) -> Result<Response> {
    let (state, asking, operation) = (&request.state, &request.asking, Operation::S3MultipartCreate);
    let details = Details { declared_length: None, ..details(asking.headers()) };
    let (bucket, name) = (request.bucket.clone(), request.key.clone());
    let target = Target { bucket, name, owner: asking.owner(), upsert: true, ask: true };
    admit(state, asking, operation, (&target, None), &details).await?;
    let metadata = serde_json::json!({ "mimetype": details.mimetype.as_str(), "cacheControl": details.cache_control });
    let id = BlobKey::fresh();
    let upload = Upload {
        id: id.to_string(),
        owner_id: asking.owner().id,
        user_metadata: details.user_metadata,
        metadata: Some(metadata),
    };
    let begun =
        Begun { id: id.uuid(), network: asking.network(), allowed: state.settings().visitors.unfinished_uploads };
    rows::insert(state.database().admin(), (&request.bucket, &request.key), &begun, &upload).await?;
    let mut document = Document::new("InitiateMultipartUploadResult");
    document.element("Bucket", &request.bucket).element("Key", &request.key).element("UploadId", id);
    Ok(document.into_response())
}

/// Asks the policies whether the caller may write at the key, as for any upload that overwrites. Returns the bucket's rules.
pub(super) async fn ask(
    request: &S3Request,
    operation: Operation,
    mimetype: Option<&MediaType>,
    user_metadata: Option<&Value>,
) -> Result<Rules> {
    let owner = request.asking.owner();
    let wanted = NewObject {
        bucket: &request.bucket,
        name: &request.key,
        owner: &owner,
        upsert: true,
        metadata: &trial_metadata(mimetype, None),
        user_metadata,
    };
    permit::ask(&request.state, &request.asking, operation, &wanted, None).await
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

/// CompleteMultipartUpload
pub(crate) async fn complete(mut request: S3Request, body: Body) -> Result<Response> {
    let operation = Operation::S3MultipartComplete;
    let id = request.param("uploadId").unwrap_or_default();
    let body = frames(body, request.state.settings().slow_client);
    let body = json::gather(chunked::payload(&request.signed, body)).await?;
    let completion: Completion = xml::read(&body)?;
    let (state, asking) = (&request.state, &request.asking);
    let mut tx = asking.begin_service(state, operation).await?;
    // In this order: an upload that is still there after its parts were read was there with all of them.
    let stored = rows::parts(&mut tx, &id).await?;
    let upload = rows::find(&mut tx, (&request.bucket, &request.key), &id).await;
    tx.rollback().await?;
    let upload = match upload {
        Err(Error::NoSuchUpload) => return Ok(completed(&request, &id).await?.into_response()),
        found => found?,
    };
    let rules = ask(&request, operation, mimetype(&upload).as_ref(), upload.user_metadata.as_ref()).await?;
    let chosen = chosen(&completion.parts, &stored)?;
    // Parts that came at the same time did not know of each other.
    if pieces(&chosen)?.iter().map(|piece| piece.size).sum::<u64>() > size_limit(state, &rules, &request.key) {
        return Err(Error::EntityTooLarge);
    }
    let resource = format!("{}/{}", request.bucket, request.key);
    patience::answer(resource, put_together(request, upload, rules, chosen, stored)).await
}

/// The answer to a client that completes an upload again, as it may when it has not heard the first answer.
async fn completed(request: &S3Request, id: &str) -> Result<Document> {
    let at = (request.bucket.as_str(), request.key.as_str());
    let etag = rows::completed(request.state.database().admin(), at, id).await?.ok_or(Error::NoSuchUpload)?;
    ask(request, Operation::S3MultipartComplete, None, None).await?;
    Ok(result(request, &etag))
}

fn result(request: &S3Request, etag: &str) -> Document {
    let mut document = Document::new("CompleteMultipartUploadResult");
    let location = format!("{}/{}", request.bucket, request.key);
    document.element("Location", location).element("Bucket", &request.bucket).element("Key", &request.key);
    document.element("ETag", format!("\"{etag}\""));
    document
}

/// Makes the chosen parts the object, and forgets all that were stored.
async fn put_together(
    request: S3Request,
    upload: Upload,
    rules: Rules,
    chosen: Vec<Part>,
    stored: Vec<Part>,
) -> Result<Document> {
    let operation = Operation::S3MultipartComplete;
    let (state, asking) = (&request.state, &request.asking);
    let (key, etag) = (BlobKey::fresh(), entity_tag(&chosen)?);
    let size = match state.backend().concatenate(key, pieces(&chosen)?).await {
        Ok(size) => size,
        // A client that asks twice at once: the other request has been quicker, and the parts are gone.
        Err(error) => return completed(&request, &upload.id).await.map_err(|_| error),
    };
    let mut loose = Loose::new(state, key);
    let declared = Some(mimetype(&upload).unwrap_or_default());
    let mimetype = head::check_stored(state, &rules, &request.key, declared, (key, size)).await?;
    let mut blob = Blob { key, size, etag };
    if let Some(stripped) = strip(state, &request.bucket, &blob).await? {
        loose = Loose::new(state, stripped.key);
        blob = stripped;
    }
    let Blob { key, size, etag } = blob;
    let cache_control = upload.text("cacheControl").unwrap_or("no-cache");
    let finished = Finished {
        bucket: request.bucket.clone(),
        name: request.key.clone(),
        owner: asking.owner(),
        upsert: true,
        key,
        metadata: commit::metadata(&etag, size, &mimetype, cache_control, None),
        user_metadata: Some(upload.user_metadata.clone().unwrap_or_else(|| serde_json::json!({}))),
    };
    loose.take();
    commit::commit(state, asking, operation, finished).await?;
    rows::complete(state.database().admin(), (&request.bucket, &request.key), &upload.id, &etag).await?;
    discard_parts(state, &stored).await;
    Ok(result(&request, &etag))
}

fn mimetype(upload: &Upload) -> Option<MediaType> {
    upload.text("mimetype").map(MediaType::parse_or_default)
}

async fn discard_parts(state: &StorageState, parts: &[Part]) {
    for part in parts {
        commit::discard_version(state, Some(&part.version)).await;
    }
}

/// Where the bytes of some parts lie.
fn pieces(parts: &[Part]) -> Result<Vec<Piece>> {
    let piece =
        |part: &Part| Ok(Piece { key: BlobKey::of_version(Some(&part.version))?, size: part.size.unsigned_abs() });
    parts.iter().map(piece).collect()
}

/// The entity tag of an object that came in parts, in Amazon's form: the MD5 of the parts' MD5s, and their number. The MD5 of the
/// whole could be had only by reading it all again, which for some gigabytes takes longer than clients wait.
fn entity_tag(parts: &[Part]) -> Result<String> {
    let unreadable = |source: hex::FromHexError| Error::Internal {
        context: "reading the entity tag of a part",
        source: source.into(),
    };
    let mut md5 = Md5::new();
    for part in parts {
        md5.update(hex::decode(part.etag.trim_matches('"')).map_err(unreadable)?);
    }
    Ok(format!("{}-{}", hex::encode(md5.finalize()), parts.len()))
}

/// The parts that the client names, in order, each as it was stored. Both are in the order of their numbers.
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

/// AbortMultipartUpload
pub(crate) async fn abort(mut request: S3Request) -> Result<Response> {
    let operation = Operation::S3MultipartAbort;
    let id = request.param("uploadId").unwrap_or_default();
    let mut tx = request.asking.begin_service(&request.state, operation).await?;
    let upload = rows::find(&mut tx, (&request.bucket, &request.key), &id).await?;
    let parts = rows::parts(&mut tx, &id).await?;
    tx.rollback().await?;
    ask(&request, operation, None, upload.user_metadata.as_ref()).await?;
    let mut tx = request.asking.begin_service(&request.state, operation).await?;
    rows::delete(&mut tx, &id).await?;
    tx.commit().await?;
    discard_parts(&request.state, &parts).await;
    Ok(StatusCode::OK.into_response())
}

/// ListMultipartUploads
pub(crate) async fn list(mut request: S3Request) -> Result<Response> {
    let prefix = request.param("prefix").unwrap_or_default();
    let mut tx = request.asking.begin(&request.state, Operation::S3MultipartList).await?;
    let uploads = rows::list(&mut tx, &request.bucket, &prefix).await?;
    tx.commit().await?;
    let mut document = Document::new("ListMultipartUploadsResult");
    document.element("Bucket", &request.bucket).element("Prefix", &prefix).element("IsTruncated", false);
    for (key, id, created_at) in uploads {
        document.nested("Upload", |shown| {
            shown.element("Key", key).element("UploadId", id).element("Initiated", iso(created_at));
        });
    }
    Ok(document.into_response())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn part(bytes: &[u8]) -> Part {
        let etag = hex::encode(Md5::digest(bytes));
        Part { number: 1, size: 0, etag, version: String::new(), created_at: chrono::Utc::now() }
    }

    #[test]
    fn the_entity_tag_is_amazons() {
        // As `printf` and `md5sum` have it: the sum of the sums of `a` and `b`, in binary.
        assert_eq!(entity_tag(&[part(b"a"), part(b"b")]).unwrap(), "96e024ba2074fe77e8e965ba43a704be-2");
        assert_eq!(entity_tag(&[part(b"a")]).unwrap(), format!("{}-1", hex::encode(Md5::digest(Md5::digest(b"a")))));
        assert!(entity_tag(&[Part { etag: "\"x\"".to_owned(), ..part(b"") }]).is_err());
    }
}
