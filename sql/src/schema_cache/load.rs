//! Loads the schema cache. The roles and settings are queried first; all other queries then run in one transaction and one network round
//! trip.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::keys::{Key, foreign_keys};
use super::relationships::{ComputedRelationship, relationships};
use super::views::{Shown, View, ViewKey, view_keys};
use super::{Function, Handler, HandlerTarget, Name, PlainTypes, RoleSettings, SchemaCache, Table};
use crate::client::{BatchStatement, ClientError, Connection, Param, Rows};

/// Schemas and settings that determine the content of the schema cache.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Schemas that the table REST API exposes.
    pub schemas: Vec<String>,
    /// Additional schemas, whose views are traced to their base tables.
    pub extra_search_path: Vec<String>,
    /// Patterns for the names of function settings that apply to the whole transaction (`db_hoisted_tx_settings`).
    pub hoisted_settings: Vec<String>,
}

impl Scope {
    /// Returns a copy of the scope in which the login role's settings in the database (`pgrst.…`) replace the configured values.
    fn with_settings(&self, settings: &BTreeMap<String, String>) -> Self {
        let list = |name: &str, fallback: &Vec<String>, may_be_empty: bool| match settings.get(name).map(String::as_str)
        {
            Some("") if may_be_empty => Vec::new(),
            None | Some("") => fallback.clone(),
            Some(text) => text.split(',').map(|item| item.trim().to_owned()).collect(),
        };
        Self {
            schemas: list("db_schemas", &self.schemas, false),
            extra_search_path: list("db_extra_search_path", &self.extra_search_path, true),
            hoisted_settings: list("db_hoisted_tx_settings", &self.hoisted_settings, false),
        }
    }
}

const QUERIES: [&str; 10] = [
    include_str!("queries/roles.sql"),
    include_str!("queries/tables.sql"),
    include_str!("queries/keys.sql"),
    include_str!("queries/views.sql"),
    include_str!("queries/functions.sql"),
    include_str!("queries/computed_relationships.sql"),
    include_str!("queries/representations.sql"),
    include_str!("queries/media_types.sql"),
    include_str!("queries/plain_types.sql"),
    include_str!("queries/response_settings.sql"),
];
const LOGIN_SETTINGS: &str = include_str!("queries/login_settings.sql");
const CALLERS: &str = "select distinct on (r.oid) to_json(r.rolname) from pg_auth_members m join pg_roles r on r.oid = m.roleid \
                       where m.member in (current_user::regrole, to_regrole('authenticator'))";

/// Loads the schema cache of `scope`. `known` is the previous schema cache, if there is one; the new schema cache shares its list of time
/// zones.
///
/// # Errors
/// Fails if the database query fails or returns unexpected data.
pub async fn load(
    connection: &mut Connection,
    scope: &Scope,
    known: Option<&SchemaCache>,
) -> Result<SchemaCache, ClientError> {
    let (callers, login_settings) = login(connection).await?;
    let scope = scope.with_settings(&login_settings);
    let parameters: [Vec<Param>; QUERIES.len()] = [
        vec![],
        vec![Param::texts(&scope.schemas), Param::texts(&callers)],
        vec![],
        vec![Param::texts(&scope.schemas), Param::texts(&scope.extra_search_path)],
        vec![Param::texts(&scope.schemas), Param::texts(&callers), Param::texts(&scope.hoisted_settings)],
        vec![],
        vec![],
        vec![Param::texts(&scope.schemas)],
        vec![],
        vec![],
    ];
    let mut results: [Rows; QUERIES.len()] = Default::default();
    {
        // With an empty search path, PostgreSQL prints every name with its schema.
        let mut steps = vec![
            BatchStatement::silent("begin isolation level repeatable read read only", &[]),
            BatchStatement::silent(
                "select set_config('search_path', '', true), set_config('statement_timeout', '0', true)",
                &[],
            ),
        ];
        for ((sql, params), rows) in QUERIES.iter().zip(&parameters).zip(&mut results) {
            steps.push(BatchStatement { sql, params, sink: Some(rows) });
        }
        steps.push(BatchStatement::silent("commit", &[]));
        connection.run("", &mut steps).await?;
    }
    let mut schema_cache = assemble(&results, scope)?;
    schema_cache.login_settings = login_settings;
    schema_cache.timezones = known.map(|known| known.timezones.clone()).unwrap_or_default();
    Ok(schema_cache)
}

/// Returns the roles to which the login may switch, and the `pgrst.` settings of the login.
async fn login(connection: &mut Connection) -> Result<(Vec<String>, BTreeMap<String, String>), ClientError> {
    let (mut callers, mut settings) = (Rows::default(), Rows::default());
    let mut steps = [
        BatchStatement { sql: CALLERS, params: &[], sink: Some(&mut callers) },
        BatchStatement { sql: LOGIN_SETTINGS, params: &[], sink: Some(&mut settings) },
    ];
    connection.run("", &mut steps).await?;
    Ok((parse(&callers)?, parse::<(String, String)>(&settings)?.into_iter().collect()))
}

fn assemble(results: &[Rows; QUERIES.len()], scope: Scope) -> Result<SchemaCache, ClientError> {
    let [roles, tables, keys, views, functions, computed, representations, media_types, plain_types, response] =
        results;
    let keys = parse::<Key>(keys)?;
    let view_keys = view_keys(&parse::<View>(views)?, &keys);
    let shown_keys = primary_keys_shown(&view_keys);
    let tables = parse::<Table>(tables)?.into_iter().map(|table| with_view_key(table, &shown_keys));
    let tables: HashMap<Name, Table> = tables.map(|table| (Name::new(&table.schema, &table.name), table)).collect();
    let relationships = relationships(
        &foreign_keys(&keys),
        &view_keys,
        parse::<ComputedRelationship>(computed)?,
        &tables,
        &scope.schemas,
    );
    let mut by_name: HashMap<Name, Vec<Function>> = HashMap::new();
    for function in parse::<Function>(functions)? {
        by_name.entry(Name::new(&function.schema, &function.name)).or_default().push(function);
    }
    Ok(SchemaCache {
        scope,
        login_settings: BTreeMap::new(),
        tables,
        relationships,
        functions: by_name,
        representations: parse::<Representation>(representations)?.into_iter().map(Representation::entry).collect(),
        handlers: parse::<MediaType>(media_types)?.into_iter().map(MediaType::entry).collect(),
        timezones: Default::default(),
        roles: parse::<Role>(roles)?.into_iter().map(|role| (role.role, role.settings)).collect(),
        plain_types: PlainTypes::of(parse(plain_types)?),
        may_set_response: parse(response)?.contains(&true),
    })
}

/// Returns, for each view, the primary keys whose columns the view selects unchanged.
fn primary_keys_shown(view_keys: &[ViewKey]) -> HashMap<&Name, Vec<&ViewKey>> {
    let mut by_view: HashMap<&Name, Vec<&ViewKey>> = HashMap::new();
    for key in view_keys.iter().filter(|key| key.shown == Shown::Primary) {
        by_view.entry(&key.view).or_default().push(key);
    }
    by_view
}

/// Returns a view with its primary key set to the view columns that show the primary keys of its base tables unchanged. Returns a table
/// unchanged.
fn with_view_key(mut table: Table, shown_keys: &HashMap<&Name, Vec<&ViewKey>>) -> Table {
    if table.is_view {
        let keys = shown_keys.get(&Name::new(&table.schema, &table.name)).into_iter().flatten();
        let copies = keys.flat_map(|key| &key.columns);
        table.primary_key = copies.filter_map(|copies| copies.first().cloned()).collect();
    }
    table
}

#[derive(Deserialize)]
struct Role {
    role: String,
    #[serde(flatten)]
    settings: RoleSettings,
}

#[derive(Deserialize)]
struct Representation {
    source: String,
    target: String,
    function: String,
}

impl Representation {
    fn entry(self) -> ((String, String), String) {
        ((self.source, self.target), self.function)
    }
}

#[derive(Deserialize)]
struct MediaType {
    handler: Name,
    target: Option<Name>,
    media_type: String,
    content_type: String,
}

impl MediaType {
    fn entry(self) -> ((HandlerTarget, String), Handler) {
        let target = self.target.map_or(HandlerTarget::Any, HandlerTarget::One);
        let handler = Handler { function: self.handler, target: target.clone(), content_type: self.content_type };
        ((target, self.media_type), handler)
    }
}

fn parse<T: DeserializeOwned>(rows: &Rows) -> Result<Vec<T>, ClientError> {
    let parse = |text: Option<&str>| {
        serde_json::from_str(text.unwrap_or_default()).map_err(|error| {
            ClientError::Lost(format!("an unexpected result of a query for the schema cache: {error}"))
        })
    };
    rows.rows().iter().map(|row| parse(row.text(0))).collect()
}
