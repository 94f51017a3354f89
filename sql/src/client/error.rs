//! Errors of the PostgreSQL client.

use std::fmt;

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::ErrorFields;

/// Error of this PostgreSQL client or of the PostgreSQL server.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Connecting or logging in failed.
    #[error("could not connect to the database: {0}")]
    Connect(String),
    /// An open connection broke.
    #[error("the connection to the database broke: {0}")]
    Lost(String),
    /// A row is larger than the maximum size of messages on this connection ([`super::Connection::limit_messages`]).
    #[error("a row is too large")]
    TooLarge,
    /// The memory budget is exhausted: a [`super::MessageMeter`] did not admit a row.
    #[error("there is no memory for a row")]
    NoRoom,
    /// All connections of the pool were in use until the timeout.
    #[error("no connection to the database became free in time")]
    Busy,
    /// The statement has more parameters than the protocol allows (65,535).
    #[error("too many values: {0} (at most 65535)")]
    TooManyParameters(usize),
    /// Error reported by PostgreSQL.
    #[error("{0}")]
    Db(Box<DbError>),
}

impl ClientError {
    /// Whether the connection is lost: it broke, or the server was stopped (57P01) or has crashed (57P02).
    #[must_use]
    pub fn is_lost(&self) -> bool {
        match self {
            Self::Lost(_) => true,
            Self::Db(error) => matches!(error.code.as_str(), "57P01" | "57P02"),
            Self::Connect(_) | Self::TooLarge | Self::NoRoom | Self::Busy | Self::TooManyParameters(_) => false,
        }
    }
}

impl From<std::io::Error> for ClientError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::FileTooLarge => Self::TooLarge,
            std::io::ErrorKind::OutOfMemory => Self::NoRoom,
            _ => Self::Lost(error.to_string()),
        }
    }
}

/// Error reported by PostgreSQL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DbError {
    /// SQLSTATE, five characters.
    pub code: String,
    /// Primary message of the error.
    pub message: String,
    /// Detail message of the error.
    pub detail: Option<String>,
    /// Hint how to fix the error.
    pub hint: Option<String>,
    /// Position of the error in the statement's text, in characters, from 1.
    pub position: Option<usize>,
    /// Call stack of PostgreSQL functions at the error.
    pub context: Option<String>,
    /// Name of the violated constraint.
    pub constraint: Option<String>,
    /// Whether the server closes the connection after the error (`FATAL`, `PANIC`).
    pub fatal: bool,
}

impl DbError {
    pub(super) fn read(mut fields: ErrorFields<'_>) -> std::io::Result<Self> {
        let mut error = Self::default();
        while let Some(field) = fields.next()? {
            let text = || String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                b'C' => error.code = text(),
                b'M' => error.message = text(),
                b'D' => error.detail = Some(text()),
                b'H' => error.hint = Some(text()),
                b'P' => error.position = text().parse().ok(),
                b'W' => error.context = Some(text()),
                b'n' => error.constraint = Some(text()),
                b'V' => error.fatal = matches!(field.value_bytes(), b"FATAL" | b"PANIC"),
                _ => {}
            }
        }
        Ok(error)
    }

    /// Whether the error means that the server has no prepared statement of the requested name.
    pub(super) fn is_unknown_statement(&self) -> bool {
        self.code == "26000"
    }

    /// Whether the error means that the result types of a prepared statement have changed since it was prepared.
    pub(super) fn is_changed_result(&self) -> bool {
        self.code == "0A000" && self.message == "cached plan must not change result type"
    }

    /// Whether the failure of a prepared statement may be caused by a schema change. False for missing privileges (42501) and for errors of
    /// connections (08), transactions (25, 40), resources (53), locks (55) and cancellation (57).
    pub(super) fn may_be_stale_statement(&self) -> bool {
        let class = self.code.get(..2).unwrap_or_default();
        !self.fatal && self.code != "42501" && !matches!(class, "08" | "25" | "40" | "53" | "55" | "57")
    }
}

impl fmt::Display for DbError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}
