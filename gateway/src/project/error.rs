//! Errors of the operations that the Management API, /mcp and the dashboard share. The error text is for the operator; each API adds its
//! own status and format.

use cloch_core::disk_full;
use cloch_sql::client::DbError;
use sqlx::postgres::{PgDatabaseError, PgErrorPosition};

/// Reason why an operation on a project failed.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The request is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The named object does not exist.
    #[error("{0}")]
    NotFound(String),
    /// The request is not possible in the current state of the project, for example because the object was changed meanwhile.
    #[error("{0}")]
    Conflict(String),
    /// The request has too many bytes.
    #[error("{0}")]
    TooLarge(String),
    /// The database does not support the operation.
    #[error("{0}")]
    Unsupported(String),
    /// All SQL sessions are in use.
    #[error("Other queries are still running; try again")]
    Busy,
    /// The database is unreachable.
    #[error("The database cannot be reached")]
    Unavailable,
    /// The database's disk is full. The server has already logged this.
    #[error("{}", disk_full::MESSAGE)]
    DiskFull,
    /// An internal error. The server has already logged its details.
    #[error("Something went wrong; the server's log says what")]
    Internal,
    /// A file of the project's folder cannot be written.
    #[error("The project's folder cannot be written here")]
    NotWritable,
    /// A statement of a migration begins or ends a transaction, although the migration runs in one transaction. Contains the statement.
    #[error(
        "\"{0}\" begins or ends a transaction, and a migration is applied in one. Write the file into the folder migrations instead: the \
         next start applies it as written"
    )]
    TransactionControl(String),
    /// PostgreSQL refused an SQL statement that the operator wrote.
    #[error("{0}")]
    Sql(Box<SqlRefusal>),
}

/// PostgreSQL's error for an SQL statement that an operator wrote. The error text has the form of Supabase's hosted Management API.
#[derive(Debug, thiserror::Error)]
#[error("Failed to run sql query: ERROR:  {code}: {message}{}", .hint.as_deref().map(|hint| format!("\nHINT:  {hint}")).unwrap_or_default())]
pub struct SqlRefusal {
    /// SQLSTATE.
    pub code: String,
    /// The primary message.
    pub message: String,
    /// The detail message.
    pub detail: Option<String>,
    /// The hint.
    pub hint: Option<String>,
    /// Position of the error in the statement in characters, from 1.
    pub position: Option<usize>,
}

impl ProjectError {
    /// Logs the internal error `error` with the text `what`, and returns an error without the details for the client.
    pub(crate) fn internal(what: &str, error: impl std::fmt::Display) -> Self {
        tracing::error!(%error, "project API: internal error, the request fails: {what}");
        Self::Internal
    }

    /// Converts the error of an SQL statement that an operator wrote. The result contains PostgreSQL's message. For Cloch's own statements,
    /// use `From<sqlx::Error>`, which hides the message from the client.
    pub(crate) fn of_statement(error: sqlx::Error) -> Self {
        match SqlRefusal::of(&error).filter(|refusal| refusal.code != disk_full::SQLSTATE) {
            Some(refusal) => Self::Sql(Box::new(refusal)),
            None => error.into(),
        }
    }

    /// Removes PostgreSQL's hint from the error, because the Management API sends no hints for scripts and migrations.
    pub(crate) fn without_hint(mut self) -> Self {
        if let Self::Sql(refusal) = &mut self {
            refusal.hint = None;
        }
        self
    }
}

impl SqlRefusal {
    fn of(error: &sqlx::Error) -> Option<Self> {
        let sqlx::Error::Database(refusal) = error else { return None };
        let refusal = refusal.try_downcast_ref::<PgDatabaseError>()?;
        let position = match refusal.position() {
            Some(PgErrorPosition::Original(at)) => Some(at),
            _ => None,
        };
        Some(Self {
            code: refusal.code().to_owned(),
            message: refusal.message().to_owned(),
            detail: refusal.detail().map(str::to_owned),
            hint: refusal.hint().map(str::to_owned),
            position,
        })
    }
}

impl From<DbError> for SqlRefusal {
    fn from(error: DbError) -> Self {
        let DbError { code, message, detail, hint, position, .. } = error;
        Self { code, message, detail, hint, position }
    }
}

impl From<sqlx::Error> for ProjectError {
    fn from(error: sqlx::Error) -> Self {
        if cloch_sql::database::is_unavailable(&error) {
            return Self::Unavailable;
        }
        if cloch_sql::database::is_disk_full(&error) {
            disk_full::report("project API");
            return Self::DiskFull;
        }
        Self::internal("an SQL statement of Cloch failed", error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_reads_as_that_of_the_hosted_api() {
        let error = DbError {
            code: "42P01".into(),
            message: "no table".into(),
            hint: Some("Create it.".into()),
            ..DbError::default()
        };
        let error = ProjectError::Sql(Box::new(error.into()));
        assert_eq!(error.to_string(), "Failed to run sql query: ERROR:  42P01: no table\nHINT:  Create it.");
        assert_eq!(error.without_hint().to_string(), "Failed to run sql query: ERROR:  42P01: no table");
    }
}
