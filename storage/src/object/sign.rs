//! `POST /object/sign/{bucket}/{name}`

use axum::extract::State;
use serde_json::{Map, Value, json};

use super::signed_url;
use crate::db::objects;
use crate::error::Result;
use crate::json_response::Json;
use crate::object_path::ObjectPath;
use crate::operation::Operation;
use crate::render::transform::Transform;
use crate::request::Authenticated;
use crate::request::json_body::JsonBody;
use crate::service::OBJECT_VERSIONS;
use crate::state::StorageState;
use crate::validation::names;

/// Signs a URL of an object that the caller's policies show.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    path: ObjectPath,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    let expires_in = fields.required_integer("expiresIn", 1, i64::MAX);
    let transform = fields.object("transform").map(|mut inner| {
        let transform = Transform::of(&mut inner);
        fields.absorb(inner);
        transform
    });
    let version = fields.text("versionId");
    fields.finish()?;
    if version.is_some() {
        return Err(OBJECT_VERSIONS);
    }
    names::valid_object(&path.name)?;

    let mut tx = identity.begin(state.database(), Operation::ObjectSign).await?;
    objects::get(&mut tx, &path).await?;
    tx.rollback().await?;
    let (transformations, format) =
        transform.filter(|_| state.settings().images.enabled).unwrap_or_default().for_signed_url();
    // An image without a transformation is served as any other object.
    let kind = if transformations.is_some() || format.is_some() { "render/image" } else { "object" };
    let mut claims = Map::new();
    claims.extend(transformations.map(|text| ("transformations".to_owned(), text.into())));
    claims.extend(format.map(|format| ("format".to_owned(), format.into())));
    let token = signed_url::sign_download(state.verifier(), &path, expires_in, claims)?;
    Ok(Json(json!({ "signedURL": signed_url::download_path(kind, &path, &token) })))
}
