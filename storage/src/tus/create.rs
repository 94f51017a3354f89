//! `POST /upload/resumable`: creates a resumable upload, optionally with its first bytes.

use axum::body::Body;
use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::authorization::{Authorization, Upload};
use super::error::{Result, TusError};
use super::finish;
use super::headers::{self, ExpectedDigest, Metadata, PROTOCOL_VERSION, check_version, length_or_deferred};
use super::lock::UploadLock;
use super::receive::{Receiving, receive};
use super::record::Record;
use super::upload_url::UploadId;
use crate::backend::BlobKey;
use crate::db::buckets::BucketRules;
use crate::error::Error;
use crate::http_headers::http_date;
use crate::operation::Operation;
use crate::request::MaybeAuthenticated;
use crate::state::StorageState;
use crate::upload::authorize::find_bucket;
use crate::validation::media_type::MediaType;
use crate::validation::{file_size, media_type, names};

pub(crate) async fn create(state: State<StorageState>, identity: MaybeAuthenticated, body: Body) -> Result<Response> {
    Authorization::by_token(&identity)?;
    begin(state, identity, body, Operation::TusCreate).await
}

pub(crate) async fn create_signed(
    state: State<StorageState>,
    identity: MaybeAuthenticated,
    body: Body,
) -> Result<Response> {
    begin(state, identity, body, Operation::TusCreateSigned).await
}

async fn begin(
    State(state): State<StorageState>,
    identity: MaybeAuthenticated,
    body: Body,
    operation: Operation,
) -> Result<Response> {
    let signed = operation == Operation::TusCreateSigned;
    let headers = identity.headers();
    check_version(headers)?;
    headers::check_not_concatenated(headers)?;
    let length = length_or_deferred(headers)?;
    let metadata = Metadata::of(headers)?;
    let expected = ExpectedDigest::of(headers)?;
    names::valid_bucket(&metadata.path.bucket)?;
    names::valid_object(&metadata.path.name)?;
    let id = UploadId { path: metadata.path.clone(), version: BlobKey::fresh() };
    let authorization = match signed {
        true => Authorization::by_signed_url(&state, &identity, &id.path)?,
        false => Authorization::by_token(&identity)?,
    };
    let upload = Upload {
        id: &id,
        content_type: metadata.content_type.as_ref(),
        length,
        user_metadata: metadata.user_metadata.as_ref(),
    };
    // Check the bucket before the RLS policies. If the bucket is missing, the policy check would only report a violated foreign key.
    let rules = find_bucket(&state, &id.path.bucket).await?.into();
    authorization.check(&state, operation, &upload, Some(length.unwrap_or(0))).await?;
    let limit = max_upload_bytes(&state, &rules);
    if length.is_some_and(|length| length > limit) {
        return Err(TusError::TOO_LARGE);
    }
    check_type(&rules, metadata.content_type.as_ref())?;
    state.capacity().check(length.unwrap_or(0))?;

    let network = authorization.identity.network();
    let location = id.location(state.settings(), headers, signed);
    let mut record =
        Record::insert(&state, id, length, metadata, &authorization.owner, authorization.upsert, network).await?;
    let has_bytes = headers::has_bytes(headers);
    if has_bytes {
        let lock = UploadLock::acquire(state.database(), state.upload_locks(), record.id.version).await?;
        let limit = length.unwrap_or(limit);
        let receiving = Receiving { state, lock, record, authorization, operation, limit, expected };
        record = receive(receiving, body).await?;
    } else if record.is_whole() {
        let lock = UploadLock::acquire(state.database(), state.upload_locks(), record.id.version).await?;
        finish::finish(&state, &mut record, &authorization.identity, operation).await?;
        lock.release().await;
    }
    let mut response = (StatusCode::CREATED, progress(&record, has_bytes)).into_response();
    let location = HeaderValue::from_str(&location)
        .map_err(|source| Error::Internal { context: "writing a location", source: source.into() })?;
    response.headers_mut().insert(LOCATION, location);
    Ok(response)
}

/// Maximum size of a resumable upload into a bucket in bytes. As in Supabase Storage, a bucket limit of 0 means no limit.
pub(super) fn max_upload_bytes(state: &StorageState, rules: &BucketRules) -> u64 {
    file_size::effective(state.settings().file_size_limit, rules.file_size_limit.filter(|limit| *limit > 0))
}

/// Checks the declared media type against the bucket's list. If no type is declared, it is detected from the content when the upload is
/// complete. An empty list allows no type; `None` allows all types.
fn check_type(rules: &BucketRules, content_type: Option<&MediaType>) -> Result<()> {
    match (content_type, &rules.allowed_mime_types) {
        (Some(content_type), Some(allowed)) => Ok(media_type::check_allowed(content_type, allowed)?),
        _ => Ok(()),
    }
}

/// Returns the response headers with the progress of a resumable upload.
pub(super) fn progress(record: &Record, with_offset: bool) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("tus-resumable", HeaderValue::from_static(PROTOCOL_VERSION));
    if with_offset {
        headers.insert("upload-offset", record.offset().into());
    }
    if record.completed {
        headers.insert("tus-complete", HeaderValue::from_static("1"));
    } else if let Ok(expires) = HeaderValue::from_str(&http_date(record.expires_at)) {
        headers.insert("upload-expires", expires);
    }
    headers
}
