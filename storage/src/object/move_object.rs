//! `POST /object/move`

use axum::extract::State;
use serde_json::{Value, json};

use super::blob::StoredBlob;
use super::meta::Meta;
use crate::db::objects;
use crate::error::Result;
use crate::json_response::Json;
use crate::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::json_body::JsonBody;
use crate::request::{Authenticated, Fields};
use crate::state::StorageState;
use crate::strip_metadata::strip;
use crate::upload::authorize::find_bucket;
use crate::upload::commit::{self, UncommittedBlob};
use crate::upload::first_bytes;
use crate::validation::names;

/// From where to where an object is copied or moved.
#[derive(Debug)]
pub(crate) struct CopyPaths {
    pub(crate) source: ObjectPath,
    pub(crate) destination: ObjectPath,
}

impl CopyPaths {
    /// Reads the fields that a copy and a move share.
    pub(crate) fn of(fields: &mut Fields) -> Self {
        let source = ObjectPath::new(fields.required_text("bucketId"), fields.required_text("sourceKey"));
        let name = fields.required_text("destinationKey");
        let bucket = fields.text("destinationBucket").filter(|bucket| !bucket.is_empty());
        let bucket = bucket.unwrap_or_else(|| source.bucket.clone());
        Self { source, destination: ObjectPath { bucket, name } }
    }
}

/// Moves an object: its row gets the new name, its bytes stay where they are. The policies are tried first, in a transaction that is
/// rolled back; then the service role writes, because a policy may show only one of the two names.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    let CopyPaths { source, destination } = CopyPaths::of(&mut fields);
    fields.finish()?;
    names::valid_object(&destination.name)?;
    let owner = identity.owner();

    let mut trial = identity.begin(state.database(), Operation::ObjectMove).await?;
    let row = objects::get(&mut trial, &source).await?;
    objects::rename(&mut trial, &source, &destination, &owner).await?;
    trial.rollback().await?;
    let stripped = match source.bucket == destination.bucket {
        true => None,
        false => admit(&state, &destination, &Meta::of(&row)).await?,
    };
    let uncommitted = stripped.as_ref().map(|blob| UncommittedBlob::new(&state, blob.key));
    if source != destination {
        let mut tx = identity.begin_service(state.database(), Operation::ObjectMove).await?;
        objects::rename(&mut tx, &source, &destination, &owner).await?;
        if let Some(blob) = &stripped {
            let mut metadata = row.metadata.clone().unwrap_or_default();
            blob.describe(&mut metadata);
            objects::replace_version(&mut tx, &destination, row.version.as_deref(), blob.key, &metadata).await?;
        }
        tx.commit().await?;
        state.object_cache().invalidate(&source);
        if let Some(uncommitted) = uncommitted {
            uncommitted.release();
            commit::discard_version(&state, row.version.as_deref()).await;
        }
    }
    Ok(Json(json!({ "message": "Successfully moved" })))
}

/// Admits an object to another bucket, by that one's rules. Returns its bytes as that bucket stores them, where they have to change.
async fn admit(state: &StorageState, destination: &ObjectPath, object: &Meta) -> Result<Option<StoredBlob>> {
    let rules = find_bucket(state, &destination.bucket).await?.into();
    first_bytes::check_object(state, &rules, &destination.name, &object.media_type(), object).await?;
    match object.blob() {
        Ok(blob) => strip(state, &destination.bucket, &blob).await,
        // A row without bytes moves as it is.
        Err(_) => Ok(None),
    }
}
