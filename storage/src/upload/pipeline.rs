//! The stages of an upload: rules of the bucket, permission, bytes, row.

use std::time::Instant;

use axum::body::Body;
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres};
use uuid::Uuid;

use super::body::Arriving;
use super::commit::{self, Finished, Loose};
use super::digest::Digest;
use super::head::{self, Head};
use super::permit;
use super::{Details, body, stream};
use crate::backend::BlobKey;
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::asking::Owner;
use crate::rows::bucket::{self, Bucket, Rules};
use crate::rows::question::ACQUIRE_TIMEOUT;
use crate::rows::write::NewObject;
use crate::rules::mime::MediaType;
use crate::rules::{mime, name, size};
use crate::state::StorageState;
use crate::strip::{Blob, strip};
use crate::{space, visitors};

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
    name::valid_bucket(&target.bucket)?;
    match body::open(asking.headers(), body, state.settings().slow_client).await {
        Ok(arriving) => store(state, asking, operation, target, arriving).await,
        Err(malformed) => {
            find_bucket(state, &target.bucket).await?;
            Err(malformed)
        }
    }
}

/// Stores a file that arrives.
///
/// # Errors
/// As [`upload`].
pub(crate) async fn store(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    target: Target,
    arriving: Arriving,
) -> Result<Stored> {
    let mut details = arriving.incoming.details;
    // Of a form, it is the size of the form.
    let size = if arriving.trailing.is_none() { details.declared_length } else { None };
    let rules = admit(state, asking, operation, (&target, size), &details).await?;
    let limit = size_limit(state, &rules, &target.name);

    let key = BlobKey::fresh();
    let digest = Digest::default();
    let bytes = space::guarded(state, stream::limited(arriving.incoming.bytes, limit), size)?;
    let (bytes, head) = head::checked(bytes, &rules, &target.name, &details.mimetype);
    let bytes = digest.over(stream::buffered(bytes));
    let size = state.backend().put(key, bytes).await?;
    let mut loose = Loose::new(state, key);
    if let Some(trailing) = arriving.trailing {
        details = with_trailing(state, asking, operation, (&target, &rules, &head), &details, trailing).await?;
    }
    let mut blob = Blob { key, size, etag: digest.hex().await };
    if let Some(stripped) = strip(state, &target.bucket, &blob).await? {
        loose = Loose::new(state, stripped.key);
        blob = stripped;
    }
    let Blob { key, size, etag } = blob;
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
    loose.take();
    let id = commit::commit(state, asking, operation, finished).await?;
    Ok(Stored { id, etag })
}

/// Lets a file in, or says why not: first by the rules of the bucket, whatever the caller may see, then by the policies. Both are
/// asked at once.
///
/// # Errors
/// The first reason against it.
pub(crate) async fn admit(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    (target, size): (&Target, Option<u64>),
    details: &Details,
) -> Result<Rules> {
    name::valid_bucket(&target.bucket)?;
    let check = |rules: &Rules| {
        check_type(rules, &target.name, &details.mimetype)?;
        if size.is_some_and(|size| size > size_limit(state, rules, &target.name)) {
            return Err(Error::EntityTooLarge);
        }
        name::valid_object(&target.name).map(drop)
    };
    let bytes = size.unwrap_or(0);
    let asked = match target.ask {
        true => ask(state, asking, operation, target, details, Some(bytes)).await,
        false => match visitors::check(state, asking, bytes).await {
            Ok(()) => find_bucket(state, &target.bucket).await.map(Rules::from),
            Err(refusal) => Err(refusal),
        },
    };
    match asked {
        Ok(rules) => check(&rules).map(|()| rules),
        // Nothing else is worth another question.
        Err(refusal @ Error::TooMany(..)) => Err(refusal),
        Err(refusal) => {
            check(&find_bucket(state, &target.bucket).await?.into())?;
            Err(refusal)
        }
    }
}

/// Finds the bucket of an upload, whatever the caller may see: its rules apply to all.
pub(crate) async fn find_bucket(state: &StorageState, id: &str) -> Result<Bucket> {
    name::valid_bucket(id)?;
    let mut connection = in_turn(state.database().admin()).await?;
    bucket::find(&mut *connection, id).await?.ok_or(Error::NoSuchBucket)
}

/// A connection, in turn: many uploads may come at once.
async fn in_turn(connections: &PgPool) -> Result<PoolConnection<Postgres>> {
    let asked = Instant::now();
    loop {
        match connections.acquire().await {
            Err(sqlx::Error::PoolTimedOut) if asked.elapsed() < ACQUIRE_TIMEOUT => {}
            outcome => return Ok(outcome?),
        }
    }
}

/// The most bytes a file of this name may have.
pub(crate) fn size_limit(state: &StorageState, rules: &Rules, name: &str) -> u64 {
    if name::is_empty_folder(name) {
        return 0;
    }
    size::effective(state.settings().file_size_limit, rules.file_size_limit)
}

pub(crate) fn check_type(rules: &Rules, name: &str, mimetype: &MediaType) -> Result<()> {
    if rules.allowed().is_empty() || name::is_empty_folder(name) {
        return Ok(());
    }
    mime::check_allowed(mimetype, rules.allowed())
}

async fn ask(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    target: &Target,
    details: &Details,
    bytes: Option<u64>,
) -> Result<Rules> {
    let wanted = NewObject {
        bucket: &target.bucket,
        name: &target.name,
        owner: &target.owner,
        upsert: target.upsert,
        metadata: &permit::trial_metadata(Some(&details.mimetype), details.declared_length),
        user_metadata: details.user_metadata.as_ref(),
    };
    permit::ask(state, asking, operation, &wanted, bytes).await
}

/// The details with the form's last fields taken in; what they change is checked again.
async fn with_trailing(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    (target, rules, head): (&Target, &Rules, &Head),
    before: &Details,
    trailing: super::multipart::Trailing,
) -> Result<Details> {
    let fields =
        trailing.await.map_err(|source| Error::Internal { context: "reading a form", source: source.into() })?;
    let mut details = before.clone();
    fields.describe(&mut details)?;
    if details.mimetype != before.mimetype {
        head::check_again(rules, &target.name, &details.mimetype, head)?;
    }
    if target.ask && (details.mimetype != before.mimetype || details.user_metadata != before.user_metadata) {
        ask(state, asking, operation, target, &details, None).await?;
    }
    Ok(details)
}
