//! Input (`Question`) and result (`Answer`) of a policy check, which determines the changes of one table that each subscribed caller may
//! see.

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
    /// Ids of the transactions that made the changes: 32 bits, without epoch.
    pub(in crate::postgres_changes) transactions: BTreeSet<u32>,
    pub(in crate::postgres_changes) callers: Vec<Asked<'a>>,
    pub(in crate::postgres_changes) patience: Patience,
}

/// A caller to check, and the changes that this caller may receive, as indexes into [`Question::changes`].
pub(in crate::postgres_changes) struct Asked<'a> {
    pub(in crate::postgres_changes) id: CallerId,
    pub(in crate::postgres_changes) caller: &'a Caller,
    pub(in crate::postgres_changes) wanted: BTreeSet<usize>,
}

#[derive(Debug, Default)]
pub(in crate::postgres_changes) struct Answer {
    pub(in crate::postgres_changes) roles: HashMap<String, RoleView>,
    /// For each checked caller, the changes that the policies let the caller see. A caller without an entry was not checked, because the
    /// checks of earlier callers used up the time limit.
    pub(in crate::postgres_changes) callers: HashMap<CallerId, Verdict>,
}

/// Result of reading the changed rows with the rights of one database role (`cloch.changed_records`).
#[derive(Debug)]
pub(in crate::postgres_changes) enum RoleView {
    /// No policy allows the role to read any row of the table.
    Hidden,
    /// The role may not read the table. The client receives the error message in place of every change.
    Refused(&'static str),
    /// Reading the rows or converting them to JSON failed with this role. Contains SQLSTATE and error message.
    Failed(String, String),
    Shown(Shown),
}

/// The columns that a role may read, and the new and the old row of each change.
#[derive(Debug)]
pub(in crate::postgres_changes) struct Shown {
    pub(in crate::postgres_changes) columns: Vec<Column>,
    pub(in crate::postgres_changes) has_key: bool,
    /// Whether filters may use all columns of deleted rows, because the table has no row-level security. With row-level security, filters
    /// on deleted rows may use only key columns.
    pub(in crate::postgres_changes) may_filter_deleted: bool,
    pub(in crate::postgres_changes) records: Vec<(Option<Record>, Option<Record>)>,
}

/// Error message for inserts and updates of a table without a primary key, as in Supabase's Realtime server: without a key, the policy
/// check cannot find the changed row.
pub(super) const NO_KEY: &str = "Error 400: Bad Request, no primary key";

impl RoleView {
    /// Returns the error message that subscribers with this role receive in place of a change of this kind. `None` if the change itself is
    /// sent.
    pub(in crate::postgres_changes) fn refusal(&self, kind: Kind) -> Option<&'static str> {
        match self {
            Self::Refused(error) => Some(error),
            Self::Shown(shown) if !shown.has_key && kind != Kind::Delete => Some(NO_KEY),
            Self::Shown(_) | Self::Hidden | Self::Failed(..) => None,
        }
    }
}

/// Values of a row by column name, in the order of the table's columns. The values stay JSON text as PostgreSQL writes it, because parsing
/// would convert numbers to floating point.
#[derive(Clone, Debug, Default)]
pub(in crate::postgres_changes) struct Record(pub(in crate::postgres_changes) Vec<(String, Box<RawValue>)>);

/// Result of the policy check for one caller.
#[derive(Clone, Debug)]
pub(in crate::postgres_changes) enum Verdict {
    /// Indexes of the changes whose rows the caller may see. Deleted rows are not included.
    Visible {
        rows: Arc<[i32]>,
        is_slow: bool,
    },
    /// A policy raised an error. Contains SQLSTATE and error message.
    Failed(String, String),
    TimedOut,
}
