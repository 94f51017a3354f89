//! The project's own SQL: its migrations and its seed. The migrations are recorded in the history tables that the Supabase CLI uses too.

mod changed;
mod extensions;
mod files;
mod members;
mod newer_privileges;
mod newer_server;
mod queue_signatures;
mod roles;
mod run;
mod scan;
mod script;
mod seed;
mod server;
mod skipped;
pub mod split;
mod text;
mod transactions;
mod unknown_settings;
mod unused_keys;

pub use files::{Migration, read_folder};
pub use newer_privileges::KnownPrivileges;
pub(crate) use newer_server::lacks as lacks_of_server;
pub use roles::Roles;
pub use run::apply;
pub use seed::{Seed, SeedFile};
pub(crate) use skipped::names as skipped_extensions;
pub use transactions::{is_transaction_control, refuses_transaction, words};

use crate::client::{ClientError, DbError};
use split::SplitError;

/// Reason why a migration or the seed stopped the start. The error message contains the file, the line and the database's message.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// A statement of a migration or seed failed.
    #[error("{file}, line {line}: {message}{detail}")]
    Statement {
        /// File name as shown to the operator in messages.
        file: String,
        /// Line of the error, from 1.
        line: usize,
        /// SQLSTATE of the database's error; empty if the database reported none.
        code: String,
        /// Message of the database.
        message: String,
        /// Detail and hint of the database, each on a separate line.
        detail: String,
    },
    /// A file cannot be split into SQL statements. No statement was executed.
    #[error("{file}, {error}")]
    Text {
        /// File name as shown to the operator in messages.
        file: String,
        /// Position and description of the problem.
        error: SplitError,
    },
    /// The migrations folder does not match the migration history.
    #[error("{0}")]
    History(String),
    /// A file could not be read.
    #[error("{file}: {source}")]
    File {
        /// File or folder that could not be read.
        file: String,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A query of PostgreSQL's catalog failed.
    #[error("the database: {0}")]
    Database(#[from] sqlx::Error),
    /// The database connection that applies the files failed.
    #[error("the database: {0}")]
    Client(#[from] ClientError),
}

/// SQLSTATEs of errors about an object that does not exist: table, column, function or operator, other object, schema. The SQLSTATE is
/// compared instead of the message, because the message depends on the server's language.
const UNDEFINED: [&str; 5] = ["42P01", "42703", "42883", "42704", "3F000"];

/// SQLSTATEs of errors that may not occur with a newer version of PostgreSQL: syntax, unsupported feature, unknown function, type or
/// setting.
const NEWER_SERVER_MAY_ACCEPT: [&str; 4] = ["42601", "0A000", "42883", "42704"];

impl MigrationError {
    /// Creates the error of a failed statement that starts at byte `start` of a file's text.
    pub(crate) fn statement(file: &str, text: &str, start: usize, error: sqlx::Error) -> Self {
        let sqlx::Error::Database(database) = error else { return Self::Database(error) };
        let postgres = database.try_downcast::<sqlx::postgres::PgDatabaseError>();
        let code = postgres.as_ref().map_or_else(|_| String::new(), |error| error.code().to_owned());
        let (message, detail, offset) = match &postgres {
            Ok(error) => {
                let position = match error.position() {
                    Some(sqlx::postgres::PgErrorPosition::Original(position)) => position.saturating_sub(1),
                    _ => 0,
                };
                let extra = [("detail", error.detail()), ("hint", error.hint()), ("where", error.r#where())];
                let detail: String = extra
                    .into_iter()
                    .filter_map(|(name, text)| text.map(|text| format!("\n  {name}: {text}")))
                    .collect();
                (error.message().to_owned(), detail, position)
            }
            Err(error) => (error.message().to_owned(), String::new(), 0),
        };
        Self::Statement { file: file.to_owned(), line: line_of(text, start, offset), code, message, detail }
    }

    /// Creates the error of a failed statement of a script ([`crate::client`]). `note` is appended to the error's details.
    fn of_script(file: &str, text: &str, start: usize, error: DbError, note: Option<&str>) -> Self {
        let offset = error.position.map_or(0, |position| position.saturating_sub(1));
        let extra = [
            ("detail", error.detail.as_deref()),
            ("hint", error.hint.as_deref()),
            ("where", error.context.as_deref()),
            ("note", note),
            ("note", extensions::installation_note(&error)),
        ];
        let detail =
            extra.into_iter().filter_map(|(name, text)| text.map(|text| format!("\n  {name}: {text}"))).collect();
        let line = line_of(text, start, offset);
        Self::Statement { file: file.to_owned(), line, code: error.code, message: error.message, detail }
    }

    /// Returns the SQLSTATE of a failed statement.
    fn code(&self) -> Option<&str> {
        match self {
            Self::Statement { code, .. } => Some(code),
            _ => None,
        }
    }

    /// Whether a statement failed because an object does not exist.
    fn is_about_missing_object(&self) -> bool {
        self.code().is_some_and(|code| UNDEFINED.contains(&code))
    }

    /// Adds a note to the error of a statement that a newer version of PostgreSQL may accept. `named` is the version for which the project
    /// was written, `server` the version of the server.
    pub(crate) fn on_older_server(self, named: u16, server: u16) -> Self {
        match newer_server::lacks(server, named)
            .filter(|_| self.code().is_some_and(|code| NEWER_SERVER_MAY_ACCEPT.contains(&code)))
        {
            Some(lacks) => self.with_note(&format!("the statement may need a newer version: {lacks}")),
            None => self,
        }
    }

    /// Appends a note to the error of a statement.
    fn with_note(mut self, note: &str) -> Self {
        if let Self::Statement { detail, .. } = &mut self {
            detail.push_str("\n  note: ");
            detail.push_str(note);
        }
        self
    }

    pub(crate) fn text(file: &str) -> impl FnOnce(SplitError) -> Self {
        move |error| Self::Text { file: file.to_owned(), error }
    }
}

/// Returns the line of an error, from 1. `start` is the byte in `text` at which the failed statement begins. `character` is PostgreSQL's
/// error position, counted in characters from the start of the statement.
fn line_of(text: &str, start: usize, character: usize) -> usize {
    let before = text.get(..start).unwrap_or_default().matches('\n').count();
    let within = text.get(start..).unwrap_or_default().chars().take(character).filter(|c| *c == '\n').count();
    before + within + 1
}
