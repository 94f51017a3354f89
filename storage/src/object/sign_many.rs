//! `POST /object/sign/{bucket}`: creates signed URLs for several downloads.

use std::collections::HashSet;

use axum::extract::{Path, State};
use serde_json::{Map, Value, json};

use crate::db::objects;
use crate::error::Result;
use crate::json_response::Json;
use crate::model::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::JsonBody;
use crate::signed_url;
use crate::state::StorageState;
use crate::validation::names;

/// Signs download URLs of the objects that the caller can see, in the order of the request. Objects that the caller cannot see get an error
/// entry.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path(bucket): Path<String>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Vec<Value>>> {
    let expires_in = fields.required_integer("expiresIn", 1, i64::MAX);
    let names = fields.required_texts("paths");
    fields.finish()?;
    names::valid_bucket(&bucket)?;
    signed_url::check_expiry(state.settings(), identity.caller(), &bucket, expires_in)?;

    let mut tx = identity.begin(state.database(), Operation::ObjectSignMany).await?;
    let found: HashSet<String> = objects::find_names(&mut tx, &bucket, &names).await?.into_iter().collect();
    tx.rollback().await?;
    let signed = names.into_iter().map(|name| {
        if !found.contains(&name) {
            let error = "Either the object does not exist or you do not have access to it";
            return Ok(json!({ "error": error, "path": name, "signedURL": null }));
        }
        let path = ObjectPath::new(&bucket, name);
        let token = signed_url::sign_download(state.verifier(), &path, expires_in, Map::new())?;
        let url = signed_url::download_path("object", &path, &token);
        Ok(json!({ "error": null, "path": path.name, "signedURL": url }))
    });
    signed.collect::<Result<_>>().map(Json)
}
