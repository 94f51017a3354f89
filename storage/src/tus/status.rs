//! `HEAD /upload/resumable/{id}`: returns the progress of an upload.

use axum::extract::{Path, State};
use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::authorization::{Authorization, Upload};
use super::create::progress;
use super::error::Result;
use super::finish::recover;
use super::headers::check_version;
use super::lock::UploadLock;
use super::record::Record;
use super::upload_url::UploadId;
use crate::operation::Operation;
use crate::request::MaybeAuthenticated;
use crate::state::StorageState;

/// Returns the progress of a resumable upload to its owner, or to a caller who may continue the upload.
pub(crate) async fn status(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: MaybeAuthenticated,
) -> Result<Response> {
    let authorization = Authorization::by_token(&identity)?;
    show(state, &UploadId::parse(&id)?, authorization, identity, Operation::TusGet).await
}

pub(crate) async fn status_signed(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: MaybeAuthenticated,
) -> Result<Response> {
    let id = UploadId::parse(&id)?;
    let authorization = Authorization::by_signed_url(&state, &identity, &id.path)?;
    show(state, &id, authorization, identity, Operation::TusGetSigned).await
}

async fn show(
    state: StorageState,
    id: &UploadId,
    authorization: Authorization,
    identity: MaybeAuthenticated,
    operation: Operation,
) -> Result<Response> {
    check_version(identity.headers())?;
    // Check the permissions before acquiring the upload lock, because acquiring the lock cancels the request that currently writes to the
    // upload.
    let known = Record::find(&state, id).await?;
    if !authorization.owns(&known) {
        authorization.check(&state, operation, &Upload::from(&known), None).await?;
    }
    // Acquiring the lock stops an earlier request that still waits for data on a lost connection. The earlier request then saves its
    // progress.
    let lock = UploadLock::acquire(state.database(), state.upload_locks(), id.version).await?;
    let mut record = Record::find(&state, id).await?;
    recover(&state, &mut record, &identity, operation).await?;
    lock.release().await;

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
