//! `GET /object/…`: downloads an object with a token, from a public bucket, or with a signed URL. Also handles `HEAD` for signed URLs.

use axum::extract::State;
use axum::http::Method;
use axum::response::Response;

use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::read::access::{Access, ReadAccess, ReadGrant, ReadOperations};
use crate::read::response::{Bytes, head_response, object_response};
use crate::state::StorageState;

const OPERATIONS: ReadOperations = ReadOperations {
    by_token: Operation::ObjectGetAuthenticated,
    public: Operation::ObjectGetPublic,
    signed: Operation::ObjectGetSigned,
};

/// Sends an object to a caller with read access.
pub(crate) async fn handle<A: Access>(
    State(state): State<StorageState>,
    method: Method,
    ReadAccess { grant, .. }: ReadAccess<A>,
) -> Result<Response> {
    if method == Method::HEAD {
        let meta = grant.load(&state, &OPERATIONS).await?;
        return head_response(grant.headers(), &meta, &grant.response_options()?, Bytes::Whole);
    }
    serve(&state, &grant).await
}

/// Loads an object's row and sends the content. An overwrite between these two steps may delete the blob. In this case, loads and sends the
/// new object.
async fn serve(state: &StorageState, grant: &ReadGrant) -> Result<Response> {
    let options = grant.response_options()?;
    let meta = grant.load(state, &OPERATIONS).await?;
    match object_response(state, grant.headers(), &meta, &options, Bytes::Ranged).await {
        Err(missing @ Error::BlobMissing(_)) => {
            // The cached row of the object may be older than the overwrite, so clear the cache before loading the row again.
            state.object_cache().invalidate_all();
            let current = grant.load(state, &OPERATIONS).await?;
            if current.version == meta.version {
                return Err(missing);
            }
            object_response(state, grant.headers(), &current, &options, Bytes::Ranged).await
        }
        outcome => outcome,
    }
}
