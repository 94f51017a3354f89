//! Whether the caller may write at a key: PostgreSQL is asked by writing the row as the caller and taking it back.

use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::request::Asking;
use crate::rows::bucket::Rules;
use crate::rows::write::{self, NewObject};
use crate::rules::mime::MediaType;
use crate::state::StorageState;
use crate::visitors;

/// Asks the policies, and returns the bucket's rules. A plain upload needs INSERT and no more; an upsert needs SELECT, and UPDATE where
/// the key is taken. `bytes` is how many an upload brings that begins with this: a visitor's must fit. A deferred constraint does not speak: it would at a commit that never comes.
///
/// # Errors
/// What the policies, constraints and triggers of the project say.
pub(crate) async fn ask(
    state: &StorageState,
    asking: &Asking,
    operation: Operation,
    wanted: &NewObject<'_>,
    bytes: Option<u64>,
) -> Result<Rules> {
    let caller = asking.caller();
    let settings = asking.local_settings(caller, operation);
    let before = bytes.and_then(|bytes| visitors::checked(state, asking, bytes));
    let tried = write::try_write(state.database().uploads(), before, (caller.role(), &settings), wanted).await;
    tried.map_err(|error| write::taken(error, wanted.upsert))?.ok_or(Error::NoSuchBucket)
}

/// The metadata of a trial row: what is known of a file before its bytes.
pub(crate) fn trial_metadata(mimetype: Option<&MediaType>, length: Option<u64>) -> Value {
    let mut map = Map::new();
    if let Some(mimetype) = mimetype {
        map.insert("mimetype".to_owned(), mimetype.as_str().into());
    }
    if let Some(length) = length {
        map.insert("contentLength".to_owned(), length.into());
    }
    Value::Object(map)
}
