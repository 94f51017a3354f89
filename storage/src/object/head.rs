//! `HEAD /object/…`: returns the headers of an object without reading its content.

use axum::extract::State;
use axum::response::Response;

use crate::error::Result;
use crate::operation::Operation;
use crate::read::access::{Access, ReadAccess, ReadOperations};
use crate::read::response::{Bytes, ResponseOptions, head_response, put_cache_control};
use crate::state::StorageState;

const OPERATIONS: ReadOperations = ReadOperations {
    by_token: Operation::ObjectHeadAuthenticated,
    public: Operation::ObjectInfoPublic,
    // HEAD and GET with a signed URL have the same operation name in RLS policies.
    signed: Operation::ObjectGetSigned,
};

pub(crate) async fn handle<A: Access>(
    State(state): State<StorageState>,
    ReadAccess { grant, .. }: ReadAccess<A>,
) -> Result<Response> {
    let meta = grant.load_row(&state, &OPERATIONS).await?.meta();
    let mut response = head_response(grant.headers(), &meta, &ResponseOptions::default(), Bytes::Whole)?;
    put_cache_control(response.headers_mut(), grant.headers(), &meta, "must-revalidate");
    Ok(response)
}
