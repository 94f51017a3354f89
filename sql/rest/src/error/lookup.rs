//! Errors for names that are ambiguous or missing in the schema cache, with a hint that suggests a similar existing name.

use http::StatusCode;
use serde_json::{Value, json};

use super::ApiError;
use crate::media_type::MediaType;
use cloch_sql::schema_cache::{Cardinality, Function, Name, Relationship, SchemaCache, best_match};

/// Minimum similarity between a requested and a suggested table name, from 0 to 1.
const MIN_NAME_SIMILARITY: f64 = 0.75;
/// Minimum similarity between a requested and a suggested argument list or related table, from 0 to 1.
const MIN_RELATED_SIMILARITY: f64 = 0.33;
/// If a schema contains at least this number of tables, error hints suggest no table names.
const MAX_SUGGESTION_TABLES: usize = 500;

/// A function call that matches no function of the schema cache.
pub(crate) struct MissingFunction<'a> {
    pub(crate) name: &'a Name,
    /// Names of the arguments in the call, sorted.
    pub(crate) arguments: Vec<&'a str>,
    pub(crate) content_type: &'a MediaType,
    pub(crate) is_post: bool,
}

impl ApiError {
    /// Returns the error for an unknown table. Error hints name only objects that are visible to `role`, so that a caller cannot explore
    /// the schema with hints.
    pub(crate) fn no_table(name: &Name, schema_cache: &SchemaCache, role: &str) -> Self {
        let Name { schema, name: table } = name;
        let message = format!("Could not find the table '{schema}.{table}' in the schema cache");
        let error = Self::new(StatusCode::NOT_FOUND, "PGRST205", message);
        let in_schema = || schema_cache.tables.values().filter(|table| table.schema == *schema);
        if in_schema().count() >= MAX_SUGGESTION_TABLES {
            return error;
        }
        let mut seen: Vec<&str> = in_schema()
            .filter(|table| table.visible_to.iter().any(|visible| visible == role))
            .map(|table| table.name.as_str())
            .collect();
        seen.sort_unstable();
        match best_match(seen, table, MIN_NAME_SIMILARITY) {
            Some((_, guess)) => error.hint(format!("Perhaps you meant the table '{schema}.{guess}'")),
            None => error,
        }
    }

    pub(crate) fn no_column(table: &str, column: &str) -> Self {
        let message = format!("Could not find the '{column}' column of '{table}' in the schema cache");
        Self::new(StatusCode::BAD_REQUEST, "PGRST204", message)
    }

    pub(crate) fn no_relationship(
        origin: &Name,
        target: &str,
        hint: Option<&str>,
        schema_cache: &SchemaCache,
        role: &str,
    ) -> Self {
        let Name { schema, name } = origin;
        let message = format!("Could not find a relationship between '{name}' and '{target}' in the schema cache");
        let using = hint.map(|hint| format!("' using the hint '{hint}")).unwrap_or_default();
        let details = format!(
            "Searched for a foreign key relationship between '{name}' and '{target}{using}' in the schema '{schema}', \
             but no matches were found."
        );
        let error = Self::new(StatusCode::BAD_REQUEST, "PGRST200", message).details(details);
        match relationship_guess(origin, target, schema_cache, role) {
            Some((wrong, guess)) => error.hint(format!("Perhaps you meant '{guess}' instead of '{wrong}'.")),
            None => error,
        }
    }

    pub(crate) fn ambiguous_relationship(origin: &str, target: &str, found: &[&Relationship]) -> Self {
        let message =
            format!("Could not embed because more than one relationship was found for '{origin}' and '{target}'");
        let hints: Vec<String> = found.iter().filter_map(|rel| relationship_hint(rel)).collect();
        Self::new(StatusCode::MULTIPLE_CHOICES, "PGRST201", message)
            .details(found.iter().map(|rel| describe(rel)).collect::<Vec<_>>())
            .hint(format!(
                "Try changing '{target}' to one of the following: {}. Find the desired relationship in the 'details' key.",
                hints.join(", ")
            ))
    }

    pub(crate) fn no_function(missing: &MissingFunction<'_>, schema_cache: &SchemaCache, role: &str) -> Self {
        let Name { schema, name } = missing.name;
        let list = missing.arguments.join(", ");
        let whole_body = match missing.content_type {
            MediaType::Text if missing.is_post => Some("text"),
            MediaType::Xml if missing.is_post => Some("xml"),
            MediaType::OctetStream if missing.is_post => Some("bytea"),
            _ => None,
        };
        let searched = match (whole_body, missing.arguments.len()) {
            (Some(kind), _) => format!(" with a single unnamed {kind} parameter"),
            (None, 0) => " without parameters".to_owned(),
            (None, 1) => format!(" with parameter {list}"),
            (None, _) => format!(" with parameters {list}"),
        };
        let or_json = if missing.is_post && *missing.content_type == MediaType::Json {
            " or with a single unnamed json/jsonb parameter"
        } else {
            ""
        };
        let shown = match (whole_body, missing.arguments.len()) {
            (Some(_), _) => String::new(),
            (None, 0) => " without parameters".to_owned(),
            (None, _) => format!("({list})"),
        };
        let message = format!("Could not find the function {schema}.{name}{shown} in the schema cache");
        let error = Self::new(StatusCode::NOT_FOUND, "PGRST202", message).details(format!(
            "Searched for the function {schema}.{name}{searched}{or_json}, but no matches were found in the schema cache."
        ));
        let guess = if whole_body.is_some() { None } else { function_guess(missing, schema_cache, role) };
        match guess {
            Some(guess) => error.hint(format!("Perhaps you meant to call the function {schema}.{guess}")),
            None => error,
        }
    }

    pub(crate) fn ambiguous_function(found: &[&Function]) -> Self {
        let argument =
            |argument: &cloch_sql::schema_cache::Argument| format!("{} => {}", argument.name, argument.data_type);
        let signature = |function: &&Function| {
            let arguments: Vec<String> = function.arguments.iter().map(argument).collect();
            format!("{}.{}({})", function.schema, function.name, arguments.join(", "))
        };
        let candidates: Vec<String> = found.iter().map(signature).collect();
        let message = format!("Could not choose the best candidate function between: {}", candidates.join(", "));
        Self::new(StatusCode::MULTIPLE_CHOICES, "PGRST203", message).hint(
            "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
        )
    }
}

fn is_visible(schema_cache: &SchemaCache, name: &Name, role: &str) -> bool {
    schema_cache.tables.get(name).is_some_and(|table| table.visible_to.iter().any(|visible| visible == role))
}

/// Finds a name in the request that is probably misspelt: the name of the embed (`target`), or of the relation that contains the embed
/// (`origin`). Returns the misspelt name and the most similar existing name. Returns `None` if no visible name is similar enough.
fn relationship_guess<'a>(
    origin: &'a Name,
    target: &'a str,
    schema_cache: &'a SchemaCache,
    role: &str,
) -> Option<(&'a str, &'a str)> {
    let visible = |name: &&Name| is_visible(schema_cache, name, role);
    let known = schema_cache.relationships_of(origin);
    if !known.is_empty() {
        let targets = known.into_iter().map(Relationship::foreign_table).filter(visible);
        let (score, guess) = best_match(targets.map(|name| name.name.as_str()), target, MIN_RELATED_SIMILARITY)?;
        return (score < 1.0).then_some((target, guess));
    }
    let mut origins: Vec<&str> = schema_cache
        .relationships
        .keys()
        .filter(|name| !schema_cache.relationships_to(name, &origin.schema).is_empty())
        .filter(visible)
        .map(|name| name.name.as_str())
        .collect();
    origins.sort_unstable();
    let (score, guess) = best_match(origins, &origin.name, MIN_RELATED_SIMILARITY)?;
    (score < 1.0).then_some((&origin.name, guess))
}

fn function_guess(missing: &MissingFunction<'_>, schema_cache: &SchemaCache, role: &str) -> Option<String> {
    let visible = |function: &&Function| function.visible_to.iter().any(|visible| visible == role);
    let list = |names: &mut Vec<&str>| {
        names.sort_unstable();
        format!("({})", names.join(", "))
    };
    if let Some(overloads) = schema_cache.functions.get(missing.name) {
        let lists: Vec<String> = overloads
            .iter()
            .filter(visible)
            .map(|function| list(&mut function.arguments.iter().map(|argument| argument.name.as_str()).collect()))
            .collect();
        let wanted = list(&mut missing.arguments.clone());
        let (_, guess) = best_match(lists.iter().map(String::as_str), &wanted, MIN_RELATED_SIMILARITY)?;
        return Some(format!("{}{guess}", missing.name.name));
    }
    let in_schema = schema_cache.functions.iter().filter(|(name, _)| name.schema == missing.name.schema);
    let mut names: Vec<&str> = in_schema
        .filter(|(_, overloads)| overloads.iter().any(|function| visible(&function)))
        .map(|(name, _)| name.name.as_str())
        .collect();
    names.sort_unstable();
    best_match(names, &missing.name.name, MIN_NAME_SIMILARITY).map(|(_, guess)| guess.to_owned())
}

fn describe(relationship: &Relationship) -> Value {
    let Relationship::Key { table, foreign_table, cardinality, constraint, columns, .. } = relationship else {
        return json!({});
    };
    let list = |names: Vec<&str>| format!("({})", names.join(", "));
    let (own, foreign): (Vec<&str>, Vec<&str>) =
        columns.iter().map(|(own, foreign)| (own.as_str(), foreign.as_str())).unzip();
    let keys = format!("{constraint} using {}{} and {}{}", table.name, list(own), foreign_table.name, list(foreign));
    let (cardinality, via) = match cardinality {
        Cardinality::ManyToOne => ("many-to-one", keys),
        Cardinality::OneToOne => ("one-to-one", keys),
        Cardinality::OneToMany => ("one-to-many", keys),
        Cardinality::ManyToMany(junction) => {
            let columns = |pairs: &[(String, String)]| list(pairs.iter().map(|(_, own)| own.as_str()).collect());
            let via = format!(
                "{} using {}{} and {}{}",
                junction.table.name,
                junction.origin_constraint,
                columns(&junction.origin_columns),
                junction.foreign_constraint,
                columns(&junction.foreign_columns)
            );
            ("many-to-many", via)
        }
    };
    json!({
        "cardinality": cardinality,
        "embedding": format!("{} with {}", table.name, foreign_table.name),
        "relationship": via,
    })
}

fn relationship_hint(relationship: &Relationship) -> Option<String> {
    let Relationship::Key { foreign_table, cardinality, constraint, .. } = relationship else { return None };
    let hint = match cardinality {
        Cardinality::ManyToMany(junction) => &junction.table.name,
        _ => constraint,
    };
    Some(format!("'{}!{hint}'", foreign_table.name))
}
