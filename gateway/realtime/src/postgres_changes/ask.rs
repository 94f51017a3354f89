//! Checks in PostgreSQL which changes of one table the subscribed callers may see. Calls `cloch.changed_records` once for all roles, and
//! `cloch.visible_rows` once for all callers. These two database functions set role and claims, and catch the errors of each caller's
//! policies.

mod policy_claims;
mod question;
mod roles;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use cloch_sql::{Caller, Database, LocalSettings};
use sqlx::postgres::types::PgInterval;
use sqlx::{Postgres, Transaction};

use super::pgoutput::{Cell, Kind};
use super::policy_timeout::{self, CONVERSION_TIMEOUT, Patience, SLOW_CHECK_TIME, TimeLeft};
use super::replication_slot::Column;
use super::row::{QUERY_CANCELED, RowChange, is_timeout};
use super::subscriber::CallerId;
use crate::counters::COUNTERS;
use policy_claims::{Distinction, PolicyClaims};
use roles::{seen_role_rows, view};

pub(super) use policy_claims::PolicyClaimsCache;
pub(super) use question::{Answer, Asked, Question, Record, RoleView, Verdict};

/// A group of callers that the policies of a table cannot distinguish. The policies are evaluated only once for the whole group.
struct Group<'a> {
    members: Vec<CallerId>,
    caller: &'a Caller,
    wanted: BTreeSet<usize>,
}

#[derive(Debug, sqlx::FromRow)]
struct CallerRow {
    member: i32,
    visible: Option<Vec<i32>>,
    failure: Option<String>,
    message: Option<String>,
    microseconds: i64,
}

/// Evaluates the row-level security policies of a table to determine which changes of the table each caller may see. `question` contains
/// the table, its changes and the callers. All statements run in a transaction that is rolled back.
pub(super) async fn ask(
    database: &Database,
    cache: &PolicyClaimsCache,
    question: &Question<'_>,
) -> sqlx::Result<Answer> {
    let mut answer = Answer::default();
    let roles: BTreeSet<&str> = question.callers.iter().map(|asked| asked.caller.role()).collect();
    let mut settings = LocalSettings::default();
    settings.set("statement_timeout", CONVERSION_TIMEOUT.as_millis().to_string());
    let mut transaction = database.begin_without_role(&settings).await?;
    let left = TimeLeft::new(question.patience);
    let timeout = left.timeout().unwrap_or(CONVERSION_TIMEOUT);
    let table = question.table.oid;
    let last = cache.last(table);
    let (mut unfiltered, mut fingerprint) = (BTreeSet::new(), String::new());
    let mut has_row_security = true;
    for mut row in seen_role_rows(&mut transaction, question, &roles, (&last.relations, timeout)).await? {
        if row.filters_rows == Some(false) {
            unfiltered.insert(row.role.clone());
        }
        fingerprint = std::mem::take(&mut row.fingerprint);
        has_row_security &= row.row_security != Some(false);
        answer.roles.insert(row.role.clone(), view(question, row));
    }
    if !has_row_security || !question.table.has_key() {
        transaction.rollback().await?;
        answer.callers = all_rows(question);
        return Ok(answer);
    }
    let claims = if last.is_of(&fingerprint) {
        last
    } else {
        set_timeout(&mut transaction, CONVERSION_TIMEOUT).await?;
        let claims = cache.find(&mut transaction, table).await?;
        set_timeout(&mut transaction, timeout).await?;
        claims
    };
    let groups = groups(question, &answer.roles, &unfiltered, &claims);
    let asked = ask_policies(&mut transaction, question, (groups, &claims), (left, timeout), &mut answer.callers);
    match asked.await {
        // The statement timed out between the checks of two callers. The remaining callers get no result here. Their changes go to
        // slow-caller queues, which check these callers again.
        Err(error) if question.patience == Patience::Shared && is_timeout(&error) => {}
        outcome => outcome?,
    }
    transaction.rollback().await?;
    Ok(answer)
}

/// Returns the result for a table without row-level security: every row is visible, even if the row is no longer in the table, as in
/// Supabase's `realtime.apply_rls`. Also used for a table without a primary key, for which only deletions are sent
/// ([`RoleView::refusal`]).
fn all_rows(question: &Question<'_>) -> HashMap<CallerId, Verdict> {
    let rows: Arc<[i32]> = (0_i32..).take(question.changes.len()).collect();
    let verdict = || Verdict::Visible { rows: Arc::clone(&rows), is_slow: false };
    question.callers.iter().map(|asked| (asked.id, verdict())).collect()
}

/// Groups the callers for which policies have to be checked. Callers that the policies of the table cannot distinguish are in the same group.
fn groups<'a>(
    question: &Question<'a>,
    roles: &HashMap<String, RoleView>,
    unfiltered: &BTreeSet<String>,
    claims: &PolicyClaims,
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut places: HashMap<Distinction<'_>, usize> = HashMap::new();
    let is_asked = |asked: &&Asked<'a>| matches!(roles.get(asked.caller.role()), Some(RoleView::Shown(_)));
    for asked in question.callers.iter().filter(is_asked) {
        let role = asked.caller.role();
        let exists = |at: &usize| question.changes.get(*at).is_some_and(|change| change.kind != Kind::Delete);
        let wanted = asked.wanted.iter().copied().filter(exists);
        let distinction =
            if unfiltered.contains(role) { Distinction::Role(role) } else { claims.distinction(asked.caller) };
        let place = *places.entry(distinction).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => {
                group.members.push(asked.id);
                group.wanted.extend(wanted);
            }
            None => groups.push(Group { members: vec![asked.id], caller: asked.caller, wanted: wanted.collect() }),
        }
    }
    // The groups are sorted by role, because changing the role costs more than changing the claims.
    groups.sort_by_key(|group| group.caller.role());
    groups
}

/// Checks the policies for one group of callers after another, and adds the results to `callers`. `applied` is the current
/// `statement_timeout` of the transaction.
async fn ask_policies(
    transaction: &mut Transaction<'static, Postgres>,
    question: &Question<'_>,
    (groups, claims): (Vec<Group<'_>>, &PolicyClaims),
    (mut left, mut applied): (TimeLeft, Duration),
    callers: &mut HashMap<CallerId, Verdict>,
) -> sqlx::Result<()> {
    let (mut open, deletes_only): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| !group.wanted.is_empty());
    for id in deletes_only.into_iter().flat_map(|group| group.members) {
        callers.insert(id, Verdict::Visible { rows: Arc::default(), is_slow: false });
    }
    let keys = keys(question);
    while !open.is_empty()
        && let Some(timeout) = left.timeout()
    {
        if std::mem::replace(&mut applied, timeout) != timeout {
            set_timeout(transaction, timeout).await?;
        }
        let rows = caller_rows(transaction, question, (&keys, timeout, claims), &open).await?;
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
            let Some(at) = usize::try_from(row.member).ok().and_then(|member| member.checked_sub(1)) else { continue };
            answered.insert(at);
            let members = open.get(at).into_iter().flat_map(|group| &group.members);
            callers.extend(members.map(|id| (*id, verdict.clone())));
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
    (keys, timeout, claims): (&[Option<&str>], Duration, &PolicyClaims),
    groups: &[Group<'_>],
) -> sqlx::Result<Vec<CallerRow>> {
    let of = |text: fn(&Caller) -> &str| -> Vec<&str> { groups.iter().map(|group| text(group.caller)).collect() };
    let budget = policy_timeout::budget(timeout);
    let positions = |group: &Group<'_>| group.wanted.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
    let wanted: Vec<String> = groups.iter().map(positions).collect();
    sqlx::query_as("select * from cloch.visible_rows($1::bigint::oid, $2, $3, $4, $5, $6, $7, $8)")
        .bind(i64::from(question.table.oid))
        .bind(keys)
        .bind(of(Caller::role))
        .bind(of(|caller| caller.claim("sub").unwrap_or_default()))
        .bind(of(Caller::claims_json))
        .bind(wanted)
        .bind(PgInterval { months: 0, days: 0, microseconds: i64::try_from(budget.as_micros()).unwrap_or_default() })
        .bind(claims.sets_nothing())
        .fetch_all(&mut **transaction)
        .await
}

/// Returns the primary key values of the changes' new rows, row by row. The values of a row are in the order of the table's columns. `None`
/// for a value that the change does not contain.
fn keys<'a>(question: &Question<'a>) -> Vec<Option<&'a str>> {
    let columns: Vec<&Column> = question.table.columns.iter().filter(|column| column.is_key).collect();
    let text = |change: &RowChange<'a>, column: &Column| match change.new.as_ref()?.get(column.name.as_str())? {
        Cell::Text(text) => Some(text.as_str()),
        Cell::Null | Cell::Unchanged => None,
    };
    let of_change = |change: &&RowChange<'a>| -> Vec<Option<&'a str>> {
        columns.iter().map(|column| text(change, column)).collect()
    };
    question.changes.iter().flat_map(of_change).collect()
}

#[cfg(test)]
mod tests;
