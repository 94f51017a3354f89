//! Why a request was refused, or why its answer is empty.
//!
//! Three stages with plain values between them: a [`Question`] (who asks, which relation, which rows), the [`Evidence`] that the database
//! gives (privileges, policies, and what each policy says of each row alone), and the [`Explanation`] that follows from both. Only the second
//! one speaks to the database. It changes nothing: every statement is a read in a transaction that is read-only, which refuses even the
//! next value of a sequence, and is rolled back.

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

use crate::client::ClientError;

/// Why a question cannot be answered.
#[derive(Debug, thiserror::Error)]
pub enum WhyError {
    /// The request is one that the table REST refuses before it asks the database.
    #[error("{0}")]
    Request(String),
    /// The relation is not there.
    #[error("there is no relation {0}")]
    NoRelation(String),
    /// The database does not answer.
    #[error(transparent)]
    Database(#[from] ClientError),
}

/// Answers a question. The sessions are those for the role of its caller.
///
/// # Errors
/// When the relation is not there, or the database does not answer.
pub async fn why(sessions: &mut Sessions, question: &Question) -> Result<Explanation, WhyError> {
    let evidence = evidence::gather(sessions, question).await?;
    Ok(explain(question, evidence))
}
