//! Values of generated columns in table changes. PostgreSQL omits generated columns from the replication stream (version 18 includes them
//! if the publication requests it). The values are computed from the row's other columns, with the rights of a recipient of the change.

use std::collections::HashMap;
use std::sync::Arc;

use cloch_sql::Database;
use serde_json::Value;
use sqlx::AssertSqlSafe;
use sqlx::types::Json;

use super::pgoutput::{Cell, Relation};
use super::policy_timeout::CONVERSION_TIMEOUT;
use super::replication_slot::Generation;
use super::row::{self, RowChange};
use super::subscriber::Subscriber;
use super::table_change::{Pending, TableChange};

/// Values of a row's generated columns as texts. `None` if the change does not contain the complete row.
type Computed = Option<Vec<Option<String>>>;

/// Adds the values of generated columns to the changes of a batch. If the values cannot be computed, the columns are omitted and the
/// subscribers are notified.
pub(super) async fn complete(database: &Database, batch: &mut [Pending]) {
    for places in incomplete(batch) {
        let pending: Vec<&Pending> = places.iter().filter_map(|at| batch.get(*at)).collect();
        let Some((generation, relation)) = pending.first().and_then(|first| missing(&first.change)) else { continue };
        let relation = Arc::new(with_columns(relation, generation));
        let rows = pending.iter().flat_map(|pending| rows(&pending.change)).collect();
        let subscribers = one_of_each_role(&pending);
        match compute(database, &subscribers, generation, Value::Array(rows)).await {
            Ok(computed) => {
                let count = generation.columns.len();
                for (at, computed) in places.into_iter().zip(computed.chunks(2)) {
                    let change = batch.get_mut(at).and_then(|pending| Arc::get_mut(&mut pending.change));
                    if let Some(change) = change {
                        add(change, &relation, computed, count);
                    }
                }
            }
            Err(error) => {
                tracing::warn!(%error, schema = relation.schema, table = relation.table, "realtime: computing generated columns failed, change events lack these columns");
                for change in pending {
                    change
                        .recipients
                        .iter()
                        .for_each(|(subscriber, _)| subscriber.tell_incomplete(&change.change.table));
                }
            }
        }
    }
}

/// Returns the indexes of the changes that lack generated columns, grouped by table definition.
fn incomplete(batch: &[Pending]) -> Vec<Vec<usize>> {
    let mut groups: HashMap<*const Relation, Vec<usize>> = HashMap::new();
    for (at, pending) in batch.iter().enumerate().filter(|(_, pending)| missing(&pending.change).is_some()) {
        groups.entry(Arc::as_ptr(&pending.change.relation)).or_default().push(at);
    }
    groups.into_values().collect()
}

/// Returns the definitions of the generated columns of a change's table. `None` if the table has no generated columns, or the replication
/// stream contains their values.
fn missing(change: &TableChange) -> Option<(&Generation, &Relation)> {
    let generation = change.table.generation.as_ref()?;
    let is_there = |name: &String| change.relation.columns.iter().any(|(there, _)| there == name);
    (!generation.columns.iter().any(is_there)).then_some((generation, &change.relation))
}

fn with_columns(relation: &Relation, generation: &Generation) -> Relation {
    let has_whole_identity = relation.columns.iter().all(|(_, is_key)| *is_key);
    let mut relation = relation.clone();
    relation.columns.extend(generation.columns.iter().map(|name| (name.clone(), has_whole_identity)));
    relation
}

/// Returns the new row and the old row of a change as JSON objects, with the column values as texts. A row that the change does not
/// contain, or not completely, is JSON null.
fn rows(change: &TableChange) -> [Value; 2] {
    let row = RowChange::new(&change.relation, &change.table, &change.change);
    let generated = change.table.generation.as_ref().map_or(0, |generation| generation.columns.len());
    let whole = |row: &Option<HashMap<&str, &Cell>>| {
        let texts = row.as_ref().map(row::texts).filter(|texts| texts.len() + generated == change.table.columns.len());
        texts.map_or(Value::Null, Value::Object)
    };
    [whole(&row.new), whole(&row.old)]
}

fn one_of_each_role(pending: &[&Pending]) -> Vec<Arc<Subscriber>> {
    let mut chosen: Vec<Arc<Subscriber>> = Vec::new();
    for (subscriber, _) in pending.iter().flat_map(|pending| pending.recipients.iter()) {
        if !chosen.iter().any(|other| other.caller.role() == subscriber.caller.role()) {
            chosen.push(Arc::clone(subscriber));
        }
    }
    chosen
}

/// Computes the generated columns with the rights of the first subscriber for which the computation succeeds. The expressions of generated
/// columns are immutable, so all roles get equal results.
async fn compute(
    database: &Database,
    subscribers: &[Arc<Subscriber>],
    Generation { outputs, inputs, .. }: &Generation,
    rows: Value,
) -> sqlx::Result<Vec<Computed>> {
    let statement = format!(
        "select case when jsonb_typeof(e.r) = 'object' then (select to_jsonb(array[{outputs}]) from (select {inputs}) as stored) end
           from jsonb_array_elements($1) with ordinality as e (r, at) order by e.at"
    );
    let mut refusal = sqlx::Error::RowNotFound;
    for subscriber in subscribers {
        let mut transaction = match row::begin(database, &subscriber.caller, CONVERSION_TIMEOUT).await {
            Ok(transaction) => transaction,
            // The role of this subscriber may have been dropped, so the next subscriber is tried.
            Err(error) => {
                refusal = error;
                continue;
            }
        };
        let computed = sqlx::query_scalar::<_, Option<Json<Vec<Option<String>>>>>(AssertSqlSafe(statement.clone()))
            .bind(&rows)
            .fetch_all(&mut *transaction)
            .await;
        transaction.rollback().await?;
        match computed {
            Ok(computed) => return Ok(computed.into_iter().map(|row| row.map(|Json(texts)| texts)).collect()),
            Err(error) => refusal = error,
        }
    }
    Err(refusal)
}

/// Adds the computed values of generated columns to the new row and the old row of a change.
fn add(change: &mut TableChange, relation: &Arc<Relation>, computed: &[Computed], count: usize) {
    change.relation = Arc::clone(relation);
    for (row, computed) in [&mut change.change.new, &mut change.change.old].into_iter().zip(computed) {
        let Some(row) = row else { continue };
        match computed {
            Some(texts) => row.extend(texts.iter().cloned().map(|text| text.map_or(Cell::Null, Cell::Text))),
            None => row.extend(std::iter::repeat_n(Cell::Unchanged, count)),
        }
    }
}
