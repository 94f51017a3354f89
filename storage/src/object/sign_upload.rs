//! `POST /object/upload/sign/{bucket}/{name}`

use axum::extract::{Path, State};
use serde_json::{Value, json};

use super::link::{self, UploadLink};
use super::upload::wants_upsert;
use crate::answer::Json;
use crate::error::Result;
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::json::NoBody;
use crate::rows::write::NewObject;
use crate::state::StorageState;
use crate::upload::body;
use crate::upload::permit;

/// Makes a link through which anybody may upload to a key, if the caller might.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    asking: Asking,
    _: NoBody,
) -> Result<Json<Value>> {
    let (owner, upsert) = (asking.owner(), wants_upsert(asking.headers()));
    let user_metadata = body::user_metadata(asking.headers())?;
    let wanted = NewObject {
        bucket: &bucket,
        name: &name,
        owner: &owner,
        upsert,
        metadata: &json!({}),
        user_metadata: user_metadata.as_ref(),
    };
    permit::ask(&state, &asking, Operation::ObjectSignUpload, &wanted, None).await?;
    let seconds = i64::try_from(state.settings().signed_upload_life.as_secs()).unwrap_or(i64::MAX);
    let link = UploadLink { owner: owner.id, upsert };
    let token = link::sign_upload(state.verifier(), (&bucket, &name), seconds, &link)?;
    Ok(Json(json!({ "url": format!("/object/upload/sign/{bucket}/{name}?token={token}"), "token": token })))
}
