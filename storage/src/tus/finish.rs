//! Completes a resumable upload whose content has been received. Every step is idempotent: after a crash, the next request for the upload
//! repeats the steps and completes it.

use super::error::Result;
use super::record::{self, Record};
use crate::backend::BlobKey;
use crate::byte_stream::digest::Digest;
use crate::db::objects;
use crate::error::Error;
use crate::model::blob::StoredBlob;
use crate::model::representation::Representation;
use crate::operation::Operation;
use crate::request::{Authenticated, MaybeAuthenticated};
use crate::state::StorageState;
use crate::strip_metadata::strip;
use crate::upload::authorize::find_bucket;
use crate::upload::commit::{self, Failure, NewVersion};
use crate::upload::first_bytes;
use crate::validation::media_type::MediaType;

/// Assembles the content of a resumable upload, writes the object's row and marks the upload as completed.
///
/// # Errors
/// 409 if an object with the upload's name exists. In this case the upload is deleted.
pub(crate) async fn finish(
    state: &StorageState,
    record: &mut Record,
    identity: &Authenticated,
    operation: Operation,
) -> Result<()> {
    let key = record.id.version;
    state.backend().assemble(key, record.assembly.clone()).await?;
    let (blob, mimetype) = match assembled_blob(state, record).await {
        Ok(assembled) => assembled,
        Err(error) if error.status() < 500 => return fail(state, key, error).await,
        Err(error) => return Err(error.into()),
    };
    let version = NewVersion {
        path: record.id.path.clone(),
        owner: record.owner.clone(),
        upsert: record.upsert,
        if_match: None,
        key: blob.key,
        metadata: commit::metadata(&blob, &mimetype, &record.cache_control, None),
        user_metadata: record.user_metadata.clone(),
    };
    match commit::write_row(state, identity, operation, &version).await {
        Ok(written) => {
            state.object_cache().invalidate(&version.path);
            let replaced = written.replaced.filter(|version| *version != blob.key.to_string());
            commit::discard_version(state, replaced.as_deref()).await;
            if blob.key != key {
                commit::discard(state, key).await;
            }
            record.complete(state).await
        }
        // An exceeded upload quota (`Error::TooMany`) of a visitor's network does not delete the resumable upload. The upload is kept until
        // it expires, because the quota is replenished over time.
        Err(Failure::Refused(error)) if error.status() < 500 && !matches!(error, Error::TooMany(..)) => {
            if blob.key != key {
                commit::discard(state, blob.key).await;
            }
            fail(state, key, error).await
        }
        // The content is stored and the object's row may be committed. The next request for the resumable upload completes the remaining
        // steps.
        Err(failure) => Err(failure.into_error().into()),
    }
}

/// Deletes a resumable upload that cannot become an object.
async fn fail(state: &StorageState, key: BlobKey, error: Error) -> Result<()> {
    record::delete(state, key).await?;
    commit::discard(state, key).await;
    Err(error.into())
}

/// Returns the assembled blob of a resumable upload and its media type. Removes the image metadata if the bucket requires this. Fails if
/// the bucket does not allow the media type.
async fn assembled_blob(state: &StorageState, record: &Record) -> crate::Result<(StoredBlob, MediaType)> {
    let digest = match &record.digest_state {
        Some(saved) => Digest::resume(saved)?,
        None => Digest::default(),
    };
    let blob = StoredBlob { key: record.id.version, size: record.offset(), etag: digest.hex().await };
    let rules = find_bucket(state, &record.id.path.bucket).await?.into();
    let declared = record.content_type.clone();
    let mimetype = first_bytes::check_stored(state, &rules, &record.id.path.name, declared, &blob).await?;
    let file = (&mimetype, &Representation::default());
    let stripped = strip(state, &record.id.path.bucket, &blob, file).await?;
    Ok((stripped.unwrap_or(blob), mimetype))
}

/// Completes a resumable upload after a crash: the content has been received, but the object may be missing.
///
/// # Errors
/// The same errors as [`finish`].
pub(crate) async fn recover(
    state: &StorageState,
    record: &mut Record,
    identity: &MaybeAuthenticated,
    operation: Operation,
) -> Result<()> {
    if !record.finishing || record.completed {
        return Ok(());
    }
    let mut tx = identity.begin_service(state.database(), operation).await?;
    let shown = objects::find(&mut tx, &record.id.path).await?;
    let versions = [record.id.version, record.id.version.derived()].map(|key| Some(key.to_string()));
    if shown.is_some_and(|object| versions.contains(&object.version)) {
        return record.complete(state).await;
    }
    tx.rollback().await.map_err(Error::from)?;
    let identity = identity.authenticated().unwrap_or_else(|| identity.by_signed_url());
    finish(state, record, &identity, operation).await
}
