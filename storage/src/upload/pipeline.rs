//! The stages of an upload: rules of the bucket, permission, bytes, row.

use axum::body::Body;
use uuid::Uuid;

use super::body::Arriving;
use super::commit::{self, Finished, Loose};
use super::permit::{self, Wanted};
use super::{Details, body, stream};
use crate::backend::BlobKey;
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::asking::Owner;
use crate::rows::bucket::{self, Bucket};
use crate::rules::{mime, name, size};
use crate::state::StorageState;

/// Where a file goes, and by which right.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) bucket: String,
    pub(crate) name: String,
    pub(crate) owner: Owner,
    pub(crate) upsert: bool,
    /// Whether the policies are asked; they have been already when the link for an upload was signed.
    pub(crate) ask: bool,
}

/// An object that has been stored.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// Its row's id.
    pub(crate) id: Uuid,
    /// Its entity tag, without quotes.
    pub(crate) etag: String,
}

/// Stores the file in a request's body.
///
/// # Errors
/// When the rules, the policies or the bytes do not allow it. Nothing is left behind then.
pub(crate) async fn upload(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    target: Target,
    body: Body,
) -> Result<Stored> {
    let bucket = find_bucket(state, asking, operation, &target.bucket).await?;
    let arriving = body::open(asking.headers(), body, state.settings().slow_client).await?;
    store(state, asking, operation, (target, bucket), arriving).await
}

/// Stores a file that arrives.
///
/// # Errors
/// As [`upload`].
pub(crate) async fn store(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    (target, bucket): (Target, Bucket),
    arriving: Arriving,
) -> Result<Stored> {
    let mut details = arriving.incoming.details;
    check_type(&bucket, &target.name, &details.mimetype)?;
    let limit = size_limit(state, &bucket, &target.name);
    let is_form = arriving.trailing.is_some();
    if !is_form && details.declared_length.is_some_and(|length| length > limit) {
        return Err(Error::EntityTooLarge);
    }
    name::valid_object(&target.name)?;
    ask(state, asking, operation, &target, &details).await?;

    let key = BlobKey::fresh();
    let checksum = stream::Checksum::default();
    let bytes = checksum.over(stream::limited(arriving.incoming.bytes, limit));
    let size = state.backend().put(key, bytes).await?;
    let loose = Loose::new(state, key);
    if let Some(trailing) = arriving.trailing {
        details = with_trailing(state, asking, operation, (&target, &bucket), &details, trailing).await?;
    }
    let etag = checksum.hex();
    let metadata = commit::metadata(&etag, size, &details.mimetype, &details.cache_control, details.robots.as_deref());
    let finished = Finished {
        bucket: target.bucket,
        name: target.name,
        owner: target.owner,
        upsert: target.upsert,
        key,
        metadata,
        user_metadata: Some(details.user_metadata.unwrap_or_else(|| serde_json::json!({}))),
    };
    let (asking, own_state) = (asking.clone(), state.clone());
    loose.take();
    let begun = async move { asking.begin_service_in_turn(&own_state, operation).await };
    let id = commit::commit(state, begun, finished).await?;
    Ok(Stored { id, etag })
}

/// Finds the bucket of an upload, whatever the caller may see: its rules apply to all.
pub(crate) async fn find_bucket(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    id: &str,
) -> Result<Bucket> {
    name::valid_bucket(id)?;
    let mut tx = asking.begin_service_in_turn(state, operation).await?;
    let bucket = bucket::get(&mut tx, id).await?;
    tx.rollback().await?;
    Ok(bucket)
}

/// The most bytes a file of this name may have.
pub(crate) fn size_limit(state: &StorageState, bucket: &Bucket, name: &str) -> u64 {
    if name::is_empty_folder(name) {
        return 0;
    }
    size::effective(state.settings().file_size_limit, bucket.file_size_limit)
}

pub(crate) fn check_type(bucket: &Bucket, name: &str, mimetype: &str) -> Result<()> {
    if bucket.allowed().is_empty() || name::is_empty_folder(name) {
        return Ok(());
    }
    mime::check_allowed(mimetype, bucket.allowed())
}

async fn ask(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    target: &Target,
    details: &Details,
) -> Result<()> {
    if !target.ask {
        return Ok(());
    }
    let wanted = Wanted {
        bucket: &target.bucket,
        name: &target.name,
        owner: &target.owner,
        upsert: target.upsert,
        metadata: permit::trial_metadata(Some(&details.mimetype), details.declared_length),
        user_metadata: details.user_metadata.as_ref(),
    };
    permit::ask(state, asking, operation, &wanted).await
}

/// The details with the form's last fields taken in; what they change is checked again.
async fn with_trailing(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    (target, bucket): (&Target, &Bucket),
    before: &Details,
    trailing: super::multipart::Trailing,
) -> Result<Details> {
    let fields =
        trailing.await.map_err(|source| Error::Internal { context: "reading a form", source: source.into() })?;
    let mut details = before.clone();
    fields.describe(&mut details)?;
    if details.mimetype != before.mimetype {
        check_type(bucket, &target.name, &details.mimetype)?;
    }
    if details.mimetype != before.mimetype || details.user_metadata != before.user_metadata {
        ask(state, asking, operation, target, &details).await?;
    }
    Ok(details)
}
