//! Error of an SQL statement, in the form that the dashboard's SQL page expects.

use cloch_sql::client::ClientError;
use serde::Serialize;

use crate::project::sql::read_only;

const READ_ONLY: &str = "25006";
const ALLOW_WRITING: &str = "Statements only read unless writing is allowed: switch on \"Allow writing\".";

#[derive(Debug, Default, Serialize)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) sqlstate: Option<String>,
    pub(super) detail: Option<String>,
    pub(super) hint: Option<String>,
    /// Position in the SQL text in UTF-16 code units.
    pub(super) position: Option<usize>,
}

impl Failure {
    /// Converts an error of PostgreSQL or of the connection. `position` converts a position in the failed statement into a position in the
    /// whole script.
    pub(super) fn of(error: ClientError, position: impl FnOnce(usize) -> Option<usize>) -> Self {
        match error {
            ClientError::Db(error) => Self {
                message: error.message,
                hint: error.hint.or_else(|| (error.code == READ_ONLY).then(|| ALLOW_WRITING.to_owned())),
                sqlstate: Some(error.code),
                detail: error.detail,
                position: error.position.and_then(position),
            },
            ClientError::TooLarge => Self {
                message: "A row of the result is too large".to_owned(),
                hint: Some("Ask for a part of the value, for example with left() or octet_length()".to_owned()),
                ..Self::default()
            },
            other => Self { message: other.to_string(), ..Self::default() },
        }
    }

    /// Adds a hint to a permission error of a read-only SQL session: the role of such a session cannot read secrets.
    pub(super) fn of_reader(mut self) -> Self {
        let hint = self.sqlstate.as_deref().and_then(read_only::hint);
        self.hint = self.hint.or_else(|| hint.map(str::to_owned));
        self
    }
}
