//! How a read on the replica ends, and why it is answered by the primary instead.

use std::time::Duration;

use tokio::time::timeout;

use crate::Caller;
use crate::caller::ANON;
use crate::client::{Checkout, ClientError, Pool};

/// For a connection to the replica, before the primary is asked.
const CHECKOUT_TIMEOUT: Duration = Duration::from_secs(1);
/// In the error of [`super::HAS_REPLAYED`].
const BEHIND: &str = "the replica is behind";

/// Why a read is answered by the primary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fallback {
    /// The caller has written what the replica is not known to have replayed.
    Written,
    /// The replica is further behind than it may be, or is no standby any more.
    Behind,
    /// There is no replica that answers.
    Lost,
    /// All connections to the replica are in use.
    Busy,
    /// PostgreSQL has cancelled it, because replaying the log needed what it was reading.
    Conflict,
    /// The replica refused it with another error, such as that of a function that cannot run on a standby. The primary's answer counts.
    Refused,
    /// What the request asks for is left to the primary: a volatile function, a transaction that is rolled back or isolated.
    Statement,
}

impl Fallback {
    /// The word for metrics.
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

    /// Why the primary is asked after an error of the replica; `None` where the error is the answer. That is so for a statement that was
    /// cancelled, first of all by its timeout: it would take as long on the primary, which many such statements would then overload too.
    pub(super) fn of(error: &ClientError) -> Option<Self> {
        Some(match error {
            error if error.is_lost() => Self::Lost,
            ClientError::Connect(_) | ClientError::Lost(_) => Self::Lost,
            ClientError::Busy => Self::Busy,
            ClientError::TooLarge | ClientError::TooManyParameters(_) => Self::Refused,
            // There is as little room for the primary's answer.
            ClientError::NoRoom => return None,
            ClientError::Db(error) => match error.code.as_str() {
                "57014" => return None,
                "22P02" if error.message.contains(BEHIND) => Self::Behind,
                // Serialization failure, deadlock, dropped database: PostgreSQL manual, "Handling Query Conflicts".
                "40001" | "40P01" | "57P04" => Self::Conflict,
                _ => Self::Refused,
            },
        })
    }
}

/// A connection for a caller.
///
/// # Errors
/// When none is free or can be opened in time.
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
