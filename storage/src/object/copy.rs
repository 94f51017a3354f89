//! `POST /object/copy`

use axum::extract::State;
use chrono::Utc;
use serde_json::{Value, json};

use super::meta::Meta;
use super::relocate::Route;
use super::upload::wants_upsert;
use crate::answer::Json;
use crate::backend::BlobKey;
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::json::JsonBody;
use crate::rows::iso;
use crate::rows::object::{self, Object};
use crate::rows::write::NewObject;
use crate::rules::mime::MediaType;
use crate::rules::name;
use crate::state::StorageState;
use crate::strip::strip;
use crate::upload::body;
use crate::upload::commit::{self, Finished, Loose};
use crate::upload::{head, permit};

/// What of the source's metadata is replaced.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    pub(crate) cache_control: Option<String>,
    pub(crate) mimetype: Option<MediaType>,
    /// The new custom metadata; `None` keeps the source's.
    pub(crate) user_metadata: Option<Option<Value>>,
}

/// Copies an object that the caller may see to a key where they may upload.
pub(crate) async fn handle(
    State(state): State<StorageState>,
    asking: Asking,
    JsonBody(mut fields): JsonBody,
) -> Result<Json<Value>> {
    let route = Route::of(&mut fields);
    let keep = fields.boolean("copyMetadata").unwrap_or(true);
    let mut replaced = Replaced::default();
    if let Some(mut metadata) = fields.object("metadata") {
        let cache_control = metadata.text("cacheControl");
        let mimetype = metadata.text("mimetype").as_deref().map(MediaType::parse_or_default);
        fields.absorb(metadata);
        if !keep {
            (replaced.cache_control, replaced.mimetype) = (cache_control, mimetype);
        }
    }
    fields.finish()?;
    if !keep {
        replaced.user_metadata = Some(body::user_metadata(asking.headers())?);
    }
    let upsert = wants_upsert(asking.headers());
    let copied = copy(&state, &asking, Operation::ObjectCopy, &route, upsert, replaced).await?;
    let key = format!("{}/{}", route.destination_bucket, route.destination);
    let mut answer = serde_json::to_value(&copied)
        .map_err(|source| Error::Internal { context: "writing an object", source: source.into() })?;
    if let Some(map) = answer.as_object_mut() {
        map.insert("Id".to_owned(), json!(copied.id));
        map.insert("Key".to_owned(), key.into());
    }
    Ok(Json(answer))
}

/// Copies an object; returns the new row.
pub(crate) async fn copy(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    route: &Route,
    upsert: bool,
    replaced: Replaced,
) -> Result<Object> {
    name::valid_object(&route.destination)?;
    let mut tx = asking.begin(state, operation).await?;
    let source = object::get(&mut tx, &route.source_bucket, &route.source).await?;
    tx.rollback().await?;
    let stored_metadata = source.metadata.clone().unwrap_or_else(|| json!({}));
    let user_metadata = replaced.user_metadata.unwrap_or_else(|| source.user_metadata.clone());
    let source = Meta::of(&source);
    let mimetype = replaced.mimetype.unwrap_or_else(|| source.media_type());
    let mut metadata = stored_metadata;
    if let Some(map) = metadata.as_object_mut() {
        map.insert("mimetype".to_owned(), mimetype.as_str().into());
        if let Some(cache_control) = replaced.cache_control {
            map.insert("cacheControl".to_owned(), cache_control.into());
        }
    }
    let owner = asking.owner();
    let wanted = NewObject {
        bucket: &route.destination_bucket,
        name: &route.destination,
        owner: &owner,
        upsert,
        metadata: &metadata,
        user_metadata: user_metadata.as_ref(),
    };
    let size = source.size.unwrap_or(0);
    let rules = permit::ask(state, asking, operation, &wanted, Some(size)).await?;
    head::check_object(state, &rules, &route.destination, &mimetype, &source).await?;
    state.space().check(size)?;

    let key = BlobKey::fresh();
    state.backend().copy(source.key()?, key).await?;
    let mut loose = Loose::new(state, key);
    let mut blob = source.blob()?;
    blob.key = key;
    if let Some(stripped) = strip(state, &route.destination_bucket, &blob).await? {
        loose = Loose::new(state, stripped.key);
        stripped.describe(&mut metadata);
        blob = stripped;
    }
    let key = blob.key;
    if let Some(map) = metadata.as_object_mut() {
        map.insert("lastModified".to_owned(), iso(Utc::now()).into());
    }
    let finished = Finished {
        bucket: route.destination_bucket.clone(),
        name: route.destination.clone(),
        owner,
        upsert,
        key,
        metadata,
        user_metadata,
    };
    loose.take();
    commit::commit(state, asking, operation, finished).await?;
    let mut tx = asking.begin_service(state, operation).await?;
    object::get(&mut tx, &route.destination_bucket, &route.destination).await
}
