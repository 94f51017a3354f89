//! `PATCH /upload/resumable/{id}`: appends content to an upload.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::authorization::{Authorization, Upload};
use super::create::{max_upload_bytes, progress};
use super::error::{Result, TusError};
use super::finish::recover;
use super::headers::{self, ExpectedDigest, check_version};
use super::lock::UploadLock;
use super::receive::{Receiving, receive};
use super::record::Record;
use super::upload_url::UploadId;
use crate::http_headers::header;
use crate::operation::Operation;
use crate::request::MaybeAuthenticated;
use crate::state::StorageState;
use crate::upload::authorize::find_bucket;

pub(crate) async fn patch(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: MaybeAuthenticated,
    body: Body,
) -> Result<Response> {
    let authorization = Authorization::by_token(&identity)?;
    let id = UploadId::parse(&id)?;
    resume(state, id, authorization, identity, body, Operation::TusPart).await
}

pub(crate) async fn patch_signed(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: MaybeAuthenticated,
    body: Body,
) -> Result<Response> {
    let id = UploadId::parse(&id)?;
    let authorization = Authorization::by_signed_url(&state, &identity, &id.path)?;
    resume(state, id, authorization, identity, body, Operation::TusPartSigned).await
}

async fn resume(
    state: StorageState,
    id: UploadId,
    authorization: Authorization,
    identity: MaybeAuthenticated,
    body: Body,
    operation: Operation,
) -> Result<Response> {
    let request = identity.headers();
    check_version(request)?;
    let offset = headers::offset(request)?;
    if !headers::has_bytes(request) {
        return Err(TusError::Protocol(400, "Invalid content-type"));
    }
    let expected = ExpectedDigest::of(request)?;
    let known = Record::find(&state, &id).await?;
    authorization.require_owner(&known)?;
    let authorization = authorization.continuing(&known);
    if !known.completed {
        authorization.check(&state, operation, &Upload::from(&known), None).await?;
    }

    let lock = UploadLock::acquire(state.database(), state.upload_locks(), id.version).await?;
    // The upload's row may have changed while this request waited for the lock.
    let mut record = Record::find(&state, &id).await?;
    recover(&state, &mut record, &identity, operation).await?;
    if offset != record.offset() {
        return Err(TusError::Protocol(409, "Upload-Offset conflict"));
    }
    let declared: Option<u64> = header(request, "content-length").and_then(|text| text.parse().ok());
    if record.completed {
        if declared.is_some_and(|declared| declared > 0) {
            return Err(TusError::EXCEEDED);
        }
        return Ok((StatusCode::NO_CONTENT, progress(&record, true)).into_response());
    }
    let rules = find_bucket(&state, &id.path.bucket).await?.into();
    let limit = max_upload_bytes(&state, &rules);
    set_length(&mut record, headers::length(request)?, limit)?;
    let limit = record.length.unwrap_or(limit);
    if declared.is_some_and(|declared| declared > limit.saturating_sub(offset)) {
        return Err(TusError::EXCEEDED);
    }
    let receiving = Receiving { state, lock, record, authorization, operation, limit, expected };
    let record = receive(receiving, body).await?;
    Ok((StatusCode::NO_CONTENT, progress(&record, true)).into_response())
}

/// Sets the length of a resumable upload if it was deferred at creation.
fn set_length(record: &mut Record, length: Option<u64>, limit: u64) -> Result<()> {
    match (record.length, length) {
        (_, None) => Ok(()),
        (Some(known), Some(length)) if known == length => Ok(()),
        (Some(_), Some(_)) => Err(TusError::Protocol(400, "Invalid upload-length")),
        (None, Some(length)) if length > limit => Err(TusError::TOO_LARGE),
        (None, Some(length)) if length < record.offset() => Err(TusError::Protocol(400, "Invalid upload-length")),
        (None, Some(length)) => {
            record.length = Some(length);
            Ok(())
        }
    }
}
