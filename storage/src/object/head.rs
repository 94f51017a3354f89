//! `HEAD /object/…`: whether an object is there, and its headers. The bytes are not looked at.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::meta::Meta;
use super::serve::{Serving, put_cache_control, response};
use super::visible;
use crate::error::Result;
use crate::operation::Operation;
use crate::request::{Asking, Visitor};
use crate::rows::object::Object;
use crate::state::StorageState;

/// `HEAD /object/{bucket}/{name}`
pub(crate) async fn any(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    visitor: Visitor,
) -> Result<Response> {
    let object = visible::to_visitor(&state, &visitor, Operation::ObjectHeadAuthenticated, (&bucket, &name)).await?;
    Ok(headers_of(visitor.headers(), &object))
}

/// `HEAD /object/authenticated/{bucket}/{name}`
pub(crate) async fn authenticated(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    asking: Asking,
) -> Result<Response> {
    let object = visible::to_caller(&state, &asking, Operation::ObjectHeadAuthenticated, (&bucket, &name)).await?;
    Ok(headers_of(asking.headers(), &object))
}

/// `HEAD /object/public/{bucket}/{name}`
pub(crate) async fn public(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    visitor: Visitor,
) -> Result<Response> {
    let object = visible::public(&state, &visitor, Operation::ObjectInfoPublic, (&bucket, &name)).await?;
    Ok(headers_of(visitor.headers(), &object))
}

fn headers_of(request: &HeaderMap, object: &Object) -> Response {
    let meta = Meta::of(object);
    let mut response = response(StatusCode::OK, request, &meta, &Serving::default(), Body::empty());
    put_cache_control(response.headers_mut(), request, &meta, "must-revalidate");
    if let Some(size) = meta.size {
        response.headers_mut().insert(CONTENT_LENGTH, size.into());
    }
    response
}
