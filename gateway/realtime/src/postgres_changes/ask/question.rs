//! Input and result of a policy check of changes of one table.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use cloch_sql::Caller;
use serde_json::value::RawValue;

use crate::postgres_changes::pgoutput::Kind;
use crate::postgres_changes::policy_timeout::Patience;
use crate::postgres_changes::replication_slot::{Column, Table};
use crate::postgres_changes::row::RowChange;
use crate::postgres_changes::subscriber::CallerId;

pub(in crate::postgres_changes) struct Question<'a> {
    pub(in crate::postgres_changes) table: &'a Table,
    pub(in crate::postgres_changes) changes: Vec<&'a RowChange<'a>>,
    /// Ids of the changes' transactions, 32 bits without epoch.
    pub(in crate::postgres_changes) transactions: BTreeSet<u32>,
    pub(in crate::postgres_changes) callers: Vec<Asked<'a>>,
    pub(in crate::postgres_changes) patience: Patience,
}

/// A caller, and the changes to check for it as indexes into [`Question::changes`].
pub(in crate::postgres_changes) struct Asked<'a> {
    pub(in crate::postgres_changes) id: CallerId,
    pub(in crate::postgres_changes) caller: &'a Caller,
    pub(in crate::postgres_changes) wanted: BTreeSet<usize>,
}

#[derive(Debug, Default)]
pub(in crate::postgres_changes) struct Answer {
    pub(in crate::postgres_changes) roles: HashMap<String, RoleView>,
    /// Verdicts by caller. Callers without an entry were not checked, because slow callers used up the time limit.
    pub(in crate::postgres_changes) callers: HashMap<CallerId, Verdict>,
}

/// Result of the check for one role.
#[derive(Debug)]
pub(in crate::postgres_changes) enum RoleView {
    /// No policy allows the role to read any row.
    Hidden,
    /// Error message that is sent in place of every change.
    Refused(&'static str),
    /// The rows could not be converted with this role: SQLSTATE and message.
    Failed(String, String),
    Shown(Shown),
}

/// The columns that a role may read, and the new and the old row of each change.
#[derive(Debug)]
pub(in crate::postgres_changes) struct Shown {
    pub(in crate::postgres_changes) columns: Vec<Column>,
    pub(in crate::postgres_changes) has_key: bool,
    /// Whether filters may use all columns of deleted rows, because no row security applies. Otherwise filters may use only key columns.
    pub(in crate::postgres_changes) may_filter_deleted: bool,
    pub(in crate::postgres_changes) records: Vec<(Option<Record>, Option<Record>)>,
}

/// Error for inserts and updates of a table without a primary key, as upstream: their rows cannot be found for the policy check.
pub(super) const NO_KEY: &str = "Error 400: Bad Request, no primary key";

impl RoleView {
    /// Returns the error message to send in place of a change of this kind. `None` if there is no error.
    pub(in crate::postgres_changes) fn refusal(&self, kind: Kind) -> Option<&'static str> {
        match self {
            Self::Refused(error) => Some(error),
            Self::Shown(shown) if !shown.has_key && kind != Kind::Delete => Some(NO_KEY),
            Self::Shown(_) | Self::Hidden | Self::Failed(..) => None,
        }
    }
}

/// Values of a row by column, in the order of the table. JSON text as PostgreSQL writes it: parsing would convert numbers to floating point.
#[derive(Clone, Debug, Default)]
pub(in crate::postgres_changes) struct Record(pub(in crate::postgres_changes) Vec<(String, Box<RawValue>)>);

/// Result of the policy check for one caller.
#[derive(Clone, Debug)]
pub(in crate::postgres_changes) enum Verdict {
    /// Indexes of the rows that the caller may see. Deleted rows are not included.
    Visible {
        rows: Arc<[i32]>,
        is_slow: bool,
    },
    /// A policy raised an error: SQLSTATE and message.
    Failed(String, String),
    TimedOut,
}
