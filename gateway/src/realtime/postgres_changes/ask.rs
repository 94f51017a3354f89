//! Asks PostgreSQL what callers may see of a batch of changes of one table: one call for all roles, one for all callers
//! (`cloch.changed_records` and `cloch.visible_changes`, which set role and claims inside and catch each caller's errors).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use cloch_sql::{Caller, Database, LocalSettings};
use serde_json::{Map, Value, json};
use sqlx::postgres::types::PgInterval;
use sqlx::{Postgres, Transaction};
use tokio::time::Instant;

use super::patience::{self, CONVERSION_TIMEOUT, Patience, SLOW_CHECK_TIME, TimeLeft};
use super::pgoutput::{Cell, Kind};
use super::replication_slot::{Column, Table};
use super::row::{QUERY_CANCELED, RowChange, is_timeout};
use super::subscriber::CallerId;
use crate::realtime::counters::COUNTERS;

/// Time for which a transaction that is in the stream may be unseen. It is decoded when its commit is on disk, and seen a moment later; with
/// synchronous replication, when the other server has it too.
const UNSEEN_TIMEOUT: Duration = Duration::from_secs(5);
/// Time between two looks for it.
const UNSEEN_INTERVAL: Duration = Duration::from_millis(2);

const NO_KEY: &str = "Error 400: Bad Request, no primary key";
const NO_RIGHT: &str = "Error 401: Unauthorized";

/// What is asked.
pub(super) struct Question<'a> {
    pub(super) table: &'a Table,
    pub(super) changes: Vec<&'a RowChange<'a>>,
    /// The ids of their transactions, without their epochs.
    pub(super) transactions: BTreeSet<u32>,
    pub(super) callers: Vec<Asked<'a>>,
    pub(super) patience: Patience,
}

/// A caller and the changes that it asks for, as positions in [`Question::changes`].
pub(super) struct Asked<'a> {
    pub(super) id: CallerId,
    pub(super) caller: &'a Caller,
    pub(super) wanted: BTreeSet<usize>,
}

/// What PostgreSQL says.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) roles: HashMap<String, RoleView>,
    /// Callers that are not in it were not asked, because slow callers used the time up.
    pub(super) callers: HashMap<CallerId, Verdict>,
}

/// What a role sees of the changes.
#[derive(Debug)]
pub(super) enum RoleView {
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
pub(super) struct Shown {
    pub(super) columns: Vec<Column>,
    pub(super) records: Vec<(Option<Record>, Option<Record>)>,
}

/// The values of a row by column.
pub(super) type Record = Map<String, Value>;

/// What the policies say of one caller.
#[derive(Clone, Debug)]
pub(super) enum Verdict {
    /// The positions of the rows that it sees. Deleted rows are not among them.
    Visible {
        rows: Arc<[i32]>,
        is_slow: bool,
    },
    /// A policy raised an error: SQLSTATE and message.
    Failed(String, String),
    TimedOut,
}

/// Callers that share one evaluation.
struct Group<'a> {
    members: Vec<CallerId>,
    caller: &'a Caller,
    wanted: BTreeSet<usize>,
}

#[derive(Debug, sqlx::FromRow)]
struct RoleRow {
    role: String,
    columns: Option<Vec<i16>>,
    row_security: Option<bool>,
    filters_rows: Option<bool>,
    may_see_rows: Option<bool>,
    records: Option<Vec<Option<String>>>,
    failure: Option<String>,
    message: Option<String>,
    /// What the policies can tell apart: the same in all rows.
    reach: String,
    /// Whether all transactions are seen: the same in all rows.
    are_seen: bool,
}

#[derive(Debug, sqlx::FromRow)]
struct CallerRow {
    members: Vec<i32>,
    visible: Option<Vec<i32>>,
    failure: Option<String>,
    message: Option<String>,
    microseconds: i64,
}

/// Ids of transactions are of 32 bits and begin anew: one is before `xmax` if that is less than half of them ahead.
const ROLE_ROWS: &str = "
select *, (select cloch.policy_reach($1::bigint::oid)) as reach,
       (select not exists (
          select from unnest($4::bigint[]) as t (id), pg_current_snapshot() as s
           where mod(t.id - mod(pg_snapshot_xmax(s)::text::bigint, 4294967296) + 8589934592, 4294967296) < 2147483648
              or t.id in (select mod(x::text::bigint, 4294967296) from pg_snapshot_xip(s) as x))) as are_seen
  from cloch.changed_records($1::bigint::oid, $2, $3)";

/// Asks the question. All of it runs in a transaction that is rolled back.
pub(super) async fn ask(database: &Database, question: &Question<'_>) -> sqlx::Result<Answer> {
    let mut answer = Answer::default();
    let roles: BTreeSet<&str> = question.callers.iter().map(|asked| asked.caller.role()).collect();
    if !question.table.columns.iter().any(|column| column.is_key) {
        answer.roles = roles.into_iter().map(|role| (role.to_owned(), RoleView::Refused(NO_KEY))).collect();
        return Ok(answer);
    }
    let mut settings = LocalSettings::default();
    settings.set("statement_timeout", CONVERSION_TIMEOUT.as_millis().to_string());
    let mut transaction = database.begin_with("none", &settings).await?;
    let (mut unfiltered, mut reach) = (BTreeSet::new(), String::new());
    for mut row in seen_role_rows(&mut transaction, question, &roles).await? {
        if row.filters_rows == Some(false) {
            unfiltered.insert(row.role.clone());
        }
        reach = std::mem::take(&mut row.reach);
        answer.roles.insert(row.role.clone(), view(question, row));
    }
    let groups = groups(question, &answer.roles, &unfiltered);
    match ask_policies(&mut transaction, question, (groups, &reach), &mut answer).await {
        // Between two callers: those that are left were not asked.
        Err(error) if question.patience == Patience::Shared && is_timeout(&error) => {}
        outcome => outcome?,
    }
    transaction.rollback().await?;
    Ok(answer)
}

/// The rows once PostgreSQL sees the changes' transactions: policies would find no row before.
async fn seen_role_rows(
    transaction: &mut Transaction<'static, Postgres>,
    question: &Question<'_>,
    roles: &BTreeSet<&str>,
) -> sqlx::Result<Vec<RoleRow>> {
    let end = Instant::now() + UNSEEN_TIMEOUT;
    loop {
        let rows = role_rows(transaction, question, roles).await?;
        if rows.iter().all(|row| row.are_seen) {
            return Ok(rows);
        }
        if Instant::now() >= end {
            return Err(sqlx::Error::Protocol("a transaction that is committed is not seen yet".into()));
        }
        tokio::time::sleep(UNSEEN_INTERVAL).await;
    }
}

async fn role_rows(
    transaction: &mut Transaction<'static, Postgres>,
    question: &Question<'_>,
    roles: &BTreeSet<&str>,
) -> sqlx::Result<Vec<RoleRow>> {
    let rows: Vec<Value> = question.changes.iter().flat_map(|change| change.rows().map(object)).collect();
    let roles: Vec<&str> = roles.iter().copied().collect();
    let transactions: Vec<i64> = question.transactions.iter().copied().map(i64::from).collect();
    sqlx::query_as(ROLE_ROWS)
        .bind(i64::from(question.table.oid))
        .bind(roles)
        .bind(Value::Array(rows))
        .bind(transactions)
        .fetch_all(&mut **transaction)
        .await
}

/// The texts of a row by column, without those that the change does not contain.
fn object(row: &HashMap<&str, &Cell>) -> Value {
    let cell = |(name, cell): (&&str, &&Cell)| match cell {
        Cell::Unchanged => None,
        Cell::Null => Some(((*name).to_owned(), Value::Null)),
        Cell::Text(text) => Some(((*name).to_owned(), text.clone().into())),
    };
    Value::Object(row.iter().filter_map(cell).collect())
}

fn view(question: &Question<'_>, row: RoleRow) -> RoleView {
    if let Some(code) = row.failure {
        return RoleView::Failed(code, row.message.unwrap_or_default());
    }
    let readable = row.columns.unwrap_or_default();
    if question.table.columns.iter().any(|column| column.is_key && !readable.contains(&column.number)) {
        return RoleView::Refused(NO_RIGHT);
    }
    if row.may_see_rows != Some(true) {
        return RoleView::Hidden;
    }
    let columns: Vec<Column> =
        question.table.columns.iter().filter(|column| readable.contains(&column.number)).cloned().collect();
    let mut texts = row.records.unwrap_or_default().into_iter();
    let mut record = |there: &HashMap<&str, &Cell>, keys_only: bool| -> Record {
        let text = texts.next().flatten();
        let mut values: Record = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let shown = columns.iter().filter(|column| column.is_key || !keys_only);
        let is_there = |column: &&Column| there.get(column.name.as_str()).is_some_and(|cell| **cell != Cell::Unchanged);
        shown.filter(is_there).filter_map(|column| values.remove_entry(&column.name)).collect()
    };
    let records = question
        .changes
        .iter()
        .map(|change| {
            let keys_only = change.kind == Kind::Delete && row.row_security != Some(false);
            let new = change.new.as_ref().map(|new| record(new, false));
            let old = change.old.as_ref().map(|old| record(old, keys_only));
            (new, old)
        })
        .collect();
    RoleView::Shown(Shown { columns, records })
}

/// The callers whose policies are asked. Those of a role that no policy applies to share one question.
fn groups<'a>(
    question: &Question<'a>,
    roles: &HashMap<String, RoleView>,
    unfiltered: &BTreeSet<String>,
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut of_role: HashMap<&str, usize> = HashMap::new();
    let is_asked = |asked: &&Asked<'a>| matches!(roles.get(asked.caller.role()), Some(RoleView::Shown(_)));
    for asked in question.callers.iter().filter(is_asked) {
        let role = asked.caller.role();
        let exists = |at: &usize| question.changes.get(*at).is_some_and(|change| change.kind != Kind::Delete);
        let wanted = asked.wanted.iter().copied().filter(exists);
        match of_role.get(role).and_then(|at| groups.get_mut(*at)) {
            Some(group) => {
                group.members.push(asked.id);
                group.wanted.extend(wanted);
            }
            None => {
                if unfiltered.contains(role) {
                    of_role.insert(role, groups.len());
                }
                groups.push(Group { members: vec![asked.id], caller: asked.caller, wanted: wanted.collect() });
            }
        }
    }
    groups
}

async fn ask_policies(
    transaction: &mut Transaction<'static, Postgres>,
    question: &Question<'_>,
    (groups, reach): (Vec<Group<'_>>, &str),
    answer: &mut Answer,
) -> sqlx::Result<()> {
    let (mut open, deletes_only): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| !group.wanted.is_empty());
    for id in deletes_only.into_iter().flat_map(|group| group.members) {
        answer.callers.insert(id, Verdict::Visible { rows: Arc::default(), is_slow: false });
    }
    let keys = keys(question);
    let mut left = TimeLeft::new(question.patience);
    // That of the conversion.
    let mut applied = CONVERSION_TIMEOUT;
    while !open.is_empty()
        && let Some(timeout) = left.timeout()
    {
        if std::mem::replace(&mut applied, timeout) != timeout {
            set_timeout(transaction, timeout).await?;
        }
        let rows = caller_rows(transaction, question, (&keys, timeout, reach), &open).await?;
        if rows.is_empty() {
            break;
        }
        let mut answered = BTreeSet::new();
        for row in rows {
            let took = Duration::from_micros(u64::try_from(row.microseconds).unwrap_or_default());
            COUNTERS.policy_checks.add(1);
            let verdict = match (row.visible, row.failure) {
                (Some(rows), None) => Verdict::Visible { rows: rows.into(), is_slow: took > SLOW_CHECK_TIME },
                (_, Some(code)) if code == QUERY_CANCELED => Verdict::TimedOut,
                (_, code) => Verdict::Failed(code.unwrap_or_default(), row.message.unwrap_or_default()),
            };
            if took > SLOW_CHECK_TIME || matches!(verdict, Verdict::TimedOut) {
                left.spend(took);
            }
            for member in row.members {
                let Some(at) = usize::try_from(member).ok().and_then(|member| member.checked_sub(1)) else { continue };
                answered.insert(at);
                let members = open.get(at).into_iter().flat_map(|group| &group.members);
                answer.callers.extend(members.map(|id| (*id, verdict.clone())));
            }
        }
        let mut at = 0..;
        open.retain(|_| at.next().is_some_and(|at| !answered.contains(&at)));
    }
    Ok(())
}

async fn set_timeout(transaction: &mut Transaction<'static, Postgres>, timeout: Duration) -> sqlx::Result<()> {
    sqlx::query("select set_config('statement_timeout', $1, true)")
        .bind(timeout.as_millis().to_string())
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

async fn caller_rows(
    transaction: &mut Transaction<'static, Postgres>,
    question: &Question<'_>,
    (keys, timeout, reach): (&Value, Duration, &str),
    groups: &[Group<'_>],
) -> sqlx::Result<Vec<CallerRow>> {
    let of = |text: fn(&Caller) -> &str| -> Vec<&str> { groups.iter().map(|group| text(group.caller)).collect() };
    let budget = patience::budget(timeout);
    let wanted: Vec<&BTreeSet<usize>> = groups.iter().map(|group| &group.wanted).collect();
    sqlx::query_as("select * from cloch.visible_changes($1::bigint::oid, $2, $3, $4, $5, $6, $7, $8)")
        .bind(i64::from(question.table.oid))
        .bind(keys)
        .bind(of(Caller::role))
        .bind(of(|caller| caller.claim("sub").unwrap_or_default()))
        .bind(of(Caller::claims_json))
        .bind(json!(wanted))
        .bind(PgInterval { months: 0, days: 0, microseconds: i64::try_from(budget.as_micros()).unwrap_or_default() })
        .bind(reach)
        .fetch_all(&mut **transaction)
        .await
}

/// The primary keys of the new rows, in the order of the key's columns in the table.
fn keys(question: &Question<'_>) -> Value {
    let key = |change: &&RowChange<'_>| -> Value {
        let columns = question.table.columns.iter().filter(|column| column.is_key);
        let text = |column: &Column| match change.new.as_ref().and_then(|row| row.get(column.name.as_str())) {
            Some(Cell::Text(text)) => Value::String(text.clone()),
            _ => Value::Null,
        };
        columns.map(text).collect()
    };
    question.changes.iter().map(key).collect()
}

#[cfg(test)]
mod tests;
