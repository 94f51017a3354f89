//! `POST /object/move`: renames an object, within a bucket or to another bucket.

use axum::extract::State;
use serde_json::{Value, json};

use super::copy::{self, MetadataChanges, Wanted};
use crate::db::objects;
use crate::db::versions::{self, Deletion, Version};
use crate::error::Result;
use crate::fields::Fields;
use crate::json_response::Json;
use crate::model::blob::StoredBlob;
use crate::model::meta::Meta;
use crate::model::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::request::json_body::JsonBody;
use crate::state::StorageState;
use crate::strip_metadata::strip;
use crate::upload::authorize::find_bucket;
use crate::upload::commit::{self, UncommittedBlob};
use crate::upload::first_bytes;
use crate::validation::names;

/// Source and destination paths of a copy or move.
#[derive(Debug)]
pub(crate) struct CopyPaths {
    pub(crate) source: ObjectPath,
    /// Version id of the source. `None` for the current version.
    pub(crate) source_version: Option<String>,
    pub(crate) destination: ObjectPath,
}

impl CopyPaths {
    /// Parses the fields that copy and move requests share.
    pub(crate) fn of(fields: &mut Fields) -> Self {
        let source = ObjectPath::new(fields.required_text("bucketId"), fields.required_text("sourceKey"));
        let name = fields.required_text("destinationKey");
        let bucket = fields.text("destinationBucket").filter(|bucket| !bucket.is_empty());
        let bucket = bucket.unwrap_or_else(|| source.bucket.clone());
        let source_version = fields.text("sourceVersionId").filter(|version| !version.is_empty());
        Self { source, source_version, destination: ObjectPath { bucket, name } }
    }
}

/// Moves an object: the object's row gets the new name, and the blob is unchanged. The RLS policies are checked first, in a transaction
/// that is rolled back. The row is then written with the service role, because a policy may show the caller only the old name or only the
/// new name.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    let paths = CopyPaths::of(&mut fields);
    fields.finish()?;
    names::valid_object(&paths.destination.name)?;
    if let Some(version) = &paths.source_version {
        let mut tx = identity.begin_as_service(state.database(), Operation::ObjectMove).await?;
        let found = versions::get(&mut tx, identity.caller().role(), &paths.source, version).await?;
        tx.rollback().await?;
        if !found.is_current() {
            move_version(&state, &identity, paths, &found).await?;
            return Ok(moved());
        }
    }
    let CopyPaths { source, destination, .. } = paths;
    let owner = identity.owner();

    let mut trial = identity.begin(state.database(), Operation::ObjectMove).await?;
    let row = objects::get(&mut trial, &source).await?;
    objects::rename(&mut trial, &source, &destination, &owner).await?;
    trial.rollback().await?;
    let stripped = match source.bucket == destination.bucket {
        true => None,
        false => admit(&state, &destination, &row.meta()).await?,
    };
    let uncommitted = stripped.as_ref().map(|blob| UncommittedBlob::new(&state, blob.key));
    if source != destination {
        let mut tx = identity.begin_service(state.database(), Operation::ObjectMove).await?;
        objects::prepare_move(&mut tx, &destination).await?;
        objects::rename(&mut tx, &source, &destination, &owner).await?;
        objects::finish_move(&mut tx, &source, &destination).await?;
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
    Ok(moved())
}

fn moved() -> Json<Value> {
    Json(json!({ "message": "Successfully moved" }))
}

/// Moves an archived version. If the destination is the object's own key, the version becomes the current object, and the previous object
/// becomes an archived version. If the destination is another key, no object may exist at this key. The version is removed from the history
/// of its old key, so the RLS policies must allow the caller to delete the object.
async fn move_version(state: &StorageState, identity: &Authenticated, paths: CopyPaths, found: &Version) -> Result<()> {
    // The version is identified by its UUID: after the copy, the S3 version id `null` may refer to a different version.
    let version = &found.version;
    let paths = CopyPaths { source_version: Some(version.clone()), ..paths };
    let (role, operation) = (identity.caller().role(), Operation::ObjectMove);
    let mut trial = identity.begin_as_service(state.database(), operation).await?;
    versions::delete(&mut trial, role, &paths.source, version, Deletion::Trial).await?;
    trial.rollback().await?;
    let wanted = Wanted { upsert: paths.source == paths.destination, ..Wanted::default() };
    copy::copy(state, identity, operation, &paths, wanted, MetadataChanges::default()).await?;
    let mut tx = identity.begin_as_service(state.database(), operation).await?;
    let gone = versions::delete(&mut tx, role, &paths.source, version, Deletion::ForGood).await?;
    tx.commit().await?;
    commit::discard_versions(state, gone.as_slice());
    Ok(())
}

/// Checks a moved object against the restrictions of the destination bucket. If that bucket requires the removal of image metadata, returns
/// the new blob without metadata, otherwise `None`.
async fn admit(state: &StorageState, destination: &ObjectPath, object: &Meta) -> Result<Option<StoredBlob>> {
    let rules = find_bucket(state, &destination.bucket).await?.into();
    first_bytes::check_object(state, &rules, &destination.name, &object.media_type(), object).await?;
    match object.blob() {
        Ok(blob) => strip(state, &destination.bucket, &blob, (&object.media_type(), &object.representation)).await,
        // A row without a valid version or blob is moved without the removal of image metadata.
        Err(_) => Ok(None),
    }
}
