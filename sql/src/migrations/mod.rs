//! A project's own SQL: its migrations, recorded as the Supabase CLI records them, and its seed.

mod extensions;
mod files;
mod run;
mod seed;
pub mod split;

pub use files::{Migration, read_folder};
pub use run::{apply, is_transaction_control, refuses_transaction};
pub use seed::{Seed, SeedFile};

/// Settings of a fresh session of the project's owner, applied before each file. `set role` alone would keep those of the login role, whose
/// search path may include schema auth.
const FRESH_SESSION: &str = "reset all; set search_path to \"$user\", public, extensions";

/// Why a migration or seed stopped the start. The text names file, line and the database's message.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// A statement failed.
    #[error("{file}, line {line}: {message}{detail}")]
    Statement {
        /// The file, as the project names it.
        file: String,
        /// Line of the error, from 1.
        line: usize,
        /// The database's message.
        message: String,
        /// The database's detail and hint, each on a line of its own.
        detail: String,
    },
    /// The history and the folder disagree.
    #[error("{0}")]
    History(String),
    /// A file could not be read.
    #[error("{file}: {source}")]
    File {
        /// The file.
        file: String,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The database could not be asked.
    #[error("the database: {0}")]
    Database(#[from] sqlx::Error),
}

impl MigrationError {
    /// The error of the statement that starts at a byte of a file's text.
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
        // The database counts characters from the statement's start.
        let before = text.get(..start).unwrap_or_default().matches('\n').count();
        let within = text.get(start..).unwrap_or_default().chars().take(offset).filter(|c| *c == '\n').count();
        Self::Statement { file: file.to_owned(), line: before + within + 1, message, detail }
    }
}
