//! Decodes messages of the replication slot to table changes and their recipients.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use cloch_sql::schema_version;

use super::pgoutput::{self, Change, Event, Kind, Relation};
use super::read_error::ReadError;
use super::replication_slot::{ReplicationSlot, Table};
use super::subscriber::{Id, Recipient, Subscriber};
use super::table_change::{TableChange, concerned};

/// Decoder of the replication stream. The stream describes a table before the table's first change, and again after the definition of the
/// table has changed.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    relations: HashMap<u32, Arc<Relation>>,
    /// Cached table definitions from the database catalog, by table OID. Discarded when the schema version differs from `version`, because
    /// the replication stream does not report every change of the schema, such as the rename of a type.
    tables: HashMap<u32, Option<Arc<Table>>>,
    version: u64,
    /// Cached recipients by table OID and kind of change: the subscribers with an entry of `postgres_changes` that matches the table and
    /// the kind. Filters are not evaluated.
    recipients: HashMap<(u32, Kind), Arc<[Recipient]>>,
    /// Commit time of the current transaction in the stream.
    committed: DateTime<Utc>,
    transaction: u32,
}

impl Decoder {
    /// Clears the cached recipients. Called after subscribers have been added or removed.
    pub(super) fn forget_recipients(&mut self) {
        self.recipients.clear();
    }

    /// Decodes a message of the replication stream. Returns a table change with its recipients. `None` if the message is not a change or the
    /// change has no recipients.
    pub(super) async fn take(
        &mut self,
        message: &[u8],
        slot: &mut ReplicationSlot,
        subscribers: &BTreeMap<Id, Arc<Subscriber>>,
    ) -> Result<Option<(TableChange, Arc<[Recipient]>)>, ReadError> {
        let change = match pgoutput::read(message)? {
            Some(Event::Begin(time, id)) => {
                (self.committed, self.transaction) = (time, id);
                return Ok(None);
            }
            Some(Event::Relation(relation)) => {
                self.tables.remove(&relation.id);
                self.recipients.retain(|(table, _), _| *table != relation.id);
                self.relations.insert(relation.id, Arc::new(relation));
                return Ok(None);
            }
            Some(Event::Change(change)) => change,
            None => return Ok(None),
        };
        let relation = self.relations.get(&change.relation).ok_or(pgoutput::Malformed)?;
        if change.old.iter().chain(&change.new).any(|row| row.len() != relation.columns.len()) {
            return Err(pgoutput::Malformed.into());
        }
        let recipients = match self.recipients.entry((relation.id, change.kind)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(concerned(subscribers.values(), relation, &change).into()),
        };
        if recipients.is_empty() {
            return Ok(None);
        }
        let version = schema_version::current();
        if std::mem::replace(&mut self.version, version) != version {
            self.tables.clear();
        }
        let table = match self.tables.entry(relation.id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(slot.table(relation.id).await?.map(Arc::new)),
        };
        // The table was dropped after the change, so its policies cannot be checked.
        let Some(table) = table else { return Ok(None) };
        let bytes = memory(message, &change);
        let (table, relation) = (Arc::clone(table), Arc::clone(relation));
        let (committed, transaction) = (self.committed, self.transaction);
        let change = TableChange { table, relation, change, committed, transaction, bytes };
        Ok(Some((change, Arc::clone(recipients))))
    }
}

/// Estimates the memory of a table change in bytes: the size of its values' texts, and of the structures that contain these
/// texts.
fn memory(message: &[u8], change: &Change) -> usize {
    let cells = change.old.iter().chain(&change.new).map(Vec::len).sum::<usize>();
    message.len() + cells * size_of::<pgoutput::Cell>() + size_of::<TableChange>()
}
