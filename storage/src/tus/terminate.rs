//! `DELETE /upload/resumable/{id}`: aborts an upload.

use axum::extract::{Path, State};
use axum::http::{HeaderName, StatusCode};

use super::authorization::{Authorization, Upload};
use super::error::{Result, TusError};
use super::finish::recover;
use super::headers::PROTOCOL_VERSION;
use super::headers::check_version;
use super::lock::UploadLock;
use super::record::{self, Record};
use super::upload_url::UploadId;
use crate::operation::Operation;
use crate::request::MaybeAuthenticated;
use crate::state::StorageState;

type Terminated = (StatusCode, [(HeaderName, &'static str); 1]);

pub(crate) async fn terminate(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: MaybeAuthenticated,
) -> Result<Terminated> {
    let authorization = Authorization::by_token(&identity)?;
    end(state, &UploadId::parse(&id)?, authorization, identity, Operation::TusDelete).await
}

pub(crate) async fn terminate_signed(
    State(state): State<StorageState>,
    Path(id): Path<String>,
    identity: MaybeAuthenticated,
) -> Result<Terminated> {
    let id = UploadId::parse(&id)?;
    let authorization = Authorization::by_signed_url(&state, &identity, &id.path)?;
    end(state, &id, authorization, identity, Operation::TusDeleteSigned).await
}

async fn end(
    state: StorageState,
    id: &UploadId,
    authorization: Authorization,
    identity: MaybeAuthenticated,
    operation: Operation,
) -> Result<Terminated> {
    check_version(identity.headers())?;
    let known = Record::find(&state, id).await?;
    authorization.require_owner(&known)?;
    authorization.check(&state, operation, &Upload::from(&known), None).await?;
    let lock = UploadLock::acquire(state.database(), state.upload_locks(), id.version).await?;
    let mut record = Record::find(&state, id).await?;
    recover(&state, &mut record, &identity, operation).await?;
    if record.completed {
        return Err(TusError::Protocol(400, "Cannot terminate an already completed upload"));
    }
    // Delete the content before the upload's row, because without the row nothing refers to the content.
    state.backend().abandon(id.version, record.assembly).await?;
    record::delete(&state, id.version).await?;
    lock.release().await;
    Ok((StatusCode::NO_CONTENT, [(HeaderName::from_static("tus-resumable"), PROTOCOL_VERSION)]))
}
