//! The project's own SQL: its migrations, recorded in the same history as the Supabase CLI's, and its seed.

mod changed;
mod extensions;
mod files;
mod run;
mod scan;
mod script;
mod seed;
mod skipped;
pub mod split;
mod text;
mod transactions;
mod unknown_settings;

pub use files::{Migration, read_folder};
pub use run::apply;
pub use seed::{Seed, SeedFile};
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
    /// The migration history and the migrations folder contradict each other.
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

impl MigrationError {
    /// Creates the error of a failed statement that starts at byte `start` of a file's text.
    pub(crate) fn statement(file: &str, text: &str, start: usize, error: sqlx::Error) -> Self {
        let sqlx::Error::Database(database) = error else { return Self::Database(error) };
        let postgres = database.try_downcast::<sqlx::postgres::PgDatabaseError>();
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
        Self::Statement { file: file.to_owned(), line: line_of(text, start, offset), message, detail }
    }

    /// Creates the error of a failed statement of a script ([`crate::client`]). `note` is appended to the error's details.
    fn of_script(file: &str, text: &str, start: usize, error: DbError, note: Option<&str>) -> Self {
        let offset = error.position.map_or(0, |position| position.saturating_sub(1));
        let extra = [
            ("detail", error.detail.as_deref()),
            ("hint", error.hint.as_deref()),
            ("where", error.context.as_deref()),
            ("note", note),
            ("note", extensions::installation_note(&error.message)),
        ];
        let detail =
            extra.into_iter().filter_map(|(name, text)| text.map(|text| format!("\n  {name}: {text}"))).collect();
        let line = line_of(text, start, offset);
        Self::Statement { file: file.to_owned(), line, message: error.message, detail }
    }

    /// Appends a note to the error of a statement, if the error says that an object does not exist.
    fn with_note_of_what_is_missing(self, note: &str) -> Self {
        match self {
            Self::Statement { file, line, message, detail } if message.contains("does not exist") => {
                Self::Statement { file, line, message, detail: format!("{detail}\n  note: {note}") }
            }
            other => other,
        }
    }

    pub(crate) fn text(file: &str) -> impl FnOnce(SplitError) -> Self {
        move |error| Self::Text { file: file.to_owned(), error }
    }
}

/// Returns the line of an error, from 1. `character` is PostgreSQL's error position, counted in characters from the start of the statement.
fn line_of(text: &str, start: usize, character: usize) -> usize {
    let before = text.get(..start).unwrap_or_default().matches('\n').count();
    let within = text.get(start..).unwrap_or_default().chars().take(character).filter(|c| *c == '\n').count();
    before + within + 1
}
