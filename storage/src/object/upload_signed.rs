//! `PUT /object/upload/sign/{bucket}/{name}?token=…`

use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use serde_json::{Value, json};

use super::link;
use crate::answer::Json;
use crate::error::Result;
use crate::operation::Operation;
use crate::request::Visitor;
use crate::request::asking::Owner;
use crate::state::StorageState;
use crate::upload::pipeline::Target;
use crate::upload::upload;

/// Stores an object through a link. The policies were asked when it was signed; the rules of the bucket apply now.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
    body: Body,
) -> Result<Json<Value>> {
    let token = link::token(query.as_deref())?;
    let link = link::verify_upload(state.verifier(), &token, &bucket, &name)?;
    let key = format!("{bucket}/{name}");
    let target = Target { bucket, name, owner: Owner::of(link.owner.as_deref()), upsert: link.upsert, ask: false };
    upload(&state, &visitor.through_link(), Operation::ObjectUploadSigned, target, body).await?;
    Ok(Json(json!({ "Key": key })))
}
