//! Decides whether a subscriber receives a table change: by the filters of its entries of `postgres_changes` (bindings), and by the result
//! of the policy check.

use super::ask::{RoleView, Verdict};
use super::binding::Binding;
use super::compare::Patterns;
use super::filter::Filter;
use super::message::Messages;
use super::pgoutput::Kind;
use super::replication_slot::Table;
use super::row::RowChange;
use super::subscriber::Subscriber;
use super::table_change::TableChange;

/// Returns the filters of an entry of `postgres_changes` (binding) that PostgreSQL has to evaluate. `None` if the change does not meet a
/// filter that can be evaluated without PostgreSQL.
pub(super) fn undecided<'a>(
    patterns: &Patterns,
    change: &RowChange<'_>,
    binding: &'a Binding,
) -> Option<Vec<&'a Filter>> {
    let mut undecided = Vec::new();
    for filter in binding.filters() {
        match change.is_met(filter, patterns) {
            Some(true) => {}
            Some(false) => return None,
            None => undecided.push(filter),
        }
    }
    Some(undecided)
}

/// Sends a change to one subscriber, if the subscriber may see the changed row. If the subscriber's role can receive no changes of this
/// kind ([`RoleView::refusal`]), sends an error message instead, once per table.
pub(super) fn send_visible<'a>(
    messages: &mut Messages<'a>,
    subscriber: &'a Subscriber,
    mut bindings: Vec<&'a Binding>,
    (change, at): (&TableChange, usize),
    view: &RoleView,
    verdict: Option<&Verdict>,
) {
    if view.refusal(change.change.kind).is_some() {
        if !subscriber.is_first_refusal(change.table.oid) {
            return;
        }
    } else {
        let (RoleView::Shown(shown), Some(Verdict::Visible { rows, .. })) = (view, verdict) else { return };
        let is_seen = |row: &i32| usize::try_from(*row).is_ok_and(|row| row == at);
        if change.change.kind != Kind::Delete && !rows.iter().any(is_seen) {
            return;
        }
        // A filter must not reveal values that the caller may not read. Columns on which the caller has no SELECT right are hidden. For
        // a deleted row, all columns outside of the primary key are also hidden, because no policy can be evaluated for a deleted row.
        let is_hidden_row = change.change.kind == Kind::Delete && !shown.may_filter_deleted;
        let may_read = |filter: &Filter| {
            shown.columns.iter().any(|column| column.name == filter.column && (column.is_key || !is_hidden_row))
        };
        bindings.retain(|binding| binding.filters().iter().all(may_read));
    }
    messages.send(subscriber, &bindings, view);
}

/// Notifies a subscriber's client, once per table, that the policies of the table failed with an error.
pub(super) fn tell_failure(subscriber: &Subscriber, table: &Table, (code, message): (&str, &str)) {
    if subscriber.is_first_refusal(table.oid) {
        let name = format!("{}.{}", table.schema, table.name);
        tracing::warn!(
            schema = table.schema,
            table = table.name,
            topic = subscriber.target.channel,
            code,
            error = message,
            "realtime: row-level security policies of a table failed for a subscriber, changes of this table are not sent to this subscriber"
        );
        subscriber.send_system("error", &format!("The policies of the table {name} fail: {message} ({code})"));
    }
}
