//! `PATCH /upload/resumable/{id}`: the next bytes of an upload.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::address::UploadId;
use super::create::{progress, size_limit};
use super::error::{Result, TusError};
use super::finish::recover;
use super::headers::{self, Expected, check_version};
use super::hold::Hold;
use super::receive::{Receiving, receive};
use super::record::Record;
use super::right::{Right, Upload};
use crate::operation::Operation;
use crate::request::Visitor;
use crate::state::StorageState;
use crate::upload::body::header;
use crate::upload::pipeline;

/// For a caller with a token.
pub(crate) async fn patch(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    visitor: Visitor,
    body: Body,
) -> Result<Response> {
    let right = Right::of_caller(&visitor)?;
    let id = UploadId::parse(&id)?;
    go_on(state, id, right, visitor, body, Operation::TusPart).await
}

/// For whoever holds a link.
pub(crate) async fn patch_signed(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    visitor: Visitor,
    body: Body,
) -> Result<Response> {
    let id = UploadId::parse(&id)?;
    let right = Right::of_link(&state, &visitor, &id.bucket, &id.object)?;
    go_on(state, id, right, visitor, body, Operation::TusPartSigned).await
}

async fn go_on(
    state: StorageState,
    id: UploadId,
    right: Right,
    visitor: Visitor,
    body: Body,
    operation: Operation,
) -> Result<Response> {
    let request = visitor.headers();
    check_version(request)?;
    let offset = headers::offset(request)?;
    if !headers::has_bytes(request) {
        return Err(TusError::Protocol(400, "Invalid content-type"));
    }
    let expected = Expected::of(request)?;
    let known = Record::find(&state, &id).await?;
    if !known.completed {
        right.check(&state, operation, &Upload::from(&known), None).await?;
    }

    let hold = Hold::acquire(&state, id.version).await?;
    // What was known may have changed while waiting for the request before.
    let mut record = Record::find(&state, &id).await?;
    recover(&state, &mut record, &visitor, operation).await?;
    if offset != record.offset() {
        return Err(TusError::Protocol(409, "Upload-Offset conflict"));
    }
    if record.completed {
        return Ok((StatusCode::NO_CONTENT, progress(&record, true)).into_response());
    }
    let rules = pipeline::find_bucket(&state, &id.bucket).await?.into();
    let limit = size_limit(&state, &rules);
    set_length(&mut record, headers::length(request)?, limit)?;
    let limit = record.length.unwrap_or(limit);
    let declared: Option<u64> = header(request, "content-length").and_then(|text| text.parse().ok());
    if declared.is_some_and(|declared| declared > limit.saturating_sub(offset)) {
        return Err(TusError::EXCEEDED);
    }
    let receiving = Receiving { state, hold, record, right, operation, limit, expected };
    let record = receive(receiving, body).await?;
    Ok((StatusCode::NO_CONTENT, progress(&record, true)).into_response())
}

/// Takes the length that was deferred until now.
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
