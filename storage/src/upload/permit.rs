//! Whether the caller may write at a key: PostgreSQL is asked by writing the row as the caller and taking it back.

use serde_json::{Map, Value};

use crate::error::Result;
use crate::operation::Operation;
use crate::request::Asking;
use crate::request::asking::Owner;
use crate::rows::object::{self, NewObject};
use crate::state::StorageState;

/// The version of a trial row: triggers can tell it from a real one.
const TRIAL: &str = "1";

/// A write that somebody wants to make.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) name: &'a str,
    pub(crate) owner: &'a Owner,
    /// Whether what is at the key may be replaced.
    pub(crate) upsert: bool,
    pub(crate) metadata: Value,
    pub(crate) user_metadata: Option<&'a Value>,
}

/// Asks the policies. A plain upload needs INSERT and no more; an upsert needs SELECT, and UPDATE where the key is taken.
///
/// # Errors
/// What the policies, constraints and triggers of the project say.
pub(crate) async fn ask(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    wanted: &Wanted<'_>,
) -> Result<()> {
    let row = NewObject {
        bucket: wanted.bucket,
        name: wanted.name,
        owner: wanted.owner,
        version: TRIAL,
        metadata: &wanted.metadata,
        user_metadata: wanted.user_metadata,
    };
    let mut tx = asking.begin_in_turn(state, operation).await?;
    if wanted.upsert {
        object::upsert(&mut tx, &row).await?;
    } else {
        object::insert(&mut tx, &row).await?;
    }
    // A deferred constraint would only speak at a commit that never comes.
    tx.rollback().await?;
    Ok(())
}

/// The metadata of a trial row: what is known of a file before its bytes.
pub(crate) fn trial_metadata(mimetype: Option<&str>, length: Option<u64>) -> Value {
    let mut map = Map::new();
    if let Some(mimetype) = mimetype {
        map.insert("mimetype".to_owned(), mimetype.into());
    }
    if let Some(length) = length {
        map.insert("contentLength".to_owned(), length.into());
    }
    Value::Object(map)
}
