//! The files of a target that are not encrypted, as its server writes them and others verify them.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::checked_json;
use crate::error::Result;
use crate::repository::Repository;
use crate::signature::Place;

/// Reads a file and verifies who wrote it, unless the repository trusts its target; none where there is none.
///
/// # Errors
/// When the target does not answer, or the file is damaged or not authentic.
pub(crate) async fn get<T: DeserializeOwned>(repository: &Repository, name: &str) -> Result<Option<T>> {
    let Some((value, proof)) = checked_json::read(&repository.target, name).await? else { return Ok(None) };
    repository.verify(name, &proof)?;
    Ok(Some(value))
}

/// Writes a file.
///
/// # Errors
/// When the target does not take it, or the repository was opened for reading.
pub(crate) async fn put(repository: &Repository, name: &str, value: &impl Serialize) -> Result<()> {
    let place = Place::File { target: &repository.id, name };
    repository.target.put(name, checked_json::signed(name, value, place, repository.signer()?)?.into()).await
}
