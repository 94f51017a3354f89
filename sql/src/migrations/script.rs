//! SQL script of one file: the statements of the file, replacements for some statements, and the statement that records the file as
//! applied, all sent in one batch.

use std::ops::Range;

use super::MigrationError;
use super::split::{self, Backslashes};
use super::transactions::is_transaction_control;
use crate::client::{BatchStatement, Connection, Param, Row, RowSink};

/// SQL statements before each file, which restore the settings of a new session of the project's owner. `set role` alone would keep the
/// login role's settings, whose search path may include schema auth.
const FRESH_SESSION: [&str; 2] = ["reset all", "set search_path to \"$user\", public, extensions"];

#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    /// File name as shown to the operator in messages.
    pub(super) name: &'a str,
    pub(super) text: &'a str,
}

/// Statement of a script. `at` is the byte offset of the statement in the file.
struct Step {
    sql: String,
    params: Vec<Param>,
    at: usize,
}

pub(super) struct Script<'a> {
    file: File<'a>,
    steps: Vec<Step>,
}

impl<'a> Script<'a> {
    pub(super) fn new(file: File<'a>) -> Self {
        Self { file, steps: Vec::new() }
    }

    /// Returns the file's name as shown to the operator in messages.
    pub(super) fn name(&self) -> &'a str {
        self.file.name
    }

    /// Appends a statement that begins at byte `at` of the file.
    pub(super) fn push(&mut self, sql: impl Into<String>, at: usize) {
        self.steps.push(Step { sql: sql.into(), params: Vec::new(), at });
    }

    /// Appends the statement that records the file as applied.
    pub(super) fn push_record(&mut self, sql: &str, params: Vec<Param>) {
        self.steps.push(Step { sql: sql.to_owned(), params, at: self.file.text.trim_end().len() });
    }

    /// Executes the script in a session prepared by [`start_file`].
    pub(super) async fn run(self, connection: &mut Connection) -> Result<(), MigrationError> {
        let File { name, text } = self.file;
        let statements: Vec<BatchStatement<'_>> =
            self.steps.iter().map(|step| BatchStatement::silent(&step.sql, &step.params)).collect();
        let outcome = connection.run_script(&statements).await?;
        for warning in &outcome.warnings {
            tracing::warn!(
                file = name,
                "database: warning of PostgreSQL while a migration or seed file was applied (not an error, the file continues): {warning}"
            );
        }
        let Some(error) = outcome.failure else {
            return if outcome.left_open { Err(self.left_open()) } else { Ok(()) };
        };
        let done = outcome.tags.len();
        let at = self.steps.get(done).map_or(0, |step| step.at);
        let mut commits =
            self.steps.iter().zip(&outcome.tags).filter(|(step, tag)| step.params.is_empty() && *tag == "COMMIT");
        let note = commits.next_back().map(|(step, _)| {
            format!(
                "statements before the file's own commit in line {} stay in the database, and the file is not recorded as applied: undo \
                 them by hand, or remove them from the file, before the next start",
                super::line_of(text, step.at, 0)
            )
        });
        Err(MigrationError::of_script(name, text, at, error, note.as_deref()))
    }

    fn left_open(&self) -> MigrationError {
        let mut begins = self.steps.iter().filter(|step| is_transaction_control(&step.sql));
        let at = begins.next_back().map_or(0, |step| step.at);
        MigrationError::Statement {
            file: self.file.name.to_owned(),
            line: super::line_of(self.file.text, at, 0),
            code: String::new(),
            message: "the file begins a transaction and does not end it: what follows was rolled back. Write `commit;` at its end"
                .to_owned(),
            detail: String::new(),
        }
    }
}

/// Prepares the session for a file. Returns the byte ranges of the file's statements.
pub(super) async fn start_file(
    connection: &mut Connection,
    file: File<'_>,
) -> Result<Vec<Range<usize>>, MigrationError> {
    let mut setting = Setting::default();
    let mut steps: Vec<BatchStatement<'_>> =
        FRESH_SESSION.iter().map(|statement| BatchStatement::silent(statement, &[])).collect();
    steps.push(BatchStatement { sql: "show standard_conforming_strings", params: &[], sink: Some(&mut setting) });
    connection.run("", &mut steps).await?;
    let backslashes = if setting.is_off { Backslashes::Escape } else { Backslashes::Plain };
    split::statements_with(file.text, backslashes).map_err(MigrationError::text(file.name))
}

#[derive(Default)]
struct Setting {
    is_off: bool,
}

impl RowSink for Setting {
    fn start(&mut self, _columns: &std::sync::Arc<[crate::client::Column]>) {}

    fn row(&mut self, row: Row) {
        self.is_off = row.value(0).is_some_and(|value| value.as_ref() == b"off");
    }
}
