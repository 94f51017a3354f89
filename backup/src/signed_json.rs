//! Reads and writes the signed JSON files of a backup target, and verifies their signatures.

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::checked_json;
use crate::error::{BackupError, Result};
use crate::repository::Repository;
use crate::signature::Place;

/// Reads a JSON file and verifies its signature, unless the backup target is trusted without verification. Returns `None` if the file does
/// not exist. The signature is verified before the file is deserialised, because lists in memory take several times the size of their text.
pub(crate) async fn get<T: DeserializeOwned>(repository: &Repository, name: &str) -> Result<Option<T>> {
    let Some(bytes) = repository.target.get(name).await? else { return Ok(None) };
    repository.verify(name, &checked_json::parse::<IgnoredAny>(name, &bytes)?.1)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| BackupError::damaged(name, error))
}

/// Signs and writes a JSON file. Fails if the repository was opened for reading.
pub(crate) async fn put(repository: &Repository, name: &str, value: &impl Serialize) -> Result<()> {
    let place = Place::File { target: &repository.id, name };
    repository.target.put(name, checked_json::signed(name, value, place, repository.signer()?)?.into()).await
}
