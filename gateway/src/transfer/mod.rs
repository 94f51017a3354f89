//! Imports and exports projects: `cloch import` and `cloch export`.
//!
//! `dump` writes and reads the three files of a dump, and decides what happens to their statements; `load` runs the statements in one
//! transaction. `inventory` counts the content of the source and of the target database; `files` copies the stored files; `keys` reads the
//! source's keys; `functions` copies the code of functions.

mod dump;
pub(crate) mod export;
pub(crate) mod files;
mod functions;
pub(crate) mod import;
mod inventory;
mod keys;
mod load;
mod record;
mod source;

use serde::{Deserialize, Serialize};

/// Maximum number of characters of a statement that a report contains.
const SHOWN_CHARS: usize = 100;

/// A part of a project that was not imported or exported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    /// Beginning of the statement, or name of the table, column or file, that was left out.
    pub what: String,
    /// Reason why it was left out, as a text for the user.
    pub reason: String,
}

impl LeftOut {
    fn new(statement: &str, reason: impl Into<String>) -> Self {
        let line: Vec<&str> = statement.split_whitespace().collect();
        Self { what: line.join(" ").chars().take(SHOWN_CHARS).collect(), reason: reason.into() }
    }
}
