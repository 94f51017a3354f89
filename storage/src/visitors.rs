//! What visitors may upload: callers without a session, counted by their network, so that nobody fills the disk with the public key.
//! PostgreSQL counts, in the calls that an upload makes anyway (`sql/platform/0018_storage_visitor_limits.sql`).

use cloch_sql::client::Param;

use crate::error::Result;
use crate::request::Asking;
use crate::rows::question::{RetryingQuery, Statement};
use crate::settings::VisitorLimits;
use crate::state::StorageState;

const CHECK: &str = "select cloch.check_upload($1, $2, $3, $4)";
const COUNT: &str = "select cloch.count_upload($1, $2, $3, $4)";

/// Refuses a file of so many bytes that does not fit now; none for callers without a limit.
pub(crate) fn checked(state: &StorageState, asking: &Asking, bytes: u64) -> Option<Statement> {
    Some((CHECK, params(&state.settings().visitors, asking.network()?, bytes)?))
}

/// Counts a file of so many bytes, or refuses it; none for callers without a limit.
pub(crate) fn counted(state: &StorageState, asking: &Asking, bytes: u64) -> Option<Statement> {
    Some((COUNT, params(&state.settings().visitors, asking.network()?, bytes)?))
}

/// As [`checked`], for an upload that asks the database nothing else.
///
/// # Errors
/// [`crate::Error::TooMany`].
pub(crate) async fn check(state: &StorageState, asking: &Asking, bytes: u64) -> Result<()> {
    if let Some(statement) = checked(state, asking, bytes) {
        RetryingQuery { first: None, statement }.run(state.database().uploads()).await.result?;
    }
    Ok(())
}

fn params(limits: &VisitorLimits, network: &str, bytes: u64) -> Option<Vec<Param>> {
    if limits.files_per_hour == 0 && limits.bytes_per_hour == 0 {
        return None;
    }
    let numbers = [kib(bytes), most(limits.files_per_hour.into()), kib(limits.bytes_per_hour)];
    let numbers = numbers.map(|number| Param::unknown(number.to_string()));
    Some([vec![Param::unknown(network.to_owned())], numbers.into()].concat())
}

/// Kibibytes, begun ones as whole.
fn kib(bytes: u64) -> i32 {
    most(bytes.div_ceil(1024))
}

/// What an `int` of PostgreSQL holds.
pub(crate) fn most(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
