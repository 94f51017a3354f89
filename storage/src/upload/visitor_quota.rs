//! Limits the uploads of visitors (callers without a session) per network (an IPv4 address or an IPv6 /64), so that the public API key
//! cannot be used to fill the disk.
//!
//! PostgreSQL counts the files and bytes (`cloch.count_upload`). A file is counted before the object's row is written. The count is a
//! separate transaction, because it locks the counter of the network, and other uploads of the network must not wait until this upload is
//! complete. The transaction uses asynchronous commit, so a crash may lose the counts of the last half second.

use cloch_sql::client::{ClientError, Param};

use crate::db::retrying_query::{RetryingQuery, Statement};
use crate::db::saturating_int;
use crate::error::Result;
use crate::request::Authenticated;
use crate::settings::VisitorLimits;
use crate::state::StorageState;

const CHECK: &str = "select cloch.check_upload($1, $2, $3, $4)";
const COUNT: &str = "select cloch.count_upload($1, $2, $3, $4)";
const RETURN: &str = "select cloch.return_upload($1, $2, $3, $4)";
const WITHOUT_WAITING: &str = "select set_config('synchronous_commit', 'off', true)";

/// Returns a SQL statement that fails if a file of `bytes` bytes exceeds the caller's upload quota. `None` for callers without a quota.
pub(crate) fn check_statement(state: &StorageState, identity: &Authenticated, bytes: u64) -> Option<Statement> {
    Some((CHECK, params(&state.settings().visitors, identity.network()?, bytes)?))
}

/// A file that is counted in a visitor's quota and not stored yet. `None` for callers without a quota.
#[must_use]
#[derive(Debug)]
pub(crate) struct Counted(Option<(String, Vec<Param>)>);

/// Counts a file of `bytes` bytes in the upload quota of a visitor's network.
///
/// # Errors
/// [`crate::Error::TooMany`] if the file exceeds the quota.
pub(crate) async fn count(state: &StorageState, identity: &Authenticated, bytes: u64) -> Result<Counted> {
    let Some(network) = identity.network() else { return Ok(Counted(None)) };
    let Some(params) = params(&state.settings().visitors, network, bytes) else { return Ok(Counted(None)) };
    run_apart(state, (COUNT, params.clone())).await?;
    Ok(Counted(Some((network.to_owned(), params))))
}

impl Counted {
    /// Reverts the count of the file, because the file is not stored.
    pub(crate) async fn give_back(self, state: &StorageState) {
        if let Some((network, params)) = self.0
            && let Err(error) = run_apart(state, (RETURN, params)).await
        {
            tracing::warn!(%error, network, "storage: upload quota of an anonymous client not restored after a failed upload, the upload stays counted");
        }
    }
}

/// Runs a SQL statement in a separate transaction with asynchronous commit.
async fn run_apart(state: &StorageState, statement: Statement) -> Result<(), ClientError> {
    let first = (WITHOUT_WAITING, Vec::new());
    RetryingQuery::of_upload(Some(first), statement).run(state.database().objects()).await.result.map(drop)
}

/// Checks that a file of `bytes` bytes does not exceed the caller's upload quota. Used if the check cannot be combined with another SQL
/// statement of the upload.
///
/// # Errors
/// [`crate::Error::TooMany`] if the file exceeds the quota.
pub(crate) async fn check(state: &StorageState, identity: &Authenticated, bytes: u64) -> Result<()> {
    if let Some(statement) = check_statement(state, identity, bytes) {
        RetryingQuery::of_upload(None, statement).run(state.database().objects()).await.result?;
    }
    Ok(())
}

fn params(limits: &VisitorLimits, network: &str, bytes: u64) -> Option<Vec<Param>> {
    if limits.files_per_hour == 0 && limits.bytes_per_hour == 0 {
        return None;
    }
    let numbers = [kib(bytes), saturating_int(limits.files_per_hour.into()), kib(limits.bytes_per_hour)];
    let numbers = numbers.map(|number| Param::unknown(number.to_string()));
    Some([vec![Param::unknown(network.to_owned())], numbers.into()].concat())
}

/// Converts bytes to kibibytes, rounded up.
fn kib(bytes: u64) -> i32 {
    saturating_int(bytes.div_ceil(1024))
}
