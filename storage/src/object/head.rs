//! `HEAD /object/…`: whether an object is there, and its headers. The bytes are not looked at.

use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::meta::Meta;
use super::serve::{Serving, put_cache_control, response};
use super::{link, visible};
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
    Ok(headers_of(visitor.headers(), &object, &Serving::default()))
}

/// `HEAD /object/authenticated/{bucket}/{name}`
pub(crate) async fn authenticated(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    asking: Asking,
) -> Result<Response> {
    let object = visible::to_caller(&state, &asking, Operation::ObjectHeadAuthenticated, (&bucket, &name)).await?;
    Ok(headers_of(asking.headers(), &object, &Serving::default()))
}

/// `HEAD /object/public/{bucket}/{name}`
pub(crate) async fn public(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    visitor: Visitor,
) -> Result<Response> {
    let object = visible::public(&state, &visitor, Operation::ObjectInfoPublic, (&bucket, &name)).await?;
    Ok(headers_of(visitor.headers(), &object, &Serving::default()))
}

/// `HEAD /object/sign/{bucket}/{name}?token=…`
pub(crate) async fn signed(
    State(state): State<StorageState>,
    Path((bucket, name)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Result<Response> {
    let token = link::token(query.as_deref())?;
    let link = link::verify_download(state.verifier(), &token, &bucket, &name)?;
    let object = visible::to_link(&state, &visitor, Operation::ObjectGetSigned, (&bucket, &name)).await?;
    Ok(headers_of(visitor.headers(), &object, &Serving { expires: Some(link.expires()), download: None }))
}

fn headers_of(request: &HeaderMap, object: &Object, serving: &Serving) -> Response {
    let meta = Meta::of(object);
    let mut response = response(StatusCode::OK, request, &meta, serving, Body::empty());
    if serving.expires.is_none() {
        put_cache_control(response.headers_mut(), request, &meta, "must-revalidate");
    }
    if let Some(size) = meta.size {
        response.headers_mut().insert(CONTENT_LENGTH, size.into());
    }
    response
}
