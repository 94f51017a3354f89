//! SQL script of one file: the statements of the file, replacements for some statements, and the statement that records the file as
//! applied, all sent in one batch. PostgreSQL refuses to execute some statements in a transaction, such as `create index concurrently`. As
//! in the Supabase CLI, such a statement divides the file: the statements before it are committed, then it is sent alone.

use std::ops::Range;

use super::MigrationError;
use super::split::{self, Backslashes};
use super::transactions::{is_transaction_control, opens_transaction, refuses_transaction, words};
use crate::client::{BatchStatement, Connection, DbError, Param, Row, RowSink};

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
        let name = self.file.name;
        for batch in self.batches() {
            let steps = self.steps.get(batch.clone()).unwrap_or_default();
            let statements: Vec<BatchStatement<'_>> =
                steps.iter().map(|step| BatchStatement::silent(&step.sql, &step.params)).collect();
            let outcome = connection.run_script(&statements).await?;
            for warning in &outcome.warnings {
                tracing::warn!(
                    file = name,
                    "database: warning of PostgreSQL while a migration or seed file was applied (not an error, the file continues): {warning}"
                );
            }
            if let Some(error) = outcome.failure {
                return Err(self.failure(batch.start, &outcome.tags, error));
            }
            if outcome.left_open {
                return Err(self.left_open());
            }
        }
        Ok(())
    }

    /// Returns the ranges of the steps that are sent together, one range for each batch. A batch without transaction control is one
    /// transaction.
    fn batches(&self) -> Vec<Range<usize>> {
        let (mut batches, mut start, mut is_open) = (Vec::new(), 0, false);
        for (at, step) in self.steps.iter().enumerate() {
            if is_transaction_control(&step.sql) {
                is_open = opens_transaction(&step.sql);
            }
            // The file is divided only outside of its own transactions: in such a transaction, PostgreSQL refuses the statement.
            if !is_open && refuses_transaction(&step.sql) {
                batches.extend([start..at, at..at + 1]);
                start = at + 1;
            }
        }
        batches.push(start..self.steps.len());
        batches.retain(|batch| !batch.is_empty());
        batches
    }

    /// Returns the error of the batch that begins at step `start`. `tags` are the command tags of the batch's steps before the failed step.
    fn failure(&self, start: usize, tags: &[String], error: DbError) -> MigrationError {
        let File { name, text } = self.file;
        let failed = start + tags.len();
        let step = self.steps.get(failed);
        let batch = self.steps.get(start..failed).unwrap_or_default();
        let commit = batch.iter().zip(tags).rposition(|(step, tag)| step.params.is_empty() && tag == "COMMIT");
        let note = match commit.and_then(|commit| batch.get(commit)) {
            Some(commit) => Some(format!(
                "statements before the file's own commit in line {} stay in the database, and the file is not recorded as applied: undo \
                 them by hand, or remove them from the file, before the next start",
                super::line_of(text, commit.at, 0)
            )),
            None => start.checked_sub(1).and_then(|last| self.steps.get(last)).map(|last| {
                format!(
                    "the statements up to the one of line {} stay in the database, because one of them cannot run in a transaction, and \
                     the file is not recorded as applied: undo them by hand, or remove them from the file, before the next start",
                    super::line_of(text, last.at, 0)
                )
            }),
        };
        let invalid_index = step.is_some_and(|step| {
            refuses_transaction(&step.sql) && words(&step.sql).first().is_some_and(|word| word == "create")
        });
        let error = MigrationError::of_script(name, text, step.map_or(0, |step| step.at), error, note.as_deref());
        match invalid_index {
            true => error.with_note(
                "PostgreSQL may have left an invalid index (\\d of the table in psql shows it): drop it before the next start",
            ),
            false => error,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of statements of each batch.
    fn batches(statements: &[&str]) -> Vec<usize> {
        let mut script = Script::new(File { name: "a.sql", text: "" });
        statements.iter().for_each(|statement| script.push(*statement, 0));
        script.batches().iter().map(ExactSizeIterator::len).collect()
    }

    #[test]
    fn a_statement_without_a_transaction_is_a_batch_of_its_own() {
        let index = "create index concurrently i on t (a)";
        assert_eq!(batches(&["create table t (a int)", "select 1"]), [2]);
        assert_eq!(batches(&["create table t (a int)", index, index, "select 1"]), [1, 1, 1, 1]);
        assert_eq!(batches(&[index]), [1]);
        assert!(batches(&[]).is_empty());
        // The first `index` is inside a transaction that the file has begun, where PostgreSQL refuses it. The file is not divided there.
        assert_eq!(batches(&["begin", index, "commit", index, "select 1"]), [3, 1, 1]);
        assert_eq!(batches(&["start transaction", "commit and chain", index]), [3]);
    }
}
