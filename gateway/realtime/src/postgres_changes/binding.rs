//! A binding: one entry in the list `postgres_changes` of a join, with the requested kind of change, table and filters.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};

use super::filter::{Filter, FilterError};
use super::pgoutput::Kind;

/// One entry in the list `postgres_changes` of a join: the table changes that a client subscribes to.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    /// The entry as the client wrote it. The reply to the join repeats the entry.
    raw: Value,
    /// Id of the entry in messages to the client. Entries with equal fields have equal ids.
    pub(super) id: u32,
    event: Option<Kind>,
    pub(super) schema: String,
    /// Table whose changes are requested. `None` for all tables of the schema.
    pub(super) table: Option<String>,
    pub(super) filters: Result<Vec<Filter>, FilterError>,
    /// Names of the columns to send to the client in addition to the primary key. `None` for all columns.
    pub(super) select: Option<Vec<String>>,
}

impl Binding {
    /// Parses an entry of `postgres_changes`. An invalid entry is reported to the client when the subscription is validated, so that the join
    /// itself succeeds.
    pub(crate) fn read(raw: &Value) -> Self {
        let text = |key: &str| raw.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let table = text("table").filter(|table| *table != "*").map(ToOwned::to_owned);
        let select = columns(raw.get("select"));
        let event = text("event").filter(|event| *event != "*");
        let kind = event.and_then(Kind::from_name);
        let is_of_many_tables = table.is_none() || text("schema") == Some("*");
        let filters = match (&select, text("filter")) {
            (Err(error), _) => Err(error.clone()),
            // An unknown kind of change is refused, because the client would never receive an event.
            _ if event.is_some() && kind.is_none() => Err(FilterError::Event(event.unwrap_or_default().to_owned())),
            _ if text("schema").is_none() && text("table").is_none() => Err(FilterError::NoTable),
            (Ok(Some(_)), _) if is_of_many_tables => Err(FilterError::SelectOfManyTables),
            (_, Some(filter)) => Filter::read_all(filter),
            (_, None) => Ok(Vec::new()),
        };
        Self {
            id: id(raw),
            event: kind,
            schema: text("schema").unwrap_or("public").to_owned(),
            table,
            filters,
            select: select.unwrap_or_default(),
            raw: raw.clone(),
        }
    }

    /// Returns the entry with its id, for the reply to the join.
    pub(crate) fn echo(&self) -> Value {
        let mut entry = Map::from_iter([("id".to_owned(), self.id.into())]);
        if let Value::Object(raw) = &self.raw {
            entry.extend(raw.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        Value::Object(entry)
    }

    /// Whether the schema, table and kind of a change match this entry. Filters are not evaluated.
    pub(super) fn concerns(&self, schema: &str, table: &str, kind: Kind) -> bool {
        self.concerns_table(schema, table) && self.event.is_none_or(|event| event == kind)
    }

    pub(super) fn concerns_table(&self, schema: &str, table: &str) -> bool {
        (self.schema == schema || self.schema == "*") && self.table.as_deref().is_none_or(|name| name == table)
    }

    /// Returns the filters, all of which a row must meet. Empty if the filters could not be parsed.
    pub(super) fn filters(&self) -> &[Filter] {
        self.filters.as_deref().unwrap_or_default()
    }

    /// Formats the entry for messages to the client, in the format of Supabase's Realtime server.
    pub(super) fn describe(&self) -> String {
        let text = |key: &str| self.raw.get(key).and_then(Value::as_str).unwrap_or("*").to_owned();
        let filter = self.raw.get("filter").and_then(Value::as_str).unwrap_or_default();
        format!("event: {}, schema: {}, table: {}, filters: [{filter}]", text("event"), self.schema, text("table"))
    }
}

/// Parses the column names in `select`. `None` (also for an empty list) means all columns. As in Supabase's Realtime server, `*` is
/// the name of a column, not a wildcard.
fn columns(select: Option<&Value>) -> Result<Option<Vec<String>>, FilterError> {
    let list = match select {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(FilterError::SelectForm),
    };
    let names: Option<Vec<String>> = list.iter().map(|name| name.as_str().map(ToOwned::to_owned)).collect();
    names.ok_or(FilterError::SelectForm).map(|names| (!names.is_empty()).then_some(names))
}

fn id(raw: &Value) -> u32 {
    let mut hasher = DefaultHasher::new();
    for key in ["event", "schema", "table", "filter", "select"] {
        raw.get(key).map(Value::to_string).hash(&mut hasher);
    }
    // The client parses the id as a JSON number. An id of 27 bits is exact in every client. The ids of Supabase's Realtime server (Erlang's
    // phash2) also have 27 bits.
    u32::try_from(hasher.finish() & 0x7ff_ffff).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_answer_repeats_what_was_asked() {
        let raw = json!({ "event": "INSERT", "schema": "public", "table": "notes", "filter": "id=eq.1" });
        let echo = Binding::read(&raw).echo();
        for key in ["event", "schema", "table", "filter"] {
            assert_eq!(echo.get(key), raw.get(key), "{key}");
        }
        assert_eq!(Binding::read(&raw).id, Binding::read(&raw).id);
        assert_ne!(Binding::read(&raw).id, Binding::read(&json!({ "event": "*", "schema": "public" })).id);
    }

    #[test]
    fn columns_are_a_list_of_names_of_one_table() {
        let read = |binding: Value| Binding::read(&binding);
        for select in [json!("name"), json!(7), json!({}), json!(["name", 7]), json!([null])] {
            let binding = read(json!({ "schema": "public", "table": "notes", "select": select }));
            assert_eq!(binding.filters, Err(FilterError::SelectForm), "{select}");
        }
        for (schema, table) in [("public", "*"), ("public", ""), ("*", "notes")] {
            let binding = read(json!({ "schema": schema, "table": table, "select": ["name"] }));
            assert_eq!(binding.filters, Err(FilterError::SelectOfManyTables), "{schema}.{table}");
        }
        for (select, expected) in [(json!([]), None), (Value::Null, None), (json!(["*"]), Some(vec!["*".to_owned()]))] {
            let binding = read(json!({ "schema": "public", "table": "notes", "select": select }));
            assert_eq!((binding.filters, binding.select), (Ok(vec![]), expected));
        }
    }

    #[test]
    fn which_changes_it_asks_for() {
        let binding = Binding::read(&json!({ "event": "insert", "schema": "public", "table": "notes" }));
        assert!(binding.concerns("public", "notes", Kind::Insert));
        assert!(!binding.concerns("public", "notes", Kind::Delete));
        assert!(!binding.concerns("public", "others", Kind::Insert));
        assert!(!binding.concerns("private", "notes", Kind::Insert));
        for event in [json!("*"), json!(""), Value::Null] {
            let all = Binding::read(&json!({ "event": event, "schema": "public", "table": "*" }));
            assert!(all.concerns("public", "others", Kind::Delete) && all.filters.is_ok(), "{event}");
        }
        let unknown = Binding::read(&json!({ "event": "CHANGE", "schema": "public", "table": "*" }));
        assert_eq!(unknown.filters, Err(FilterError::Event("CHANGE".to_owned())));
    }
}
