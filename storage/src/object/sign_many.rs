//! `POST /object/sign/{bucket}`

use std::collections::HashSet;

use axum::extract::{Path, State};
use serde_json::{Map, Value, json};

use super::link;
use crate::answer::Json;
use crate::error::Result;
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::json::JsonBody;
use crate::rows::object;
use crate::rules::name;
use crate::state::StorageState;

/// Makes links to those objects that the caller's policies show, in the order asked for.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(bucket): Path<String>,
    asking: Asking,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Vec<Value>>> {
    let expires_in = fields.required_integer("expiresIn", 1, i64::MAX);
    let paths = fields.required_texts("paths");
    fields.finish()?;
    name::valid_bucket(&bucket)?;

    let mut tx = asking.begin(&state, Operation::ObjectSignMany).await?;
    let found: HashSet<String> = object::find_names(&mut tx, &bucket, &paths).await?.into_iter().collect();
    tx.rollback().await?;
    let links = paths.into_iter().map(|path| {
        if !found.contains(&path) {
            let error = "Either the object does not exist or you do not have access to it";
            return Ok(json!({ "error": error, "path": path, "signedURL": null }));
        }
        let token = link::sign_download(state.verifier(), (&bucket, &path), expires_in, Map::new())?;
        let url = link::path("object", (&bucket, &path), &token);
        Ok(json!({ "error": null, "path": path, "signedURL": url }))
    });
    links.collect::<Result<_>>().map(Json)
}
