//! One file of SQL as one script: its statements, what Cloch runs instead of some of them, and its record, in one exchange.

use std::ops::Range;

use super::MigrationError;
use super::split::{self, Backslashes};
use super::transactions::is_transaction_control;
use crate::client::{BatchStatement, Connection, Param, Row, RowSink};

/// Settings of a fresh session of the project's owner, applied before each file. `set role` alone would keep those of the login role, whose
/// search path may include schema auth.
const FRESH_SESSION: [&str; 2] = ["reset all", "set search_path to \"$user\", public, extensions"];

/// A file that is to run.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    /// Its name, as messages show it.
    pub(super) name: &'a str,
    /// Its text.
    pub(super) text: &'a str,
}

/// A statement of a script, and its place in the file.
struct Step {
    sql: String,
    params: Vec<Param>,
    at: usize,
}

/// The statements to run.
pub(super) struct Script<'a> {
    file: File<'a>,
    steps: Vec<Step>,
}

impl<'a> Script<'a> {
    pub(super) fn new(file: File<'a>) -> Self {
        Self { file, steps: Vec::new() }
    }

    /// A statement at a byte of the file.
    pub(super) fn push(&mut self, sql: impl Into<String>, at: usize) {
        self.steps.push(Step { sql: sql.into(), params: Vec::new(), at });
    }

    /// The statement behind the file's own, which records it.
    pub(super) fn push_record(&mut self, sql: &str, params: Vec<Param>) {
        self.steps.push(Step { sql: sql.to_owned(), params, at: self.file.text.trim_end().len() });
    }

    /// Runs the script, in the session that [`start_file`] has prepared.
    pub(super) async fn run(self, connection: &mut Connection) -> Result<(), MigrationError> {
        let File { name, text } = self.file;
        let statements: Vec<BatchStatement<'_>> =
            self.steps.iter().map(|step| BatchStatement::silent(&step.sql, &step.params)).collect();
        let outcome = connection.run_script(&statements).await?;
        for warning in &outcome.warnings {
            tracing::warn!("{name}: the database warns: {warning}");
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
                "what stands before the file's own commit in line {} stays in the database, and the file is not recorded as applied: undo \
                 that part by hand, or take it out of the file, before the next start",
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
            message: "the file begins a transaction and does not end it: what follows was rolled back. Write `commit;` at its end"
                .to_owned(),
            detail: String::new(),
        }
    }
}

/// Prepares the session for a file, and splits the file.
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

/// The value of `standard_conforming_strings`.
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
