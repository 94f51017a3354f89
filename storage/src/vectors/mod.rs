//! Vector buckets (`POST /vector/{operation}`), with the requests and responses of storage-js, which are the same as those of Amazon S3
//! Vectors.
//!
//! A bucket contains indexes, and an index contains vectors of the same dimension. Unlike the other storage endpoints, the vector endpoints
//! send the actual HTTP status of an error.

mod body;
mod buckets;
mod delete_vectors;
mod errors;
mod get_vectors;
mod indexes;
mod list_vectors;
mod put_vectors;
mod query_vectors;
mod stored;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};

use crate::db::transaction::Tx;
use crate::db::vector_indexes::{self, VectorIndex};
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::state::StorageState;

/// Path of the endpoints, followed by the name of the operation.
pub(crate) const PATH: &str = "/vector/";

/// A request of the service role to a vector endpoint.
struct Call<'a> {
    state: &'a StorageState,
    identity: Authenticated,
    operation: Operation,
}

impl Call<'_> {
    async fn begin(&self) -> Result<Tx> {
        self.identity.begin(self.state.database(), self.operation).await
    }

    /// Begins a transaction and finds the index. Returns both.
    ///
    /// # Errors
    /// If the bucket has no index with this name.
    async fn begin_with_index(&self, bucket: &str, name: &str) -> Result<(Tx, VectorIndex)> {
        let mut tx = self.begin().await?;
        let index = vector_indexes::find_index(&mut tx, bucket, name).await?;
        index.map(|index| (tx, index)).ok_or_else(|| errors::not_found(name))
    }
}

pub(crate) async fn handle(State(state): State<StorageState>, request: Request) -> Response {
    match answer(&state, request).await {
        Ok(response) => response,
        Err(error) => {
            let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let mut response = error.into_response();
            *response.status_mut() = status;
            response
        }
    }
}

async fn answer(state: &StorageState, request: Request) -> Result<Response> {
    let operation = operation_of(&request)?;
    let (mut parts, body) = request.into_parts();
    let identity = Authenticated::from_request_parts(&mut parts, state).await?;
    // The role is checked in Rust, as in Supabase Storage. The check comes before the body is read, because the body can be large.
    if !identity.caller().is_service_role() {
        return Err(Error::InvalidRole);
    }
    let call = Call { state, identity, operation };
    dispatch(&call, Request::from_parts(parts, body)).await.map_err(errors::of_database)
}

fn operation_of(request: &Request) -> Result<Operation> {
    let operation = match request.uri().path().strip_prefix(PATH).unwrap_or_default() {
        "CreateVectorBucket" => Operation::VectorBucketCreate,
        "DeleteVectorBucket" => Operation::VectorBucketDelete,
        "ListVectorBuckets" => Operation::VectorBucketList,
        "GetVectorBucket" => Operation::VectorBucketGet,
        "CreateIndex" => Operation::VectorIndexCreate,
        "DeleteIndex" => Operation::VectorIndexDelete,
        "ListIndexes" => Operation::VectorIndexList,
        "GetIndex" => Operation::VectorIndexGet,
        "PutVectors" => Operation::VectorsPut,
        "GetVectors" => Operation::VectorsGet,
        "ListVectors" => Operation::VectorsList,
        "QueryVectors" => Operation::VectorsQuery,
        "DeleteVectors" => Operation::VectorsDelete,
        _ => return Err(no_route(request)),
    };
    if request.method() == Method::POST { Ok(operation) } else { Err(no_route(request)) }
}

fn no_route(request: &Request) -> Error {
    Error::NoRoute(request.method().to_string(), request.uri().to_string())
}

async fn dispatch(call: &Call<'_>, request: Request) -> Result<Response> {
    if call.operation == Operation::VectorsPut {
        return put_vectors::handle(call, request).await;
    }
    let fields = body::fields(call, request).await?;
    match call.operation {
        Operation::VectorBucketCreate => buckets::create(call, fields).await,
        Operation::VectorBucketDelete => buckets::delete(call, fields).await,
        Operation::VectorBucketList => buckets::list(call, fields).await,
        Operation::VectorBucketGet => buckets::get(call, fields).await,
        Operation::VectorIndexCreate => indexes::create(call, fields).await,
        Operation::VectorIndexDelete => indexes::delete(call, fields).await,
        Operation::VectorIndexList => indexes::list(call, fields).await,
        Operation::VectorIndexGet => indexes::get(call, fields).await,
        Operation::VectorsGet => get_vectors::handle(call, fields).await,
        Operation::VectorsList => list_vectors::handle(call, fields).await,
        Operation::VectorsQuery => query_vectors::handle(call, fields).await,
        _ => delete_vectors::handle(call, fields).await,
    }
}

/// The response to a successful change, which has no body.
fn done() -> Response {
    StatusCode::OK.into_response()
}
