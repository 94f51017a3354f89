//! `PUT /object/upload/sign/{bucket}/{name}?token=…`: uploads an object with a signed URL.

use axum::body::Body;
use axum::extract::{RawQuery, State};
use serde_json::{Value, json};

use crate::error::Result;
use crate::json_response::Json;
use crate::model::object_path::ObjectPath;
use crate::model::owner::Owner;
use crate::operation::Operation;
use crate::request::MaybeAuthenticated;
use crate::signed_url;
use crate::state::StorageState;
use crate::upload::preconditions::Preconditions;
use crate::upload::{Upload, UploadTarget};

/// Stores an object uploaded with a signed URL. The RLS policies were checked when the URL was signed; the restrictions of the bucket are
/// checked now.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    path: ObjectPath,
    RawQuery(query): RawQuery,
    identity: MaybeAuthenticated,
    body: Body,
) -> Result<Json<Value>> {
    let token = signed_url::token(query.as_deref())?;
    let signed = signed_url::verify_upload(state.verifier(), &token, &path)?;
    let key = path.to_string();
    let owner = Owner::of(signed.owner.as_deref());
    let preconditions = Preconditions::of(identity.headers())?;
    let (upsert, if_match) = (signed.upsert && preconditions.upsert(), preconditions.etag());
    let target = UploadTarget { path, owner, upsert, if_match, check_policies: false };
    let identity = identity.by_signed_url();
    let upload = Upload { state: &state, identity: &identity, operation: Operation::ObjectUploadSigned, target };
    upload.receive(body).await.map_err(|error| preconditions.refusal(error))?;
    Ok(Json(json!({ "Key": key })))
}
