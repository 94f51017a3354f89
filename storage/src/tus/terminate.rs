//! `DELETE /upload/resumable/{id}`: gives an upload up.

use axum::extract::{Path, State};
use axum::http::{HeaderName, StatusCode};

use super::VERSION;
use super::address::UploadId;
use super::error::{Result, TusError};
use super::finish::recover;
use super::headers::check_version;
use super::hold::Hold;
use super::record::{Record, forget};
use super::right::{Right, Upload};
use crate::operation::Operation;
use crate::request::Visitor;
use crate::state::StorageState;

type Terminated = (StatusCode, [(HeaderName, &'static str); 1]);

/// For a caller with a token.
pub(crate) async fn terminate(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Result<Terminated> {
    let right = Right::of_caller(&visitor)?;
    end(state, &UploadId::parse(&id)?, right, visitor, Operation::TusDelete).await
}

/// For whoever holds a link.
pub(crate) async fn terminate_signed(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Result<Terminated> {
    let id = UploadId::parse(&id)?;
    let right = Right::of_link(&state, &visitor, &id.bucket, &id.object)?;
    end(state, &id, right, visitor, Operation::TusDeleteSigned).await
}

async fn end(
    state: StorageState,
    id: &UploadId,
    right: Right,
    visitor: Visitor,
    operation: Operation,
) -> Result<Terminated> {
    check_version(visitor.headers())?;
    let known = Record::find(&state, id).await?;
    right.check(&state, operation, &Upload::from(&known), None).await?;
    let hold = Hold::acquire(&state, id.version).await?;
    let mut record = Record::find(&state, id).await?;
    recover(&state, &mut record, &visitor, operation).await?;
    if record.completed {
        return Err(TusError::Protocol(400, "Cannot terminate an already completed upload"));
    }
    // The bytes first: an upload whose row is gone could not be cleared away any more.
    state.backend().abandon(id.version, record.assembly).await?;
    forget(&state, id.version).await?;
    hold.release().await;
    Ok((StatusCode::NO_CONTENT, [(HeaderName::from_static("tus-resumable"), VERSION)]))
}
