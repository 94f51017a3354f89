//! `/project`: what the first page shows, and the keys, for owners.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use serde_json::{Value, json};

use super::operators::Operator;
use super::route::{Access, Method, Role, Route};
use super::{ApiError, DashboardState};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/project", "project.show", "The project", Access::VIEWER, |method| on(method, show)),
    Route::new(Method::Post, "/project/keys", "project.keys", "The project's secret keys", Access::OWNER, |method| {
        on(method, keys)
    }),
];

async fn show(State(state): State<DashboardState>, operator: Operator) -> Result<Json<Value>, ApiError> {
    let (config, management) = (&state.config, &state.management);
    let (version, users, tables, buckets, operators): (String, i64, i64, i64, i64) = sqlx::query_as(
        "select current_setting('server_version'), (select count(*) from auth.users where deleted_at is null),
                (select count(*) from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
                  where c.relkind in ('r', 'p') and n.nspname = any($1)),
                (select count(*) from storage.buckets), (select count(*) from cloch.operators)",
    )
    .bind(&config.file.api.schemas)
    .fetch_one(state.database.admin())
    .await?;
    let functions = state.functions().len();
    let api = |path: &str| config.url(path);
    // The link opens mails with sign-in links: not for who may only look.
    let inbox = (operator.role >= Role::Developer).then(|| api("/_/inbox"));
    Ok(Json(json!({
        "name": management.name, "reference": management.reference, "version": env!("CARGO_PKG_VERSION"),
        "url": api(""),
        "api": { "rest": api("/rest/v1"), "auth": api("/auth/v1"), "storage": api("/storage/v1"),
                 "functions": api("/functions/v1"), "realtime": api("/realtime/v1"), "graphql": api("/graphql/v1") },
        "services": management.services, "schemas": config.file.api.schemas,
        "publishable_key": state.secrets.publishable_key, "anon_key": state.secrets.anon_key,
        "database": { "version": version, "host": management.sessions.host() },
        "inbox_url": inbox, "is_local": !config.is_public(),
        "counts": { "users": users, "tables": tables, "buckets": buckets, "functions": functions, "operators": operators },
    })))
}

async fn keys(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let secrets = &state.secrets;
    let token = secrets.access_token().map_err(|error| ApiError::internal("a key cannot be made", error))?;
    Ok(Json(json!({
        "secret_key": secrets.secret_key, "service_role_key": secrets.service_role_key, "jwt_secret": secrets.jwt_secret,
        "db_url": state.config.database_url(secrets), "s3_access_key": secrets.s3_access_key,
        "s3_secret_key": secrets.s3_secret_key, "access_token": token.expose(),
    })))
}
