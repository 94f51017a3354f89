//! Making an upload whose bytes are all there an object. Every step can be done again, so that a crash between any two is
//! mended by the next request for the upload.

use super::error::Result;
use super::record::{Record, forget};
use crate::backend::BlobKey;
use crate::error::Error;
use crate::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::{Asking, Visitor};
use crate::rows::object;
use crate::rules::mime::MediaType;
use crate::state::StorageState;
use crate::strip::{Blob, strip};
use crate::upload::commit::{self, Failure, Finished};
use crate::upload::digest::Digest;
use crate::upload::{head, pipeline};

/// Assembles the bytes, writes the object's row and notes that it is there.
///
/// # Errors
/// 409 when somebody else has taken the key; the upload is lost then.
pub(crate) async fn finish(
    state: &StorageState,
    record: &mut Record,
    asking: &Asking,
    operation: Operation,
) -> Result<()> {
    let key = record.id.version;
    state.backend().assemble(key, record.assembly.clone()).await?;
    let (blob, mimetype) = match complete(state, record).await {
        Ok(complete) => complete,
        Err(error) if error.status() < 500 => return lose(state, key, error).await,
        Err(error) => return Err(error.into()),
    };
    let finished = Finished {
        bucket: record.id.bucket.clone(),
        name: record.id.object.clone(),
        owner: record.owner.clone(),
        upsert: record.upsert,
        key: blob.key,
        metadata: commit::metadata(&blob.etag, blob.size, &mimetype, &record.cache_control, None),
        user_metadata: record.user_metadata.clone(),
    };
    match commit::write_row(state, asking, operation, &finished).await {
        Ok(written) => {
            state.object_cache().invalidate(&ObjectPath::new(&finished.bucket, &finished.name));
            let replaced = written.replaced.filter(|version| *version != blob.key.to_string());
            commit::discard_version(state, replaced.as_deref()).await;
            if blob.key != key {
                commit::discard(state, key).await;
            }
            record.complete(state).await
        }
        // What the network may upload grows again: the bytes wait for it, as long as any unfinished upload does.
        Err(Failure::Refused(error)) if error.status() < 500 && !matches!(error, Error::TooMany(..)) => {
            if blob.key != key {
                commit::discard(state, blob.key).await;
            }
            lose(state, key, error).await
        }
        // The bytes are safe and the row may be there: the next request sees to it.
        Err(failure) => Err(failure.into_error().into()),
    }
}

/// Forgets an upload that can become no object.
async fn lose(state: &StorageState, key: BlobKey, error: Error) -> Result<()> {
    forget(state, key).await?;
    commit::discard(state, key).await;
    Err(error.into())
}

/// The assembled bytes as they shall be shown, and their type, if the bucket takes such bytes.
async fn complete(state: &StorageState, record: &Record) -> crate::Result<(Blob, MediaType)> {
    let (key, size) = (record.id.version, record.offset());
    let rules = pipeline::find_bucket(state, &record.id.bucket).await?.into();
    let declared = record.content_type.clone();
    let mimetype = head::check_stored(state, &rules, &record.id.object, declared, (key, size)).await?;
    let digest = match &record.checksum {
        Some(saved) => Digest::resume(saved)?,
        None => Digest::default(),
    };
    let blob = Blob { key, size, etag: digest.hex().await };
    let stripped = strip(state, &record.id.bucket, &blob).await?;
    Ok((stripped.unwrap_or(blob), mimetype))
}

/// Ends what a crash interrupted: an upload whose bytes are all there, but whose object may not be.
///
/// # Errors
/// As [`finish`].
pub(crate) async fn recover(
    state: &StorageState,
    record: &mut Record,
    visitor: &Visitor,
    operation: Operation,
) -> Result<()> {
    if !record.finishing || record.completed {
        return Ok(());
    }
    let mut tx = visitor.begin_service(state, operation).await?;
    let shown = object::find(&mut tx, &record.id.bucket, &record.id.object).await?;
    let versions = [record.id.version, record.id.version.derived()].map(|key| Some(key.to_string()));
    if shown.is_some_and(|object| versions.contains(&object.version)) {
        return record.complete(state).await;
    }
    tx.rollback().await.map_err(Error::from)?;
    let asking = visitor.known().unwrap_or_else(|| visitor.through_link());
    finish(state, record, &asking, operation).await
}
