//! `POST /object/sign/{bucket}/{name}`

use axum::extract::{Path, State};
use serde_json::{Map, Value, json};

use super::link;
use crate::answer::Json;
use crate::error::Result;
use crate::operation::Operation;
use crate::render::Transform;
use crate::request::Asking;
use crate::request::json::JsonBody;
use crate::rows::object;
use crate::rules::name;
use crate::state::StorageState;

/// Makes a link to an object that the caller's policies show.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    asking: Asking,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    let expires_in = fields.required_integer("expiresIn", 1, i64::MAX);
    let transform = fields.object("transform").map(|mut inner| {
        let transform = Transform::of(&mut inner);
        fields.absorb(inner);
        transform
    });
    fields.finish()?;
    name::valid_object(&name)?;

    let mut tx = asking.begin(&state, Operation::ObjectSign).await?;
    object::get(&mut tx, &bucket, &name).await?;
    tx.rollback().await?;
    let (transformations, format) =
        transform.filter(|_| state.settings().images.enabled).unwrap_or_default().for_link();
    // Without anything to be done to it, an image is an object like any other.
    let kind = if transformations.is_some() || format.is_some() { "render/image" } else { "object" };
    let mut claims = Map::new();
    claims.extend(transformations.map(|text| ("transformations".to_owned(), text.into())));
    claims.extend(format.map(|format| ("format".to_owned(), format.into())));
    let token = link::sign_download(state.verifier(), (&bucket, &name), expires_in, claims)?;
    Ok(Json(json!({ "signedURL": link::path(kind, (&bucket, &name), &token) })))
}
