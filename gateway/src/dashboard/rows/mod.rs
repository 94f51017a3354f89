//! `/rows`: pages of rows, single values, row changes as SQL, CSV export and import.

mod change;
mod export;
mod import;
mod page;
mod reads;
mod statement;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use axum::Json;
use axum::extract::{DefaultBodyLimit, State};
use axum::routing::on;
use cloch_sql::caller::{ANON, AUTHENTICATED};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgExecutor;

pub(super) use self::change::literal;
use self::change::{Change, MAX_CHANGES};
use super::database::As;
use super::extract::Input;
use super::operator::Operator;
use super::route::{Access, Method, Role, Route};
use super::schema::Relation;
use super::{ApiError, DashboardState};

/// Maximum size in bytes of a request with row changes. Large, because one value may have 10 MB.
const CHANGES_BYTES: usize = 24 << 20;
/// Schema of Storage's tables, which operators with the role viewer may read in addition to the schemas that the API exposes.
const STORAGE: &str = "storage";
/// Schemas whose rows contain secrets. Operators with the role viewer may not read them, even if the API exposes these schemas. The secrets
/// are password hashes, refresh tokens, keys, mails with sign-in links, request headers, statement texts (pg_stat_statements, migrations),
/// and passwords of foreign servers (pg_user_mappings, information_schema).
const SECRET_SCHEMAS: [&str; 11] = [
    "auth",
    "vault",
    "cloch",
    "pgsodium",
    "net",
    "cron",
    "supabase_functions",
    "supabase_migrations",
    "extensions",
    "information_schema",
    "pg_catalog",
];

/// Refuses operators with the role viewer access to schemas that the API does not expose or that contain secrets.
///
/// # Errors
/// Returns status 403 if the operator is a viewer and the schema is not exposed or contains secrets.
fn check_reader(state: &DashboardState, operator: &Operator, schema: &str) -> Result<(), ApiError> {
    let is_exposed = schema == STORAGE || state.config.file.api.schemas.iter().any(|exposed| exposed == schema);
    if operator.role < Role::Developer && (!is_exposed || SECRET_SCHEMAS.contains(&schema)) {
        return Err(ApiError::forbidden("Viewers read rows of the schemas that the API exposes, and of storage"));
    }
    Ok(())
}

/// Returns the identity with which an operator reads a relation. Viewers (operators with the role viewer) read tables as the project's owner
/// by default. A view can reveal rows of other tables, so viewers read a view only as `authenticated` or `anon`. If a viewer chose another
/// role for a view, the result is `authenticated` if it may select from the view, otherwise `anon`.
///
/// # Errors
/// Returns status 403 if [`check_reader`] does, or if the operator is a viewer and neither `authenticated` nor `anon` may select from the
/// view.
async fn reader(
    state: &DashboardState,
    operator: &Operator,
    (schema, table): (&str, &str),
    asked: Option<As>,
) -> Result<As, ApiError> {
    check_reader(state, operator, schema)?;
    if operator.role >= Role::Developer {
        return Ok(asked.unwrap_or_else(page::owner));
    }
    let is_of_visitors = match &asked {
        None => false,
        Some(As::Role(role)) => is_of_visitors(role),
        // A user or claims can have any role that is granted to `authenticator`. Therefore the role that results from the user or claims is
        // checked.
        Some(who @ (As::Claims(_) | As::User(_))) => {
            state.caller(who).await?.is_some_and(|caller| is_of_visitors(caller.role()))
        }
    };
    if is_of_visitors {
        return Ok(asked.unwrap_or_else(page::owner));
    }
    match view_reader(state.database.admin(), schema, table).await? {
        None => Ok(asked.unwrap_or_else(page::owner)),
        Some(Some(role)) => Ok(As::Role(role)),
        Some(None) => Err(ApiError::forbidden("Viewers read views that users or visitors may select")),
    }
}

/// Whether a role is one of the roles of the app's users: `authenticated`, or `anon` without a session. Other roles are for the project's
/// server code.
fn is_of_visitors(role: &str) -> bool {
    matches!(role, AUTHENTICATED | ANON)
}

/// Returns `None` for a table. For a view or foreign table, returns the role that may select from it: `authenticated`, otherwise `anon`.
/// Returns `Some(None)` if neither may.
async fn view_reader(
    executor: impl PgExecutor<'_>,
    schema: &str,
    name: &str,
) -> Result<Option<Option<String>>, ApiError> {
    let text = "select (select role from unnest($3::text[]) with ordinality as roles (role, place)
                         where to_regrole(role) is not null and has_schema_privilege(role, n.oid, 'usage')
                           and has_table_privilege(role, c.oid, 'select') order by place limit 1)
                  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
                 where n.nspname = $1 and c.relname = $2 and c.relkind in ('v', 'm', 'f')";
    let roles = [AUTHENTICATED, ANON];
    Ok(sqlx::query_scalar(text).bind(schema).bind(name).bind(roles).fetch_optional(executor).await?)
}

/// Refuses viewers (operators with the role viewer) an explanation of `/why` that contains rows of a view, because a view can read rows
/// without row-level security.
///
/// # Errors
/// Returns status 403 if the operator is a viewer and the relation is a view.
pub(super) async fn check_explained(
    state: &DashboardState,
    operator: &Operator,
    (schema, name): (&str, &str),
) -> Result<(), ApiError> {
    check_reader(state, operator, schema)?;
    match operator.role < Role::Developer && view_reader(state.database.admin(), schema, name).await?.is_some() {
        true => Err(ApiError::forbidden("Viewers ask about tables: the rows behind a view may be others' to see")),
        false => Ok(()),
    }
}

pub(super) const ROUTES: &[Route] = &[
    // The module `reads` writes the audit entries of read requests.
    Route::new(Method::Post, "/rows/read", "rows.read", "A page of rows", Access::VIEWER, |method| {
        on(method, page::read)
    })
    .harmless(),
    Route::new(Method::Post, "/rows/cell", "rows.cell", "One whole value", Access::VIEWER, |method| {
        on(method, page::cell)
    })
    .harmless(),
    Route::new(Method::Post, "/rows/sql", "rows.sql", "The SQL of changes", Access::VIEWER, |method| {
        on(method, sql).layer(DefaultBodyLimit::max(CHANGES_BYTES))
    })
    .harmless(),
    Route::new(Method::Get, "/rows/csv", "rows.export", "Rows as a CSV file", Access::VIEWER, |method| {
        on(method, export::csv)
    })
    .file(),
    Route::new(Method::Post, "/rows/csv", "rows.import", "Rows from a CSV file", Access::DEVELOPER, |method| {
        on(method, import::csv)
    })
    .file(),
];

#[derive(Deserialize)]
struct Changes {
    changes: Vec<Change>,
}

async fn sql(State(state): State<DashboardState>, Input(asked): Input<Changes>) -> Result<Json<Value>, ApiError> {
    if asked.changes.is_empty() || asked.changes.len() > MAX_CHANGES {
        return Err(ApiError::bad_request(format!("1 to {MAX_CHANGES} changes at once")));
    }
    let mut relations: HashMap<(&str, &str), Relation> = HashMap::new();
    let mut statements = Vec::new();
    for change in &asked.changes {
        let relation = match relations.entry((change.schema.as_str(), change.table.as_str())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                place.insert(Relation::find(state.database.admin(), &change.schema, &change.table).await?)
            }
        };
        statements.push(change.sql(relation)?);
    }
    Ok(Json(json!({ "sql": statements.join("\n\n"), "statements": statements.len() })))
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::*;

    #[test]
    fn every_role_but_those_of_visitors_counts_as_the_server() {
        for role in ["service_role", "postgres", "reporter", "supabase_read_only_user", "AUTHENTICATED", ""] {
            assert!(!is_of_visitors(role), "{role}");
        }
        assert!(is_of_visitors("authenticated") && is_of_visitors("anon"));
    }

    #[tokio::test]
    async fn a_view_that_only_another_role_may_select_has_no_reader() {
        let database = TestDatabase::platform().await;
        let sql = "create role reporter_of_test; create view public.secret as select 1 as id; create view public.open as select 1 as id;
                   revoke all on public.secret, public.open from public, anon, authenticated, service_role;
                   grant select on public.secret to reporter_of_test; grant select on public.open to anon;";
        // The transaction is never committed, because its role would then exist for all databases of the PostgreSQL server.
        let mut transaction = cloch_sql::transaction::begin(database.superuser()).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut *transaction).await.unwrap();
        for (view, reader) in [("secret", Some(None)), ("open", Some(Some("anon".to_owned()))), ("no_such_view", None)]
        {
            assert_eq!(view_reader(&mut *transaction, "public", view).await.unwrap(), reader, "{view}");
        }
    }
}
