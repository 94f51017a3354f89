//! Plans a function call (`/rpc/name`): selects the function's overload and assigns values to its arguments.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::Planner;
use super::tree::{PlannedLogic, ReadPlan};
use super::values::plain_values;
use super::write::needed_columns;
use crate::error::ApiError;
use crate::error::MissingFunction;
use crate::media_type::MediaType;
use crate::request::{Call, Payload};
use cloch_sql::schema_cache::{Argument, Function, Name};

/// A planned function call.
#[derive(Debug, Clone)]
pub struct CallPlan {
    /// The overload of the called function that was selected.
    pub function: Function,
    /// Arguments that the SQL statement passes to the function.
    pub arguments: Arguments,
    /// Names of the result columns that the statement selects; empty for all columns.
    pub columns: Vec<String>,
    /// Whether the function returns rows of a relation that is in the function's own schema and in the schema cache.
    pub returns_relation: bool,
}

impl CallPlan {
    /// Whether the function returns a named composite type that is not a relation in the schema cache. If the definition of such a type
    /// changes, PostgreSQL does not prepare a prepared statement again. The statement of this call must therefore not stay prepared. A
    /// function that returns `record` declares the columns itself and does not have this problem.
    #[must_use]
    pub fn returns_hidden_type(&self) -> bool {
        self.function.returns_composite && !self.returns_relation && self.function.returns.name != "record"
    }
}

/// The arguments of a function call.
#[derive(Debug, Clone)]
pub enum Arguments {
    /// The call has no arguments.
    None,
    /// The request body is the only argument, which is unnamed and has this type.
    Body(String, Bytes),
    /// Named arguments, each bound as a separate value.
    Direct(Vec<(Argument, ArgumentValue)>),
    /// Named arguments that PostgreSQL extracts from a JSON body.
    Json(Vec<Argument>, Bytes),
}

/// The value of a function argument, from a query string, a form or a JSON body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentValue {
    /// A single value, as text.
    One(Bytes),
    /// All values of a variadic argument.
    Many(Vec<String>),
    /// The value is SQL NULL.
    Null,
}

impl Planner<'_> {
    /// Selects the function's overload whose arguments match the request. If no overload matches a POST request, selects an overload with a
    /// single unnamed argument, which receives the whole body.
    pub(super) fn function(&self, name: &Name, call: Call) -> Result<&Function, ApiError> {
        let given = self.argument_names(call);
        let is_post = call == Call::Post;
        let content_type = &self.request.content_type;
        let overloads = self.schema_cache.functions.get(name).map_or(&[][..], Vec::as_slice);
        let fitting: Vec<&Function> = overloads
            .iter()
            .filter(|function| takes(function, &given, is_post && takes_whole_body(content_type)))
            .collect();
        let fallback = || -> Vec<&Function> {
            let unnamed = |function: &&Function| is_post && takes_body(function, content_type);
            overloads.iter().filter(unnamed).collect()
        };
        let found = if fitting.is_empty() { fallback() } else { fitting };
        match found.as_slice() {
            [only] => Ok(only),
            [] => {
                let missing = MissingFunction { name, arguments: given.into_iter().collect(), content_type, is_post };
                Err(ApiError::no_function(&missing, self.schema_cache, self.role))
            }
            several => Err(ApiError::ambiguous_function(several)),
        }
    }

    fn argument_names(&self, call: Call) -> BTreeSet<&str> {
        match call {
            Call::Read { .. } => self.request.query.arguments.iter().map(|(name, _)| name.as_str()).collect(),
            Call::Post => self.request.columns.iter().map(String::as_str).collect(),
        }
    }

    pub(super) fn call(&self, function: &Function, call: Call, read: &ReadPlan) -> CallPlan {
        let given = self.argument_names(call);
        let specified = || -> Vec<Argument> {
            function.arguments.iter().filter(|argument| given.contains(argument.name.as_str())).cloned().collect()
        };
        let direct = |pairs: &[(String, String)]| {
            let values = argument_values(function, pairs);
            let value = |argument: Argument| {
                let value = values.get(&argument.name)?.clone();
                Some((argument, value))
            };
            Arguments::Direct(specified().into_iter().filter_map(value).collect())
        };
        let arguments = match (function.arguments.as_slice(), &self.request.payload) {
            ([only], Some(payload)) if only.name.is_empty() => Arguments::Body(only.data_type.clone(), payload.body()),
            (_, Some(Payload::Form(pairs))) => direct(pairs),
            (_, Some(payload)) => {
                let (given, body) = (specified(), payload.body());
                bound(&given, &body).map_or(Arguments::Json(given, body), Arguments::Direct)
            }
            (_, None) => direct(&self.request.query.arguments),
        };
        let arguments = match arguments {
            Arguments::Direct(list) if list.is_empty() => Arguments::None,
            Arguments::Json(list, _) if list.is_empty() => Arguments::None,
            other => other,
        };
        let mut columns: BTreeSet<String> = needed_columns(read, &[]).into_iter().collect();
        if !columns.is_empty() && !columns.contains("*") {
            read.filters.iter().for_each(|logic| filter_columns(logic, &mut columns));
        }
        let columns = columns.into_iter().collect();
        // Only a relation in the function's own schema counts, because the caller is allowed to use this schema.
        let returns_relation = function
            .table()
            .is_some_and(|table| table.schema == function.schema && self.schema_cache.tables.contains_key(table));
        CallPlan { function: function.clone(), arguments, columns, returns_relation }
    }
}

/// Parses the values of a call's arguments from a JSON body. Returns `None` if the values cannot be bound individually.
fn bound(given: &[Argument], body: &[u8]) -> Option<Vec<(Argument, ArgumentValue)>> {
    if given.iter().any(|argument| argument.variadic) {
        return None;
    }
    let values = plain_values(given.iter().map(|one| (one.name.as_str(), one.wide_type.as_str())), body)?;
    let values = values.into_iter().map(|value| value.map_or(ArgumentValue::Null, ArgumentValue::One));
    Some(given.iter().cloned().zip(values).collect())
}

/// Adds to `columns` the names of the root relation's columns that filters compare with a value. A filter that checks whether an embed has
/// rows compares no column.
fn filter_columns(logic: &PlannedLogic, columns: &mut BTreeSet<String>) {
    match logic {
        PlannedLogic::Filter { field, .. } => _ = columns.insert(field.name.clone()),
        PlannedLogic::NullEmbed { .. } => {}
        PlannedLogic::Group { items, .. } => items.iter().for_each(|item| filter_columns(item, columns)),
    }
}

fn takes_whole_body(content_type: &MediaType) -> bool {
    matches!(content_type, MediaType::Text | MediaType::Xml | MediaType::OctetStream)
}

/// Whether `given` contains all required arguments of the function and no unknown argument.
fn takes(function: &Function, given: &BTreeSet<&str>, is_whole_body: bool) -> bool {
    if function.arguments.is_empty() {
        return given.is_empty() && !is_whole_body;
    }
    let names = |required| {
        let list = function.arguments.iter().filter(move |argument| argument.required == required);
        list.map(|argument| argument.name.as_str()).collect::<BTreeSet<_>>()
    };
    let (required, optional) = (names(true), names(false));
    given.is_superset(&required) && given.iter().all(|name| required.contains(name) || optional.contains(name))
}

/// Whether the function has a single unnamed argument whose type matches the content type of the request body.
fn takes_body(function: &Function, content_type: &MediaType) -> bool {
    let [only] = function.arguments.as_slice() else { return false };
    only.name.is_empty()
        && matches!(
            (content_type, only.data_type.as_str()),
            (MediaType::Json, "json" | "jsonb")
                | (MediaType::Text, "text")
                | (MediaType::Xml, "xml")
                | (MediaType::OctetStream, "bytea")
        )
}

/// Returns the values of a call's arguments by name: the last value of a repeated name, or all values if the argument is variadic.
fn argument_values(function: &Function, pairs: &[(String, String)]) -> BTreeMap<String, ArgumentValue> {
    let is_variadic = |name: &str| function.arguments.iter().any(|argument| argument.variadic && argument.name == name);
    let mut values = BTreeMap::new();
    for (name, value) in pairs {
        if !is_variadic(name) {
            values.insert(name.clone(), ArgumentValue::One(value.clone().into()));
            continue;
        }
        match values.entry(name.clone()).or_insert_with(|| ArgumentValue::Many(Vec::new())) {
            ArgumentValue::Many(list) => list.push(value.clone()),
            ArgumentValue::One(_) | ArgumentValue::Null => {}
        }
    }
    values
}
