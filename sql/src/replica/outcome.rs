//! Results of reads on the replica, and reasons for running a read on the primary instead.

use std::time::Duration;

use tokio::time::timeout;

use crate::Caller;
use crate::caller::ANON;
use crate::client::{Checkout, ClientError, Pool};

/// Timeout for acquiring a connection to the replica, after which the read runs on the primary.
const CHECKOUT_TIMEOUT: Duration = Duration::from_secs(1);
/// Text of PostgreSQL's error if a read on the replica requires a WAL position that the replica has not replayed.
const BEHIND: &str = "the replica is behind";

/// Reason why a read runs on the primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fallback {
    /// The caller has written data that the replica may not have replayed yet.
    Written,
    /// The lag of the replica exceeds the maximum, or the replica is no longer a standby.
    Behind,
    /// The replica does not respond to queries.
    Lost,
    /// All connections to the replica are in use.
    Busy,
    /// PostgreSQL cancelled the read, because it conflicted with the replay of WAL.
    Conflict,
    /// The replica reported another error, for example of a function that cannot run on a standby. The primary then executes the read, and
    /// the caller receives the primary's result.
    Refused,
    /// The request requires the primary: a volatile function, or a transaction with rollback or an isolation level.
    Statement,
}

impl Fallback {
    /// Returns the metrics label of the reason.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Behind => "behind",
            Self::Lost => "lost",
            Self::Busy => "busy",
            Self::Conflict => "conflict",
            Self::Refused => "refused",
            Self::Statement => "statement",
        }
    }

    /// Returns the reason for repeating a read on the primary after an error of the replica; `None` if the error is final. Cancelled
    /// statements (mainly by a timeout) are final: they would take as long on the primary and could overload the primary too.
    pub(super) fn of(error: &ClientError) -> Option<Self> {
        Some(match error {
            error if error.is_lost() => Self::Lost,
            ClientError::Connect(_) | ClientError::Lost(_) => Self::Lost,
            ClientError::Busy => Self::Busy,
            ClientError::TooLarge | ClientError::TooManyParameters(_) => Self::Refused,
            // The memory limit is exhausted, so the response of the primary would be refused too.
            ClientError::NoRoom => return None,
            ClientError::Db(error) => match error.code.as_str() {
                "57014" => return None,
                "22P02" if error.message.contains(BEHIND) => Self::Behind,
                // SQLSTATEs of conflicts with the replay of WAL: serialization failure, deadlock, dropped database (PostgreSQL manual,
                // "Handling Query Conflicts").
                "40001" | "40P01" | "57P04" => Self::Conflict,
                _ => Self::Refused,
            },
        })
    }
}

/// Checks out a connection to the replica for a caller.
///
/// # Errors
/// Fails if no connection is available before the timeout.
pub(super) async fn checkout(pool: &Pool, caller: &Caller) -> Result<Checkout, ClientError> {
    let checkout = async { if caller.role() == ANON { pool.get_for_visitor(None).await } else { pool.get().await } };
    timeout(CHECKOUT_TIMEOUT, checkout).await.unwrap_or(Err(ClientError::Busy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::DbError;

    fn reported(code: &str, message: &str) -> Option<Fallback> {
        let error = DbError { code: code.to_owned(), message: message.to_owned(), ..DbError::default() };
        Fallback::of(&ClientError::Db(Box::new(error)))
    }

    #[test]
    fn the_primary_is_asked_after_every_error_but_a_cancelled_statement() {
        assert_eq!(reported("57014", "canceling statement due to statement timeout"), None);
        let behind = "invalid input syntax for type boolean: \"the replica is behind\"";
        assert_eq!(reported("22P02", behind), Some(Fallback::Behind));
        assert_eq!(reported("22P02", "invalid input syntax for type integer: \"a\""), Some(Fallback::Refused));
        assert_eq!(reported("40001", "canceling statement due to conflict with recovery"), Some(Fallback::Conflict));
        assert_eq!(reported("25006", "cannot execute NOTIFY during recovery"), Some(Fallback::Refused));
        assert_eq!(reported("42P01", "relation \"new\" does not exist"), Some(Fallback::Refused));
        assert_eq!(reported("57P01", "terminating connection"), Some(Fallback::Lost));
        assert_eq!(Fallback::of(&ClientError::Connect("refused".to_owned())), Some(Fallback::Lost));
        assert_eq!(Fallback::of(&ClientError::Lost("reset".to_owned())), Some(Fallback::Lost));
        assert_eq!(Fallback::of(&ClientError::Busy), Some(Fallback::Busy));
    }
}
