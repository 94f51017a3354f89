//! What a request has to do with the replica: it may answer a read, and is told of a write.

use http::request::Parts;

use super::job::Job;
use super::transaction::TransactionStatements;
use crate::client::Param;
use crate::metrics;
use crate::replica::{Fallback, Replica, Write};
use crate::rest::plan::Source;
use crate::rest::request::Call;
use crate::schema_cache::Volatility;

/// The part of the replica in a request.
pub(in crate::rest) enum ReplicaPart<'a> {
    /// It answers, if it has replayed the log up to `replayed`.
    Answers {
        replica: &'a Replica,
        /// The parameter of its first statement, a position.
        replayed: [Param; 1],
    },
    /// The caller writes. The response tells the position of the log behind it.
    FollowsWrite(#[expect(dead_code, reason = "notes the write when it is dropped")] Write),
}

impl<'a> ReplicaPart<'a> {
    /// The part of `replica` in a request; `None` where the primary answers alone.
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

/// Whether a read has the same meaning on a standby. A volatile function may act on what no transaction undoes, and a read that fails there is
/// run again. Transactions with an isolation level of their own have taken their snapshot before they ask what is replayed.
fn may_run_there(job: Job<'_>) -> bool {
    let is_volatile = match &job.plan.source {
        Source::Call(_, call) => call.function.volatility == Volatility::Volatile,
        _ => false,
    };
    !is_volatile && job.request.preferences.transaction.is_none() && !TransactionStatements::of(job).is_explicit()
}
