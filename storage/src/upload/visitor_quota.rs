//! The upload quota of visitors: callers without a session, counted by their network, so that nobody fills the disk with the public key.
//! PostgreSQL counts, in the transactions that an upload makes anyway (`sql/platform/0018_storage_visitor_limits.sql`).

use cloch_sql::client::Param;

use crate::db::retrying_query::{RetryingQuery, Statement};
use crate::db::saturating_int;
use crate::error::Result;
use crate::request::Authenticated;
use crate::settings::VisitorLimits;
use crate::state::StorageState;

const CHECK: &str = "select cloch.check_upload($1, $2, $3, $4)";
const COUNT: &str = "select cloch.count_upload($1, $2, $3, $4)";

/// A statement that refuses a file of so many bytes when the quota has no room for it now; none for callers without a quota.
pub(crate) fn check_statement(state: &StorageState, identity: &Authenticated, bytes: u64) -> Option<Statement> {
    Some((CHECK, params(&state.settings().visitors, identity.network()?, bytes)?))
}

/// A statement that counts a file of so many bytes, or refuses it; none for callers without a quota.
pub(crate) fn count_statement(state: &StorageState, identity: &Authenticated, bytes: u64) -> Option<Statement> {
    Some((COUNT, params(&state.settings().visitors, identity.network()?, bytes)?))
}

/// As [`check_statement`], for an upload that runs no other statement.
///
/// # Errors
/// [`crate::Error::TooMany`].
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

/// Kibibytes, rounded up.
fn kib(bytes: u64) -> i32 {
    saturating_int(bytes.div_ceil(1024))
}
