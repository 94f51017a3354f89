//! Explains why a request was rejected, or why its response is empty.
//!
//! The explanation has three stages, which pass plain values to each other: a [`Question`] describes the request (caller, relation and
//! rows); the [`Evidence`] comes from the database (privileges, policies, and the result of each policy for each row); the [`Explanation`]
//! is derived from the evidence. Only the second stage accesses the database. The second stage never changes data: every statement runs in
//! a read-only transaction, which even rejects `nextval` of a sequence, and which is rolled back.

mod evidence;
mod explain;
mod probe;
mod question;
mod sessions;
mod text;

pub use evidence::{Column, Evidence, Facts, Policy, RowEvidence, Verdict};
pub use explain::{Cause, Explanation, Outcome, RowOutcome, explain};
pub use question::{Command, Question, Returned, Rows};
pub use sessions::Sessions;

use cloch_sql::client::ClientError;

/// Reason why the outcome of a request cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum WhyError {
    /// The table REST API rejects the request before it accesses the database.
    #[error("{0}")]
    Request(String),
    /// The relation does not exist.
    #[error("there is no relation {0}")]
    NoRelation(String),
    /// The database returned an error or is unreachable.
    #[error(transparent)]
    Database(#[from] ClientError),
}

/// Explains the outcome of the request that `question` describes. `sessions` must have been opened for the role of the request's caller.
///
/// # Errors
/// Fails if the relation does not exist or the database is unreachable.
pub async fn why(sessions: &mut Sessions, question: &Question) -> Result<Explanation, WhyError> {
    let evidence = evidence::gather(sessions, question).await?;
    Ok(explain(question, evidence))
}
