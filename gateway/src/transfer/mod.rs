//! Moving a project in and out: `cloch import` and `cloch export`.
//!
//! `dump` makes and reads the three files of a dump and decides about their statements; `load` runs them in one transaction;
//! `inventory` counts what both sides have; `files` brings the objects' bytes; `keys` takes over secrets; `functions` copies code.

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

/// Characters of a statement that a list shows.
const SHOWN_CHARS: usize = 100;

/// A part of a dump that was not taken over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    /// What it was: a statement's beginning, a table or a column.
    pub what: String,
    /// Why.
    pub reason: String,
}

impl LeftOut {
    fn new(statement: &str, reason: impl Into<String>) -> Self {
        let line: Vec<&str> = statement.split_whitespace().collect();
        Self { what: line.join(" ").chars().take(SHOWN_CHARS).collect(), reason: reason.into() }
    }
}
