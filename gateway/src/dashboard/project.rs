//! `/project`: figures and URLs for the dashboard's start page, and the project's keys for operators with the role owner.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use cloch_core::disk_full::Space;
use serde_json::{Value, json};

use super::operator::Operator;
use super::route::{Access, Method, Role, Route};
use super::{ApiError, DashboardState};
use crate::config::Config;

/// SQL query for the figures on the dashboard's start page. `$1` contains the exposed schemas, `$2` the maximum number of audit entries to
/// examine.
const FIGURES: &str = "
    with exposed as (
      select c.oid from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and n.nspname = any($1))
    select current_setting('server_version') as version,
           (select count(*) from auth.users where deleted_at is null) as users,
           (select count(*) from exposed) as tables,
           (select count(*) from storage.buckets) as buckets,
           (select count(*) from cloch.operators) as operators,
           exists (select from pg_policy as p join exposed as e on e.oid = p.polrelid
                    where p.polpermissive and p.polcmd in ('r', '*')) as has_policy,
           exists (select from (select action, target, status from cloch.operator_audit order by id limit $2) as a
                    where a.status < 400
                      and (a.action = 'why.ask' or a.action = 'rows.read' and a.target not like '% as postgres')) as was_tried";
/// Maximum number of audit entries that the query for `was_tried` examines, oldest first. Without a maximum, the query would slow down
/// every view of the start page.
const EARLY_ENTRIES: i64 = 10_000;

#[derive(sqlx::FromRow)]
struct Figures {
    version: String,
    users: i64,
    tables: i64,
    buckets: i64,
    operators: i64,
    /// Whether any policy permits SELECT on a table that the API exposes.
    has_policy: bool,
    /// Whether an operator has read rows as another role than `postgres`, or has requested an explanation from `/why`.
    was_tried: bool,
}

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/project", "project.show", "The project", Access::VIEWER, |method| on(method, show)),
    Route::new(Method::Post, "/project/keys", "project.keys", "The project's secret keys", Access::OWNER, |method| {
        on(method, keys)
    }),
];

async fn show(State(state): State<DashboardState>, operator: Operator) -> Result<Json<Value>, ApiError> {
    let (config, project) = (&state.config, &state.project);
    let figures: Figures = sqlx::query_as(FIGURES)
        .bind(&config.file.api.schemas)
        .bind(EARLY_ENTRIES)
        .fetch_one(state.database.admin())
        .await?;
    let functions = state.functions().len();
    let api = |path: &str| config.url(path);
    // The inbox contains mails with sign-in links, so operators with the role viewer get no link to the inbox. With SMTP, mails do not stay
    // in the inbox.
    let has_inbox = operator.role >= Role::Developer && !state.mailer.uses_smtp();
    let inbox = has_inbox.then(|| state.secrets.inbox_key().ok()).flatten();
    let inbox = inbox.map(|key| api(&format!("/_/inbox?key={}", key.expose())));
    Ok(Json(json!({
        "name": project.name, "reference": project.reference, "version": env!("CARGO_PKG_VERSION"),
        "url": api(""),
        "api": { "rest": api("/rest/v1"), "auth": api("/auth/v1"), "storage": api("/storage/v1"),
                 "functions": api("/functions/v1"), "realtime": api("/realtime/v1"), "graphql": api("/graphql/v1") },
        "services": project.services, "schemas": config.file.api.schemas,
        "publishable_key": state.secrets.publishable_key, "anon_key": state.secrets.anon_key,
        "database": { "version": figures.version, "host": project.sessions.host() },
        "inbox_url": inbox, "is_local": !config.is_public(),
        "counts": { "users": figures.users, "tables": figures.tables, "buckets": figures.buckets, "functions": functions,
                    "operators": figures.operators },
        "disk": disk(config),
        "steps": { "policy": figures.has_policy, "tried": figures.was_tried },
    })))
}

/// Returns the size and free space of the embedded database's disk; null for an external database, because this server cannot access the
/// database's disk.
fn disk(config: &Config) -> Value {
    let space = config.database_is_embedded().then(|| Space::of(&config.data.join("db"))).flatten();
    space.map_or(Value::Null, |space| {
        json!({ "free_bytes": space.free, "size_bytes": space.size, "is_full": space.is_full(), "is_low": space.is_low() })
    })
}

async fn keys(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let secrets = &state.secrets;
    let token =
        secrets.access_token().map_err(|error| ApiError::internal("creating the access token failed", error))?;
    Ok(Json(json!({
        "secret_key": secrets.secret_key, "service_role_key": secrets.service_role_key, "jwt_secret": secrets.jwt_secret,
        "db_url": state.config.database_url(secrets), "s3_access_key": secrets.s3_access_key,
        "s3_secret_key": secrets.s3_secret_key, "access_token": token.expose(),
    })))
}
