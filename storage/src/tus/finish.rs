//! Making an upload whose bytes are all there an object. Every step can be done again, so that a crash between any two is
//! mended by the next request for the upload.

use super::error::Result;
use super::record::{Record, forget};
use crate::checksum::Checksum;
use crate::error::Error;
use crate::operation::Operation;
use crate::request::{Asking, Visitor};
use crate::rows::object;
use crate::rules::mime::MediaType;
use crate::state::StorageState;
use crate::upload::commit::{self, Failure, Finished};
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
    let checksum = match &record.checksum {
        Some(saved) => Checksum::resume(saved)?,
        None => Checksum::default(),
    };
    let mimetype = match check(state, record).await {
        Ok(mimetype) => mimetype,
        Err(error) if error.status() < 500 => {
            forget(state, key).await?;
            commit::discard(state, key).await;
            return Err(error.into());
        }
        Err(error) => return Err(error.into()),
    };
    let finished = Finished {
        bucket: record.id.bucket.clone(),
        name: record.id.object.clone(),
        owner: record.owner.clone(),
        upsert: record.upsert,
        key,
        metadata: commit::metadata(&checksum.hex().await?, record.offset(), &mimetype, &record.cache_control, None),
        user_metadata: record.user_metadata.clone(),
    };
    match commit::write_row(state, asking, operation, &finished).await {
        Ok(written) => {
            state.memory().forget_object(&finished.bucket, &finished.name);
            let replaced = written.replaced.filter(|version| *version != key.to_string());
            commit::discard_version(state, replaced.as_deref()).await;
            record.complete(state).await
        }
        // What the network may upload grows again: the bytes wait for it, as long as any unfinished upload does.
        Err(Failure::Refused(error)) if error.status() < 500 && !matches!(error, Error::TooMany(..)) => {
            forget(state, key).await?;
            commit::discard(state, key).await;
            Err(error.into())
        }
        // The bytes are safe and the row may be there: the next request sees to it.
        Err(failure) => Err(failure.into_error().into()),
    }
}

/// The type of an upload whose bytes are assembled, if the bucket takes such bytes.
async fn check(state: &StorageState, record: &Record) -> crate::Result<MediaType> {
    let rules = pipeline::find_bucket(state, &record.id.bucket).await?.into();
    let blob = (record.id.version, record.offset());
    head::check_stored(state, &rules, &record.id.object, record.content_type.clone(), blob).await
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
    if shown.is_some_and(|object| object.version == Some(record.id.version.to_string())) {
        return record.complete(state).await;
    }
    tx.rollback().await.map_err(Error::from)?;
    let asking = visitor.known().unwrap_or_else(|| visitor.through_link());
    finish(state, record, &asking, operation).await
}
