//! `HEAD /upload/resumable/{id}`: how far an upload has come.

use axum::extract::{Path, State};
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::address::UploadId;
use super::create::progress;
use super::error::Result;
use super::finish::recover;
use super::headers::check_version;
use super::hold::Hold;
use super::record::Record;
use super::right::{Right, Upload};
use crate::operation::Operation;
use crate::request::Visitor;
use crate::state::StorageState;

/// For a caller with a token who has begun the upload, or may go on with it.
pub(crate) async fn status(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Result<Response> {
    let right = Right::of_caller(&visitor)?;
    show(state, &UploadId::parse(&id)?, right, visitor, Operation::TusGet).await
}

/// For whoever holds a link.
pub(crate) async fn status_signed(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Result<Response> {
    let id = UploadId::parse(&id)?;
    let right = Right::of_link(&state, &visitor, &id.bucket, &id.object)?;
    show(state, &id, right, visitor, Operation::TusGetSigned).await
}

async fn show(
    state: StorageState,
    id: &UploadId,
    right: Right,
    visitor: Visitor,
    operation: Operation,
) -> Result<Response> {
    check_version(visitor.headers())?;
    // Before the hold, which would stop the request that writes.
    let known = Record::find(&state, id).await?;
    if !right.owns(&known) {
        right.check(&state, operation, &Upload::from(&known), None).await?;
    }
    // A request that still waits for bytes of a lost connection stops and saves what it has.
    let hold = Hold::acquire(&state, id.version).await?;
    let mut record = Record::find(&state, id).await?;
    recover(&state, &mut record, &visitor, operation).await?;
    hold.release().await;

    let mut response = (StatusCode::OK, progress(&record, true)).into_response();
    let headers = response.headers_mut();
    headers.remove("tus-complete");
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    match record.length {
        Some(length) => headers.insert("upload-length", length.into()),
        None => headers.insert("upload-defer-length", HeaderValue::from_static("1")),
    };
    if let Ok(metadata) = HeaderValue::from_str(&record.metadata) {
        headers.insert("upload-metadata", metadata);
    }
    Ok(response)
}
