//! Commits an upload: writes the object's row with the service role after the content is stored.

use chrono::Utc;
use cloch_sql::Caller;
use cloch_sql::client::ClientError;
use serde_json::{Map, Value};

use super::visitor_quota;
use crate::backend::BlobKey;
use crate::db::iso;
use crate::db::objects::Deleted;
use crate::db::retrying_query::Outcome;
use crate::db::versions::Version;
use crate::db::write_object::{self, NewObject, Written};
use crate::error::{Error, Result};
use crate::metrics;
use crate::model::blob::StoredBlob;
use crate::model::object_path::ObjectPath;
use crate::model::owner::Owner;
use crate::model::representation::Representation;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::state::StorageState;
use crate::strip_metadata::strip;
use crate::validation::media_type::MediaType;

/// A new version of an object: its stored blob, and the object's row that will refer to the blob.
#[derive(Clone, Debug)]
pub(crate) struct NewVersion {
    pub(crate) path: ObjectPath,
    pub(crate) owner: Owner,
    pub(crate) upsert: bool,
    /// Entity tag, including its quotes, that the replaced version must have. `None` for no condition.
    pub(crate) if_match: Option<String>,
    pub(crate) key: BlobKey,
    pub(crate) metadata: Value,
    pub(crate) user_metadata: Option<Value>,
}

impl NewVersion {
    /// Size of the object in bytes.
    fn size(&self) -> u64 {
        self.metadata.get("size").and_then(Value::as_u64).unwrap_or(0)
    }
}

/// Creates the metadata column of an object.
pub(crate) fn metadata(blob: &StoredBlob, mimetype: &MediaType, cache_control: &str, robots: Option<&str>) -> Value {
    let mut map = Map::new();
    map.insert("eTag".to_owned(), format!("\"{}\"", blob.etag).into());
    map.insert("size".to_owned(), blob.size.into());
    map.insert("mimetype".to_owned(), mimetype.as_str().into());
    map.insert("cacheControl".to_owned(), cache_control.into());
    map.insert("lastModified".to_owned(), iso(Utc::now()).into());
    map.insert("contentLength".to_owned(), blob.size.into());
    map.insert("httpStatusCode".to_owned(), 200.into());
    if let Some(robots) = robots {
        map.insert("xRobotsTag".to_owned(), robots.into());
    }
    Value::Object(map)
}

/// A blob to which no row refers yet. Dropping this value before [`UncommittedBlob::commit`] deletes the blob.
#[derive(Debug)]
pub(crate) struct UncommittedBlob {
    state: StorageState,
    key: Option<BlobKey>,
}

impl UncommittedBlob {
    pub(crate) fn new(state: &StorageState, key: BlobKey) -> Self {
        Self { state: state.clone(), key: Some(key) }
    }

    /// Releases the blob without deleting it, because a row may refer to it from now on.
    pub(crate) fn release(mut self) {
        self.key = None;
    }

    /// Replaces the uploaded image with a copy without metadata, if the bucket is configured to remove image metadata.
    ///
    /// # Errors
    /// The same errors as [`strip`].
    pub(crate) async fn strip_metadata(
        self,
        bucket: &str,
        blob: StoredBlob,
        file: (&MediaType, &Representation),
    ) -> Result<(Self, StoredBlob)> {
        match strip(&self.state, bucket, &blob, file).await? {
            Some(stripped) => Ok((Self::new(&self.state, stripped.key), stripped)),
            None => Ok((self, blob)),
        }
    }

    /// Writes the object's row and deletes the replaced blob. The task continues if the client disconnects. Otherwise a request that is
    /// dropped between commit and response would have an undefined result.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] if a concurrent request has created the object and the upload may not replace it.
    pub(crate) async fn commit(
        self,
        identity: &Authenticated,
        operation: Operation,
        version: NewVersion,
    ) -> Result<Written> {
        let (state, identity) = (self.state.clone(), identity.clone());
        self.release();
        let task = tokio::spawn(async move {
            match write_row(&state, &identity, operation, &version).await {
                Ok(written) => {
                    metrics::UPLOADS_STORED.inc();
                    metrics::UPLOADED_BYTES.inc_by(version.size());
                    state.object_cache().invalidate(&version.path);
                    // No row refers to the replaced blob, so it can be deleted after the response.
                    let replaced = written.replaced.clone();
                    tokio::spawn(async move { discard_version(&state, replaced.as_deref()).await });
                    Ok(written)
                }
                Err(Failure::Refused(error)) => {
                    discard(&state, version.key).await;
                    Err(error)
                }
                // It is unknown whether the object's row was written, so the blob is kept. If no row refers to the blob, the periodic
                // cleanup of orphaned blobs deletes it.
                Err(Failure::Unknown(error)) => Err(error),
            }
        });
        task.await.map_err(|source| Error::internal("writing an object's row")(source.into()))?
    }
}

impl Drop for UncommittedBlob {
    fn drop(&mut self) {
        if let (Some(key), Ok(runtime)) = (self.key.take(), tokio::runtime::Handle::try_current()) {
            let state = self.state.clone();
            runtime.spawn(async move { discard(&state, key).await });
        }
    }
}

/// Error of writing an object's row. The variant shows whether it is certain that the row was not written.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The object's row was certainly not written.
    Refused(Error),
    /// The connection was lost before the response, so the object's row may have been written.
    Unknown(Error),
}

impl Failure {
    /// Returns the storage error for the client.
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Refused(error) | Self::Unknown(error) => error,
        }
    }
}

/// Counts the file in the upload quota of a visitor (a caller without a session) and writes the object's row. If the row was certainly not
/// written, the file is subtracted from the quota again.
pub(crate) async fn write_row(
    state: &StorageState,
    identity: &Authenticated,
    operation: Operation,
    version: &NewVersion,
) -> Result<Written, Failure> {
    let counted = visitor_quota::count(state, identity, version.size()).await.map_err(Failure::Refused)?;
    let result = write_counted(state, identity, operation, version).await;
    if let Err(Failure::Refused(_)) = &result {
        counted.give_back(state).await;
    }
    result
}

/// Writes the object's row in a transaction of the service role.
async fn write_counted(
    state: &StorageState,
    identity: &Authenticated,
    operation: Operation,
    version: &NewVersion,
) -> Result<Written, Failure> {
    let row = NewObject {
        path: &version.path,
        owner: &version.owner,
        upsert: version.upsert,
        metadata: &version.metadata,
        user_metadata: version.user_metadata.as_ref(),
    };
    let settings = identity.local_settings(&Caller::service_role(), operation);
    let key = version.key.to_string();
    let Outcome { mut result, was_lost } =
        write_object::write(state.database().objects(), &settings, &key, (&row, version.if_match.as_deref())).await;
    let found = match was_lost {
        true => write_object::find_version(state.database().admin(), &key).await,
        false => Ok(None),
    };
    // After a lost connection, the write is repeated. The error may come from the second attempt although the first attempt was committed.
    // The row was certainly not written only if the search for the row succeeded and found nothing.
    let is_clear = found.is_ok();
    if let Ok(Some(found)) = found {
        result = Ok(Written { replaced: result.ok().and_then(|written| written.replaced), ..found });
    }
    let result = result.map(|written| Written { replaced: written.replaced.filter(|old| *old != key), ..written });
    result.map_err(|error| {
        let is_certain = is_clear && is_certain(&error, was_lost);
        let error = write_object::write_error(error, version.upsert);
        if is_certain { Failure::Refused(error) } else { Failure::Unknown(error) }
    })
}

/// Whether the failed statement was certainly not committed. A PostgreSQL server that stops or has crashed (SQLSTATE 57P01 and similar) may
/// report an error after the commit.
fn is_certain(error: &ClientError, was_lost: bool) -> bool {
    match error {
        ClientError::Db(refusal) => !refusal.code.starts_with("57P"),
        ClientError::Lost(_) => false,
        ClientError::Connect(_)
        | ClientError::Busy
        | ClientError::TooLarge
        | ClientError::NoRoom
        | ClientError::TooManyParameters(_) => !was_lost,
    }
}

/// Deletes a blob to which no row refers, and the images rendered from it. If the deletion fails, the periodic cleanup of orphaned blobs
/// deletes the blob later.
pub(crate) async fn discard(state: &StorageState, key: BlobKey) {
    state.render_cache().remove(key);
    if let Err(error) = state.backend().delete(key).await {
        tracing::warn!(%error, storage.version = %key, "storage: deleting an orphaned blob failed, the sweep (periodic cleanup) retries");
    }
}

/// Deletes the blob of an object version to which no row refers.
pub(crate) async fn discard_version(state: &StorageState, version: Option<&str>) {
    if let Some(key) = version.and_then(BlobKey::parse) {
        discard(state, key).await;
    }
}

/// Deletes the blobs of deleted objects in the background.
pub(crate) fn discard_deleted(state: &StorageState, deleted: &[Deleted]) {
    for Deleted { object, .. } in deleted {
        state.object_cache().invalidate(&ObjectPath::new(&object.bucket_id, &object.name));
    }
    discard_keys(state, deleted.iter().filter_map(|deleted| BlobKey::parse(deleted.dropped.as_deref()?)).collect());
}

/// Deletes the blobs of deleted object versions in the background.
pub(crate) fn discard_versions(state: &StorageState, gone: &[Version]) {
    for version in gone {
        state.object_cache().invalidate(&ObjectPath::new(&version.bucket_id, &version.name));
    }
    let keys = gone.iter().filter(|version| !version.is_delete_marker);
    discard_keys(state, keys.filter_map(|version| BlobKey::parse(&version.version)).collect());
}

fn discard_keys(state: &StorageState, keys: Vec<BlobKey>) {
    let state = state.clone();
    tokio::spawn(async move {
        for key in keys {
            discard(&state, key).await;
        }
    });
}
