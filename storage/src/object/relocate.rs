//! `POST /object/move`

use axum::extract::State;
use serde_json::{Value, json};

use super::meta::Meta;
use crate::answer::Json;
use crate::error::Result;
use crate::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::json::JsonBody;
use crate::request::{Asking, Fields};
use crate::rows::object;
use crate::rules::name;
use crate::state::StorageState;
use crate::strip::{Blob, strip};
use crate::upload::commit::{self, Loose};
use crate::upload::{head, pipeline};

/// From where to where an object is copied or moved.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) source_bucket: String,
    pub(crate) source: String,
    pub(crate) destination_bucket: String,
    pub(crate) destination: String,
}

impl Route {
    /// Reads the fields that a copy and a move share.
    pub(crate) fn of(fields: &mut Fields) -> Self {
        let source_bucket = fields.required_text("bucketId");
        let source = fields.required_text("sourceKey");
        let destination = fields.required_text("destinationKey");
        let other = fields.text("destinationBucket").filter(|bucket| !bucket.is_empty());
        let destination_bucket = other.unwrap_or_else(|| source_bucket.clone());
        Self { source_bucket, source, destination_bucket, destination }
    }
}

/// Moves an object: its row gets the new name, its bytes stay where they are. The policies are asked first, in a transaction
/// that is taken back; then the service role writes, because a policy may show only one of the two names.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    asking: Asking,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    let route = Route::of(&mut fields);
    fields.finish()?;
    name::valid_object(&route.destination)?;
    let from = (route.source_bucket.as_str(), route.source.as_str());
    let to = (route.destination_bucket.as_str(), route.destination.as_str());
    let owner = asking.owner();

    let mut trial = asking.begin(&state, Operation::ObjectMove).await?;
    let row = object::get(&mut trial, from.0, from.1).await?;
    object::rename(&mut trial, from, to, &owner).await?;
    trial.rollback().await?;
    let object = Meta::of(&row);
    let stripped = match from.0 == to.0 {
        true => None,
        false => enter(&state, to, &object).await?,
    };
    let loose = stripped.as_ref().map(|blob| Loose::new(&state, blob.key));
    if from != to {
        let mut tx = asking.begin_service(&state, Operation::ObjectMove).await?;
        object::rename(&mut tx, from, to, &owner).await?;
        if let Some(blob) = &stripped {
            let mut metadata = row.metadata.clone().unwrap_or_default();
            blob.describe(&mut metadata);
            let versions = (row.version.as_deref(), blob.key.to_string());
            object::replace_bytes(&mut tx, to, (versions.0, &versions.1), &metadata).await?;
        }
        tx.commit().await?;
        state.object_cache().invalidate(&ObjectPath::new(from.0, from.1));
        if let Some(loose) = loose {
            loose.take();
            commit::discard_version(&state, row.version.as_deref()).await;
        }
    }
    Ok(Json(json!({ "message": "Successfully moved" })))
}

/// Lets an object into another bucket, by that one's rules. Returns its bytes as that bucket shows them, where they have to change.
async fn enter(state: &StorageState, (bucket, name): (&str, &str), object: &Meta) -> Result<Option<Blob>> {
    let rules = pipeline::find_bucket(state, bucket).await?.into();
    head::check_object(state, &rules, name, &object.media_type(), object).await?;
    match object.blob() {
        Ok(blob) => strip(state, bucket, &blob).await,
        // A row without bytes moves as it is.
        Err(_) => Ok(None),
    }
}
