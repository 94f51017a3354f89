//! First stage of explaining a request: describes the request as a [`Question`], with its caller, command and relation.

use bytes::Bytes;
use http::Request;
use serde::Serialize;
use serde_json::{Map, Value};

use super::WhyError;
use crate::Caller;
use crate::Settings;
use crate::plan::tree::{PlannedField, PlannedLogic};
use crate::plan::{self, Plan, RowsPlan, Source, WriteKind};
use crate::request::model::{Operation, QuantOperator};
use crate::request::{Mutation, Target};
use cloch_sql::schema_cache::{Name, SchemaCache};

/// An SQL command that policies can apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Command {
    /// Reads rows.
    Select,
    /// Inserts rows.
    Insert,
    /// Updates rows.
    Update,
    /// Deletes rows.
    Delete,
}

impl Command {
    /// Returns the SQL keyword of the command.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Select => "SELECT",
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// Rows to which the command of the request applies.
#[derive(Clone, Debug)]
pub enum Rows {
    /// Existing rows that meet all conditions.
    Matching(Vec<PlannedLogic>),
    /// A row that does not exist in the relation, given by its values. Such a row is used to check whether a caller may join a realtime
    /// channel.
    Given(Map<String, Value>),
}

/// Whether the statement of the request returns the written rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// The statement returns the rows (`Prefer: return=representation`).
    Yes,
    /// The statement returns no rows.
    No,
}

/// A request whose outcome is to be explained.
#[derive(Clone, Debug)]
pub struct Question {
    /// Caller of the request: role and claims.
    pub caller: Caller,
    /// Table or view that the request refers to.
    pub relation: Name,
    /// SQL command that the request runs on the relation.
    pub command: Command,
    /// Rows that the command affects; ignored for an INSERT.
    pub rows: Rows,
    /// Values by column name that the command writes.
    pub values: Map<String, Value>,
    /// Names of the columns that the statement selects, compares or returns; empty if the statement reads no named column.
    pub reads: Vec<String>,
    /// Whether the statement of the request returns the written rows.
    pub returned: Returned,
    /// Additional settings of the statement's transaction, such as `realtime.topic`.
    pub settings: Vec<(String, String)>,
}

impl Question {
    /// Describes a request to the table REST API as a [`Question`]. The path does not contain `/rest/v1`. If the body contains several
    /// rows, only the first row is explained.
    ///
    /// # Errors
    /// Returns the error with which the table REST API rejects the request before it accesses the database.
    pub fn of_rest(
        caller: Caller,
        request: Request<Bytes>,
        schema_cache: &SchemaCache,
        settings: &Settings,
    ) -> Result<Self, WhyError> {
        let refused = |error: crate::ApiError| WhyError::Request(error.to_string());
        let (parts, body) = request.into_parts();
        let target = Target::find(&parts, settings).map_err(refused)?;
        let parsed = target.request(&parts, body.clone(), settings, schema_cache.timezones.names()).map_err(refused)?;
        let Plan::Rows(plan) = plan::plan(&parsed, schema_cache, settings, caller.role()).map_err(refused)? else {
            return Err(WhyError::Request("the request is for no table".to_owned()));
        };
        let RowsPlan { source, read, .. } = *plan;
        let mut conditions = read.filters.clone();
        let mut reads: Vec<String> = read.select.iter().map(|select| select.field.name.clone()).collect();
        let (relation, command, returned) = match source {
            Source::Relation(relation) => (relation, Command::Select, Returned::Yes),
            Source::Write(mutation, write) => {
                let returned = if write.returning.is_empty() { Returned::No } else { Returned::Yes };
                reads.clone_from(&write.returning);
                conditions = match write.kind {
                    WriteKind::Insert { conditions, .. }
                    | WriteKind::Update { conditions, .. }
                    | WriteKind::Delete { conditions } => conditions,
                };
                let command = match mutation {
                    Mutation::Insert | Mutation::Upsert => Command::Insert,
                    Mutation::Update => Command::Update,
                    Mutation::Delete => Command::Delete,
                };
                (write.table, command, returned)
            }
            Source::Call(..) => {
                let message = "a function decides itself what it does: ask about the tables that it uses";
                return Err(WhyError::Request(message.to_owned()));
            }
        };
        if command != Command::Insert {
            conditions.iter().for_each(|condition| add_columns(condition, &mut reads));
        }
        reads.sort();
        reads.dedup();
        let values = match serde_json::from_slice(&body) {
            Ok(Value::Object(row)) => row,
            Ok(Value::Array(rows)) => rows.into_iter().find_map(into_object).unwrap_or_default(),
            _ => Map::new(),
        };
        let values = values.into_iter().filter(|(name, _)| parsed.columns.contains(name)).collect();
        let rows = Rows::Matching(conditions);
        Ok(Self { caller, relation, command, rows, values, reads, returned, settings: Vec::new() })
    }

    /// Describes an operation on the object `name` in the bucket `bucket` (a row of `storage.objects`) as a [`Question`]. Deleting or
    /// overwriting an object also requires read access to the object.
    #[must_use]
    pub fn of_object(caller: Caller, command: Command, bucket: &str, name: &str) -> Self {
        let owner = caller.claim("sub").map_or(Value::Null, Value::from);
        let text = |text: &str| Value::String(text.to_owned());
        let conditions = vec![equals("bucket_id", bucket), equals("name", name)];
        let values = match command {
            Command::Insert | Command::Update => Map::from_iter([
                ("bucket_id".to_owned(), text(bucket)),
                ("name".to_owned(), text(name)),
                ("owner_id".to_owned(), owner.clone()),
                ("owner".to_owned(), if caller.user_id().is_some() { owner } else { Value::Null }),
            ]),
            Command::Select | Command::Delete => Map::new(),
        };
        Self {
            caller,
            relation: Name::new("storage", "objects"),
            command,
            rows: Rows::Matching(conditions),
            values,
            reads: if command == Command::Insert {
                Vec::new()
            } else {
                vec!["bucket_id".to_owned(), "name".to_owned()]
            },
            returned: Returned::No,
            settings: Vec::new(),
        }
    }

    /// Describes an operation on a private realtime channel as a [`Question`] about the table `realtime.messages`: joining the channel
    /// ([`Command::Select`]) or sending to the channel ([`Command::Insert`]). `extension` is `broadcast` or `presence`.
    #[must_use]
    pub fn of_channel(caller: Caller, command: Command, topic: &str, extension: &str) -> Self {
        let probe = Map::from_iter([
            ("topic".to_owned(), Value::from(topic)),
            ("extension".to_owned(), Value::from(extension)),
            ("private".to_owned(), Value::from(true)),
        ]);
        Self {
            caller,
            relation: Name::new("realtime", "messages"),
            command,
            rows: Rows::Given(probe.clone()),
            values: if command == Command::Insert { probe } else { Map::new() },
            reads: if command == Command::Insert { Vec::new() } else { vec!["extension".to_owned()] },
            returned: Returned::No,
            settings: vec![("realtime.topic".to_owned(), topic.to_owned())],
        }
    }
}

fn into_object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(row) => Some(row),
        _ => None,
    }
}

fn equals(column: &str, value: &str) -> PlannedLogic {
    PlannedLogic::Filter {
        field: PlannedField::unknown(column, Vec::new()),
        negated: false,
        operation: Operation::Quant(QuantOperator::Equal, None, value.to_owned()),
    }
}

fn add_columns(condition: &PlannedLogic, columns: &mut Vec<String>) {
    match condition {
        PlannedLogic::Filter { field, .. } => columns.push(field.name.clone()),
        PlannedLogic::Group { items, .. } => items.iter().for_each(|item| add_columns(item, columns)),
        PlannedLogic::NullEmbed { .. } => {}
    }
}
