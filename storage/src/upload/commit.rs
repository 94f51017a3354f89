//! The step that makes bytes visible: the row, written by the service role once the bytes are safe.

use chrono::Utc;
use cloch_sql::Caller;
use cloch_sql::client::ClientError;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::backend::BlobKey;
use crate::error::{Error, Result};
use crate::object_path::ObjectPath;
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::asking::Owner;
use crate::rows::iso;
use crate::rows::object::Object;
use crate::rows::question::Outcome;
use crate::rows::write::{self, NewObject, Written};
use crate::rules::mime::MediaType;
use crate::state::StorageState;
use crate::visitors;

/// A blob that is safe in the backend, and the row that shall show it.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    pub(crate) bucket: String,
    pub(crate) name: String,
    pub(crate) owner: Owner,
    pub(crate) upsert: bool,
    pub(crate) key: BlobKey,
    pub(crate) metadata: Value,
    pub(crate) user_metadata: Option<Value>,
}

impl Finished {
    /// The size in bytes.
    fn size(&self) -> u64 {
        self.metadata.get("size").and_then(Value::as_u64).unwrap_or(0)
    }
}

/// The metadata column of an object. `etag` comes without quotes.
pub(crate) fn metadata(
    etag: &str,
    size: u64,
    mimetype: &MediaType,
    cache_control: &str,
    robots: Option<&str>,
) -> Value {
    let mut map = Map::new();
    map.insert("eTag".to_owned(), format!("\"{etag}\"").into());
    map.insert("size".to_owned(), size.into());
    map.insert("mimetype".to_owned(), mimetype.as_str().into());
    map.insert("cacheControl".to_owned(), cache_control.into());
    map.insert("lastModified".to_owned(), iso(Utc::now()).into());
    map.insert("contentLength".to_owned(), size.into());
    map.insert("httpStatusCode".to_owned(), 200.into());
    if let Some(robots) = robots {
        map.insert("xRobotsTag".to_owned(), robots.into());
    }
    Value::Object(map)
}

/// Writes the row, and has the bytes it replaces deleted. Runs to its end even when the client goes away meanwhile: a request
/// dropped between the row and the answer would leave the outcome to chance.
///
/// # Errors
/// [`Error::AlreadyExists`] when somebody else has taken the key meanwhile and nothing may be replaced.
pub(crate) async fn commit(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    finished: Finished,
) -> Result<Uuid> {
    let (state, asking) = (state.clone(), asking.clone());
    let task = tokio::spawn(async move {
        let outcome = write_row(&state, &asking, operation, &finished).await;
        match outcome {
            Ok(written) => {
                state.object_cache().invalidate(&ObjectPath::new(&finished.bucket, &finished.name));
                // After the answer: the row was what made them visible.
                tokio::spawn(async move { discard_version(&state, written.replaced.as_deref()).await });
                Ok(written.id)
            }
            Err(Failure::Refused(error)) => {
                discard(&state, finished.key).await;
                Err(error)
            }
            // Nobody knows whether the row is there, so the bytes stay; the sweeper will know.
            Err(Failure::Unknown(error)) => Err(error),
        }
    });
    task.await.map_err(|source| Error::Internal { context: "writing an object's row", source: source.into() })?
}

/// Why a row was not written, or may not have been.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The row was certainly not written.
    Refused(Error),
    /// The connection broke before the answer came.
    Unknown(Error),
}

impl Failure {
    /// The failure as the request tells it.
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Refused(error) | Self::Unknown(error) => error,
        }
    }
}

/// Writes the row in a transaction of the service role.
pub(crate) async fn write_row(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    finished: &Finished,
) -> Result<Written, Failure> {
    let row = NewObject {
        bucket: &finished.bucket,
        name: &finished.name,
        owner: &finished.owner,
        upsert: finished.upsert,
        metadata: &finished.metadata,
        user_metadata: finished.user_metadata.as_ref(),
    };
    let settings = asking.local_settings(&Caller::service_role(), operation);
    let version = finished.key.to_string();
    let counted = visitors::counted(state, asking, finished.size());
    let written = write::write(state.database().uploads(), counted, &settings, &version, &row).await;
    let Outcome { result: mut outcome, was_lost } = written;
    let found = match was_lost {
        true => write::find_version(state.database().admin(), &version).await,
        false => Ok(None),
    };
    // A refusal may be that of a second attempt, whose first has been done.
    let is_clear = found.is_ok();
    if let Ok(Some(id)) = found {
        outcome = Ok(Written { id, replaced: outcome.ok().and_then(|written| written.replaced) });
    }
    let outcome =
        outcome.map(|written| Written { replaced: written.replaced.filter(|old| *old != version), ..written });
    outcome.map_err(|error| {
        let certain = is_clear && is_certain(&error, was_lost);
        let error = write::taken(error, finished.upsert);
        if certain { Failure::Refused(error) } else { Failure::Unknown(error) }
    })
}

/// Whether what failed has certainly not been done. A server that stops or has crashed (57P01 and the like) may say so after
/// it has committed.
fn is_certain(error: &ClientError, was_lost: bool) -> bool {
    match error {
        ClientError::Db(refusal) => !refusal.code.starts_with("57P"),
        ClientError::Lost(_) => false,
        ClientError::Connect(_) | ClientError::Busy | ClientError::TooManyParameters(_) => !was_lost,
    }
}

/// Deletes the bytes of a version that no row shows any more. A failure is the sweeper's to mend.
pub(crate) async fn discard_version(state: &StorageState, version: Option<&str>) {
    if let Some(key) = version.and_then(BlobKey::parse) {
        discard(state, key).await;
    }
}

/// Bytes that no row shows yet: deleted when dropped before [`commit`] takes them over.
#[derive(Debug)]
pub(crate) struct Loose {
    state: StorageState,
    key: Option<BlobKey>,
}

impl Loose {
    pub(crate) fn new(state: &StorageState, key: BlobKey) -> Self {
        Self { state: state.clone(), key: Some(key) }
    }

    /// Hands the bytes over.
    pub(crate) fn take(mut self) -> Option<BlobKey> {
        self.key.take()
    }
}

impl Drop for Loose {
    fn drop(&mut self) {
        if let (Some(key), Ok(runtime)) = (self.key.take(), tokio::runtime::Handle::try_current()) {
            let state = self.state.clone();
            runtime.spawn(async move { discard(&state, key).await });
        }
    }
}

/// Deletes bytes that no row shows.
pub(crate) async fn discard(state: &StorageState, key: BlobKey) {
    if let Err(error) = state.backend().delete(key).await {
        tracing::warn!(storage.version = %key, "bytes without a row stay until the next sweep: {error}");
    }
}

/// Deletes the bytes of rows that have been deleted, after the answer: the rows are what made them visible.
pub(crate) fn discard_rows(state: &StorageState, rows: &[Object]) {
    for row in rows {
        state.object_cache().invalidate(&ObjectPath::new(&row.bucket_id, &row.name));
    }
    let keys: Vec<_> = rows.iter().filter_map(|row| BlobKey::parse(row.version.as_deref()?)).collect();
    let state = state.clone();
    tokio::spawn(async move {
        for key in keys {
            discard(&state, key).await;
        }
    });
}
