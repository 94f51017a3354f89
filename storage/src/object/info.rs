//! `GET` and `HEAD /object/info/…`: returns the properties of an object as JSON.

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, ETAG, LAST_MODIFIED};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::conditions::Conditions;
use crate::db::iso;
use crate::db::objects::Object;
use crate::error::Result;
use crate::http_headers::{http_date, put};
use crate::json_response::Json;
use crate::operation::Operation;
use crate::read::access::{Access, ReadAccess, ReadOperations};
use crate::state::StorageState;

const OPERATIONS: ReadOperations = ReadOperations {
    by_token: Operation::ObjectInfoAuthenticated,
    public: Operation::ObjectInfoPublic,
    // This operation is unused, because no `info` route accepts signed URLs.
    signed: Operation::ObjectInfoPublic,
};

/// Returns the properties of an object to a caller with read access.
pub(crate) async fn handle<A: Access>(
    State(state): State<StorageState>,
    ReadAccess { grant, .. }: ReadAccess<A>,
) -> Result<Response> {
    let Some(version) = grant.version()? else {
        return show(grant.headers(), &grant.load_row(&state, &OPERATIONS).await?, None);
    };
    let version = grant.load_version(&state, &OPERATIONS, &version).await?;
    let of_version = json!({
        "archived_at": version.archived_at.map(iso),
        "is_delete_marker": version.is_delete_marker,
        "is_versioned": version.is_versioned,
    });
    show(grant.headers(), &version.into_object()?, Some(of_version))
}

fn show(request: &HeaderMap, object: &Object, of_version: Option<Value>) -> Result<Response> {
    let meta = object.meta();
    let is_wanted = Conditions::of_read(request).wants_representation(meta.validators())?;
    let mut body = json!({
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
    if let (Some(Value::Object(of_version)), Some(body)) = (of_version, body.as_object_mut()) {
        body.extend(of_version);
    }
    let mut response = Json(body).into_response();
    if !is_wanted {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().clear();
    }
    let headers = response.headers_mut();
    for (name, value) in
        [(ETAG, meta.etag), (LAST_MODIFIED, meta.last_modified.map(http_date)), (CACHE_CONTROL, meta.cache_control)]
    {
        if let Some(value) = value {
            put(headers, name, &value);
        }
    }
    Ok(response)
}
