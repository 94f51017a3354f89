//! `POST /object/upload/sign/{bucket}/{name}`: creates a signed URL for an upload.

use axum::extract::State;
use serde_json::{Value, json};

use crate::db::write_object::NewObject;
use crate::error::Result;
use crate::json_response::Json;
use crate::model::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::json_body::NoBody;
use crate::request::{Authenticated, custom_metadata};
use crate::signed_url::{self, SignedUpload};
use crate::state::StorageState;
use crate::upload::authorize::check_policies;
use crate::upload::request::wants_upsert;

/// Signs a URL that allows anybody to upload to an object path. The RLS policies must allow the caller to upload to this path.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    path: ObjectPath,
    identity: Authenticated,
    _: NoBody,
) -> Result<Json<Value>> {
    let (owner, upsert) = (identity.owner(), wants_upsert(identity.headers()));
    let user_metadata = custom_metadata::of_headers(identity.headers())?;
    let row =
        NewObject { path: &path, owner: &owner, upsert, metadata: &json!({}), user_metadata: user_metadata.as_ref() };
    check_policies(&state, &identity, Operation::ObjectSignUpload, &row, None).await?;
    let seconds = i64::try_from(state.settings().signed_upload_life.as_secs()).unwrap_or(i64::MAX);
    let token = signed_url::sign_upload(state.verifier(), &path, seconds, &SignedUpload { owner: owner.id, upsert })?;
    Ok(Json(json!({ "url": format!("/object/upload/sign/{path}?token={token}"), "token": token })))
}
