//! `HEAD /object/…`: the headers of an object, without reading its bytes.

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::response::Response;

use super::meta::Meta;
use super::read_access::{Access, ReadAccess, ReadOperations};
use super::response::{ResponseOptions, put_cache_control, response};
use crate::error::Result;
use crate::operation::Operation;
use crate::state::StorageState;

const OPERATIONS: ReadOperations = ReadOperations {
    by_token: Operation::ObjectHeadAuthenticated,
    public: Operation::ObjectInfoPublic,
    // A HEAD with a signed URL has the same operation as its GET.
    signed: Operation::ObjectGetSigned,
};

/// Responds with the headers of an object to a caller with read access.
pub(crate) async fn handle<A: Access>(
    State(state): State<StorageState>,
    ReadAccess { grant, .. }: ReadAccess<A>,
) -> Result<Response> {
    let meta = Meta::of(&grant.load_row(&state, &OPERATIONS).await?);
    let mut response = response(StatusCode::OK, grant.headers(), &meta, &ResponseOptions::default(), Body::empty());
    put_cache_control(response.headers_mut(), grant.headers(), &meta, "must-revalidate");
    if let Some(size) = meta.size {
        response.headers_mut().insert(CONTENT_LENGTH, size.into());
    }
    Ok(response)
}
