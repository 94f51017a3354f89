//! `POST /object/copy`: copies an object.

use axum::extract::State;
use chrono::Utc;
use serde_json::{Value, json};

use super::move_object::CopyPaths;
use crate::backend::BlobKey;
use crate::conditions::Conditions;
use crate::db::iso;
use crate::db::objects::{self, Object};
use crate::db::versions;
use crate::db::write_object::NewObject;
use crate::error::{Error, Result};
use crate::json_response::Json;
use crate::model::representation::Representation;
use crate::operation::Operation;
use crate::request::json_body::JsonBody;
use crate::request::{Authenticated, custom_metadata};
use crate::state::StorageState;
use crate::upload::authorize::check_policies;
use crate::upload::commit::{NewVersion, UncommittedBlob};
use crate::upload::first_bytes;
use crate::upload::request::wants_upsert;
use crate::validation::cache_control::CacheControl;
use crate::validation::media_type::MediaType;
use crate::validation::names;

/// Changes to the source object's metadata in the copy. `None` keeps the source's value.
#[derive(Debug, Default)]
pub(crate) struct MetadataChanges {
    pub(crate) cache_control: Option<CacheControl>,
    pub(crate) mimetype: Option<MediaType>,
    /// New custom metadata of the copy. `None` keeps the source's metadata. With `Some(None)`, a new object has none, and a
    /// replaced one keeps its own, as in Supabase.
    pub(crate) user_metadata: Option<Option<Value>>,
    pub(crate) representation: Option<Representation>,
}

/// Conditions of a copy that the destination object and the source object must fulfil.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted<'a> {
    /// Whether an existing object at the destination may be replaced.
    pub(crate) upsert: bool,
    /// Entity tag, including its quotes, that the replaced object at the destination must have. `None` for no condition.
    pub(crate) if_match: Option<String>,
    pub(crate) of_source: Option<Conditions<'a>>,
}

/// Copies an object. The caller must be able to see the source and to upload to the destination path.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    identity: Authenticated,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    fields.required("sourceKey");
    let paths = CopyPaths::of(&mut fields);
    let keep = fields.boolean("copyMetadata").unwrap_or(true);
    let mut changes = MetadataChanges::default();
    if let Some(mut metadata) = fields.object("metadata") {
        let cache_control = metadata.text("cacheControl");
        let mimetype = metadata.text("mimetype").as_deref().map(MediaType::parse_or_default);
        fields.absorb(metadata);
        if !keep {
            let cache_control = cache_control.map(|value| CacheControl::new(Some(&value))).transpose()?;
            (changes.cache_control, changes.mimetype) = (cache_control, mimetype);
        }
    }
    fields.finish()?;
    names::valid_bucket(&paths.source.bucket)?;
    if !keep {
        changes.user_metadata = Some(custom_metadata::of_headers(identity.headers())?);
    }
    let wanted = Wanted { upsert: wants_upsert(identity.headers()), ..Wanted::default() };
    let Copied { object: copied, .. } = copy(&state, &identity, Operation::ObjectCopy, &paths, wanted, changes).await?;
    let mut answer =
        serde_json::to_value(&copied).map_err(|source| Error::internal("writing an object")(source.into()))?;
    if let Some(map) = answer.as_object_mut() {
        map.insert("Id".to_owned(), json!(copied.id));
        map.insert("Key".to_owned(), paths.destination.to_string().into());
    }
    Ok(Json(answer))
}

/// Result of a copy: the row of the new object, and its version id if the destination bucket keeps versions.
#[derive(Debug)]
pub(crate) struct Copied {
    pub(crate) object: Object,
    pub(crate) version: Option<String>,
    /// Version id of the source, if the request contained a version id or the source's bucket keeps versions.
    pub(crate) source_version: Option<String>,
}

/// Returns the row of the copy source, and the version id of the source if its bucket keeps versions or the request contains a version id.
/// Fails if the caller cannot see the object.
async fn source_row(
    state: &StorageState,
    identity: &Authenticated,
    operation: Operation,
    paths: &CopyPaths,
) -> Result<(Object, Option<String>)> {
    let Some(version) = &paths.source_version else {
        let mut tx = identity.begin(state.database(), operation).await?;
        let found = objects::find_versioned(&mut tx, &paths.source).await?;
        let (object, is_versioned) = found.ok_or(Error::NoSuchKey)?;
        let version = object.version.clone().filter(|_| is_versioned);
        return Ok((object, version));
    };
    let mut tx = identity.begin_as_service(state.database(), operation).await?;
    let found = versions::get(&mut tx, identity.caller().role(), &paths.source, version).await?;
    Ok((found.into_object()?, Some(version.clone())))
}

/// Copies an object and returns the row of the copy.
pub(crate) async fn copy(
    state: &StorageState,
    identity: &Authenticated,
    operation: Operation,
    paths: &CopyPaths,
    wanted: Wanted<'_>,
    changes: MetadataChanges,
) -> Result<Copied> {
    let destination = &paths.destination;
    names::valid_object(&destination.name)?;
    let (row, source_version) = source_row(state, identity, operation, paths).await?;
    let source = row.meta();
    if let Some(conditions) = wanted.of_source {
        conditions.require(source.validators())?;
    }
    let upsert = wanted.upsert;
    // `None` would keep the custom metadata of a replaced object, which belongs to other content.
    let of_source = || row.user_metadata.or_else(|| upsert.then(|| json!({})));
    let user_metadata = changes.user_metadata.unwrap_or_else(of_source);
    let mimetype = changes.mimetype.unwrap_or_else(|| source.media_type());
    let mut metadata = row.metadata.unwrap_or_else(|| json!({}));
    if let Some(map) = metadata.as_object_mut() {
        map.insert("mimetype".to_owned(), mimetype.as_str().into());
        if let Some(cache_control) = changes.cache_control {
            map.insert("cacheControl".to_owned(), cache_control.as_str().into());
        }
    }
    if let Some(representation) = changes.representation {
        representation.describe(&mut metadata);
    }
    let (owner, size) = (identity.owner(), source.size.unwrap_or(0));
    let row = NewObject {
        path: destination,
        owner: &owner,
        upsert,
        metadata: &metadata,
        user_metadata: user_metadata.as_ref(),
    };
    let rules = check_policies(state, identity, operation, &row, Some(size)).await?;
    first_bytes::check_object(state, &rules, &destination.name, &mimetype, &source).await?;
    state.capacity().check(size)?;

    let key = BlobKey::fresh();
    state.backend().copy(source.key()?, key).await?;
    let uncommitted = UncommittedBlob::new(state, key);
    let mut copied = source.blob()?;
    copied.key = key;
    let representation = Representation::of_metadata(Some(&metadata));
    let (uncommitted, blob) =
        uncommitted.strip_metadata(&destination.bucket, copied, (&mimetype, &representation)).await?;
    if blob.key != key {
        blob.describe(&mut metadata);
    }
    if let Some(map) = metadata.as_object_mut() {
        map.insert("lastModified".to_owned(), iso(Utc::now()).into());
    }
    let if_match = wanted.if_match;
    let version =
        NewVersion { path: destination.clone(), owner, upsert, if_match, key: blob.key, metadata, user_metadata };
    let key = version.key;
    let written = uncommitted.commit(identity, operation, version).await?;
    let mut tx = identity.begin_service(state.database(), operation).await?;
    let object = objects::get(&mut tx, destination).await?;
    Ok(Copied { object, version: written.is_versioned.then(|| key.to_string()), source_version })
}
