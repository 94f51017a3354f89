//! What PostgreSQL is asked about a batch of changes of one table, and what it says.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use cloch_sql::Caller;
use serde_json::value::RawValue;

use crate::postgres_changes::pgoutput::Kind;
use crate::postgres_changes::policy_timeout::Patience;
use crate::postgres_changes::replication_slot::{Column, Table};
use crate::postgres_changes::row::RowChange;
use crate::postgres_changes::subscriber::CallerId;

/// What is asked.
pub(in crate::postgres_changes) struct Question<'a> {
    pub(in crate::postgres_changes) table: &'a Table,
    pub(in crate::postgres_changes) changes: Vec<&'a RowChange<'a>>,
    /// The ids of their transactions, without their epochs.
    pub(in crate::postgres_changes) transactions: BTreeSet<u32>,
    pub(in crate::postgres_changes) callers: Vec<Asked<'a>>,
    pub(in crate::postgres_changes) patience: Patience,
}

/// A caller and the changes that it asks for, as positions in [`Question::changes`].
pub(in crate::postgres_changes) struct Asked<'a> {
    pub(in crate::postgres_changes) id: CallerId,
    pub(in crate::postgres_changes) caller: &'a Caller,
    pub(in crate::postgres_changes) wanted: BTreeSet<usize>,
}

/// What PostgreSQL says.
#[derive(Debug, Default)]
pub(in crate::postgres_changes) struct Answer {
    pub(in crate::postgres_changes) roles: HashMap<String, RoleView>,
    /// Callers that are not in it were not asked, because slow callers used the time up.
    pub(in crate::postgres_changes) callers: HashMap<CallerId, Verdict>,
}

/// What a role sees of the changes.
#[derive(Debug)]
pub(in crate::postgres_changes) enum RoleView {
    /// No policy lets it read any row.
    Hidden,
    /// An error message in place of every change.
    Refused(&'static str),
    /// The rows could not be converted as this role: SQLSTATE and message.
    Failed(String, String),
    Shown(Shown),
}

/// The readable columns, and the new and the old row of each change.
#[derive(Debug)]
pub(in crate::postgres_changes) struct Shown {
    pub(in crate::postgres_changes) columns: Vec<Column>,
    /// Whether the table has a primary key.
    pub(in crate::postgres_changes) has_key: bool,
    /// Whether no row security applies: else filters see the keys of deleted rows only.
    pub(in crate::postgres_changes) may_filter_deleted: bool,
    pub(in crate::postgres_changes) records: Vec<(Option<Record>, Option<Record>)>,
}

/// As upstream, this takes the place of inserts and updates of a table without a primary key: their rows cannot be found again.
pub(super) const NO_KEY: &str = "Error 400: Bad Request, no primary key";

impl RoleView {
    /// The error message in place of a change of this kind.
    pub(in crate::postgres_changes) fn refusal(&self, kind: Kind) -> Option<&'static str> {
        match self {
            Self::Refused(error) => Some(error),
            Self::Shown(shown) if !shown.has_key && kind != Kind::Delete => Some(NO_KEY),
            Self::Shown(_) | Self::Hidden | Self::Failed(..) => None,
        }
    }
}

/// The values of a row by column, in the order of the table, as PostgreSQL writes them: a parsed number would be a binary fraction.
#[derive(Clone, Debug, Default)]
pub(in crate::postgres_changes) struct Record(pub(in crate::postgres_changes) Vec<(String, Box<RawValue>)>);

/// What the policies say of one caller.
#[derive(Clone, Debug)]
pub(in crate::postgres_changes) enum Verdict {
    /// The positions of the rows that it sees. Deleted rows are not among them.
    Visible {
        rows: Arc<[i32]>,
        is_slow: bool,
    },
    /// A policy raised an error: SQLSTATE and message.
    Failed(String, String),
    TimedOut,
}
