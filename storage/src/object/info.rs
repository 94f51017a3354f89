//! `GET` and `HEAD /object/info/…`: an object's details as JSON.

use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, ETAG, LAST_MODIFIED};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::meta::Meta;
use super::serve::{http_date, put};
use super::visible;
use crate::answer::Json;
use crate::error::Result;
use crate::operation::Operation;
use crate::request::{Asking, Visitor};
use crate::rows::iso;
use crate::rows::object::Object;
use crate::state::StorageState;

/// `GET /object/info/{bucket}/{name}`
pub(crate) async fn any(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    visitor: Visitor,
) -> Result<Response> {
    let object = visible::to_visitor(&state, &visitor, Operation::ObjectInfoAuthenticated, (&bucket, &name)).await?;
    Ok(show(&object))
}

/// `GET /object/info/authenticated/{bucket}/{name}`
pub(crate) async fn authenticated(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    asking: Asking,
) -> Result<Response> {
    let object = visible::to_caller(&state, &asking, Operation::ObjectInfoAuthenticated, (&bucket, &name)).await?;
    Ok(show(&object))
}

/// `GET /object/info/public/{bucket}/{name}`
pub(crate) async fn public(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    visitor: Visitor,
) -> Result<Response> {
    let object = visible::public(&state, &visitor, Operation::ObjectInfoPublic, (&bucket, &name)).await?;
    Ok(show(&object))
}

fn show(object: &Object) -> Response {
    let meta = Meta::of(object);
    let body = json!({
        "id": object.id,
        "name": object.name,
        "version": object.version,
        "bucket_id": object.bucket_id,
        "size": meta.size,
        "content_type": meta.mimetype,
        "cache_control": meta.cache_control,
        "etag": meta.etag,
        "metadata": object.user_metadata,
        "last_modified": object.updated_at.map(iso),
        "created_at": object.created_at.map(iso),
    });
    let mut response = Json(body).into_response();
    let headers = response.headers_mut();
    for (name, value) in
        [(ETAG, meta.etag), (LAST_MODIFIED, meta.last_modified.map(http_date)), (CACHE_CONTROL, meta.cache_control)]
    {
        if let Some(value) = value {
            put(headers, name, &value);
        }
    }
    response
}
