//! The files of a target that are not encrypted, as its server writes them and others verify them.

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::checked_json;
use crate::error::{BackupError, Result};
use crate::repository::Repository;
use crate::signature::Place;

/// Reads a file and verifies who wrote it, unless the repository trusts its target; `None` where there is none. Values are made of it after that: lists
/// in memory have several times the size of their text.
///
/// # Errors
/// When the target does not answer, or the file is damaged or not authentic.
pub(crate) async fn get<T: DeserializeOwned>(repository: &Repository, name: &str) -> Result<Option<T>> {
    let Some(bytes) = repository.target.get(name).await? else { return Ok(None) };
    repository.verify(name, &checked_json::parse::<IgnoredAny>(name, &bytes)?.1)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| BackupError::damaged(name, error))
}

/// Writes a file.
///
/// # Errors
/// When the target does not take it, or the repository was opened for reading.
pub(crate) async fn put(repository: &Repository, name: &str, value: &impl Serialize) -> Result<()> {
    let place = Place::File { target: &repository.id, name };
    repository.target.put(name, checked_json::signed(name, value, place, repository.signer()?)?.into()).await
}
