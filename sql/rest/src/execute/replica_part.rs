//! Determines how the read replica takes part in a request: the replica may execute a read, and after a write the primary reports its WAL
//! position.

use http::request::Parts;

use super::job::Job;
use super::transaction::TransactionStatements;
use crate::plan::Source;
use crate::request::Call;
use cloch_sql::client::Param;
use cloch_sql::metrics;
use cloch_sql::replica::{Fallback, Replica, Write};
use cloch_sql::schema_cache::Volatility;

/// Use of the read replica in a request: the replica executes a read, or the response to a write contains the WAL position of the primary.
pub(crate) enum ReplicaPart<'a> {
    /// The replica executes the read if the replica has replayed the WAL up to the position `replayed`; otherwise the primary executes the
    /// read.
    Answers {
        replica: &'a Replica,
        /// WAL position that the replica must have replayed, as the parameter of the first statement of the batch. This statement compares
        /// it with the replica's replayed position.
        replayed: [Param; 1],
    },
    /// The request writes to the primary. The response contains the primary's WAL position after the write.
    FollowsWrite(#[expect(dead_code, reason = "notes the write when it is dropped")] Write),
}

impl<'a> ReplicaPart<'a> {
    /// Returns how `replica` takes part in a request. For a read, the replica may execute the read. For a write, the WAL position is
    /// recorded, and the replica executes later reads of this caller only after it has replayed the write. Returns `None` for a read that
    /// the primary executes.
    pub(super) fn of(replica: &'a Replica, job: Job<'_>, parts: &Parts) -> Option<Self> {
        if !job.plan.read_only {
            return Some(Self::FollowsWrite(replica.write(job.caller, parts)));
        }
        let is_read = matches!(job.plan.source, Source::Relation(_) | Source::Call(Call::Read { .. }, _));
        if !is_read {
            return None;
        }
        let admitted = if may_run_there(job) {
            replica.admit(&replica.reader(job.caller, parts))
        } else {
            Err(Fallback::Statement)
        };
        match admitted {
            Ok(lsn) => Some(Self::Answers { replica, replayed: [Param::unknown(lsn.to_string())] }),
            Err(reason) => {
                metrics::count_replica_fallback(reason.as_str());
                None
            }
        }
    }
}

/// Whether the replica may execute a read. A read that fails on the replica runs again on the primary. The read must therefore not call a
/// volatile function, because a rollback may not undo the function's effects. A transaction with an explicit isolation level is excluded,
/// because it takes its snapshot before the statement that checks the replica's replayed WAL position.
fn may_run_there(job: Job<'_>) -> bool {
    let is_volatile = match &job.plan.source {
        Source::Call(_, call) => call.function.volatility == Volatility::Volatile,
        _ => false,
    };
    !is_volatile && job.request.preferences.transaction.is_none() && !TransactionStatements::of(job).is_explicit()
}
