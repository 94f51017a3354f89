//! `POST /object/sign/{bucket}/{name}`: creates a signed URL for a download.

use axum::extract::State;
use serde_json::{Map, Value, json};

use crate::db::{objects, versions};
use crate::error::Result;
use crate::json_response::Json;
use crate::model::object_path::ObjectPath;
use crate::operation::Operation;
use crate::render::transform::Transform;
use crate::request::Authenticated;
use crate::request::json_body::JsonBody;
use crate::signed_url;
use crate::state::StorageState;
use crate::validation::names;

/// Signs a download URL of an object that the caller can see.
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
    let version = fields.text("versionId").filter(|version| !version.is_empty());
    fields.finish()?;
    names::valid_object(&path.name)?;
    signed_url::check_expiry(state.settings(), identity.caller(), &path.bucket, expires_in)?;

    let operation = Operation::ObjectSign;
    let version = match version {
        None => {
            let mut tx = identity.begin(state.database(), operation).await?;
            objects::get(&mut tx, &path).await?;
            None
        }
        Some(version) => {
            let mut tx = identity.begin_as_service(state.database(), operation).await?;
            let found = versions::get(&mut tx, identity.caller().role(), &path, &version).await?;
            // The token contains the version's UUID, even if the request contains the S3 version id `null`, because `null` may refer to
            // another version when the URL is used.
            found.into_object()?.version
        }
    };
    let (transformations, format) =
        transform.filter(|_| state.settings().images.enabled).unwrap_or_default().for_signed_url();
    // Without a transformation, the URL points to the object endpoint.
    let kind = if transformations.is_some() || format.is_some() { "render/image" } else { "object" };
    let mut claims = Map::new();
    claims.extend(transformations.map(|text| ("transformations".to_owned(), text.into())));
    claims.extend(format.map(|format| ("format".to_owned(), format.into())));
    claims.extend(version.map(|version| ("versionId".to_owned(), version.into())));
    let token = signed_url::sign_download(state.verifier(), &path, expires_in, claims)?;
    Ok(Json(json!({ "signedURL": signed_url::download_path(kind, &path, &token) })))
}
