//! `/operators`: endpoints with which owners list, invite, change and remove operators.

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use chrono::{DateTime, Utc};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::{PgConnection, Postgres, Transaction};
use uuid::Uuid;

use super::links::{self, Kind, Made};
use super::session::{self, Ended};
use crate::dashboard::extract::{At, Input};
use crate::dashboard::operator::{checked_email, checked_name};
use crate::dashboard::route::{Access, Method, Role, Route};
use crate::dashboard::{ApiError, Dashboard, DashboardState};

pub(in crate::dashboard) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/operators", "operators.list", "The operators", Access::DEVELOPER, |method| {
        on(method, list)
    }),
    Route::new(Method::Post, "/operators", "operators.invite", "Invite an operator", Access::OWNER, |method| {
        on(method, invite)
    }),
    Route::new(Method::Patch, "/operators/{id}", "operators.change", "Change an operator", Access::OWNER, |method| {
        on(method, change)
    }),
    Route::new(Method::Delete, "/operators/{id}", "operators.remove", "Remove an operator", Access::OWNER, |method| {
        on(method, remove)
    }),
    Route::new(
        Method::Post,
        "/operators/{id}/link",
        "operators.link",
        "A link with which an operator makes a new password",
        Access::OWNER,
        |method| on(method, make_link),
    ),
    Route::new(
        Method::Delete,
        "/operators/{id}/sessions",
        "operators.sign_out",
        "Sign an operator out everywhere",
        Access::OWNER,
        |method| on(method, sign_out),
    ),
];

const MAX_OPERATORS: i64 = 500;

#[derive(Serialize, sqlx::FromRow)]
struct OperatorResponse {
    id: Uuid,
    email: String,
    name: String,
    role: Role,
    totp: bool,
    passkeys: i64,
    disabled: bool,
    /// Whether the operator has neither a password nor a passkey yet.
    invited: bool,
    created_at: DateTime<Utc>,
    last_seen_at: Option<DateTime<Utc>>,
    sessions: i64,
}

async fn list(State(state): State<DashboardState>) -> Result<Json<Value>, ApiError> {
    let mut connection = state.database.operators().acquire().await?;
    let operators = shown(&mut connection, None).await?;
    Ok(Json(json!({ "operators": operators })))
}

async fn shown(connection: &mut PgConnection, id: Option<Uuid>) -> sqlx::Result<Vec<OperatorResponse>> {
    sqlx::query_as(
        "select id, email, name, role, totp_sealed is not null as totp, p.passkeys, disabled,
                password_hash is null and p.passkeys = 0 as invited, created_at, last_seen_at, (select count(*) from cloch.operator_sessions
                                where operator_id = o.id and expires_at > now() and seen_at > now() - interval '1 hour') as sessions
           from cloch.operators as o,
                lateral (select count(*) as passkeys from cloch.operator_passkeys where operator_id = o.id) as p
          where $1::uuid is null or id = $1 order by created_at",
    )
    .bind(id)
    .fetch_all(connection)
    .await
}

#[derive(Deserialize)]
struct Invitation {
    email: String,
    role: Role,
}

async fn invite(State(state): State<DashboardState>, Input(given): Input<Invitation>) -> Result<Json<Value>, ApiError> {
    let email = checked_email(&given.email)?;
    let mut transaction = cloch_sql::transaction::begin(state.database.operators()).await?;
    let id = add(&mut transaction, email, given.role).await?;
    let made = links::make(&mut *transaction, &state.keys, Kind::Invite, Some(id)).await?;
    transaction.commit().await?;
    Ok(Json(link_shown(&state, id, &made)))
}

/// Adds an operator without a password. Refuses an e-mail address that another operator has, and any further operator if there are
/// [`MAX_OPERATORS`].
async fn add(connection: &mut PgConnection, email: &str, role: Role) -> Result<Uuid, ApiError> {
    let id: Option<Uuid> = sqlx::query_scalar(
        "insert into cloch.operators (email, role)
         select $1, $2 where (select count(*) from cloch.operators) < $3 on conflict do nothing returning id",
    )
    .bind(email)
    .bind(role)
    .bind(MAX_OPERATORS)
    .fetch_optional(&mut *connection)
    .await?;
    if let Some(id) = id {
        return Ok(id);
    }
    let known = "select exists (select from cloch.operators where lower(email) = lower($1))";
    match sqlx::query_scalar::<_, bool>(known).bind(email).fetch_one(connection).await? {
        true => Err(ApiError::conflict("There is an operator with this address")),
        false => Err(ApiError::conflict(format!("There are {MAX_OPERATORS} operators at most: remove one first"))),
    }
}

fn link_shown(state: &Dashboard, id: Uuid, made: &Made) -> Value {
    json!({ "id": id, "link": state.config.url(made.path.expose()), "expires_at": made.expires_at })
}

fn unknown() -> ApiError {
    ApiError::not_found("There is no such operator")
}

#[derive(Deserialize)]
struct Changes {
    role: Option<Role>,
    name: Option<String>,
    disabled: Option<bool>,
}

async fn change(
    State(state): State<DashboardState>,
    At(id): At<Uuid>,
    Input(given): Input<Changes>,
) -> Result<Json<OperatorResponse>, ApiError> {
    let name = given.name.as_deref().map(checked_name).transpose()?;
    let mut transaction = begin(&state).await?;
    let update = "update cloch.operators set role = coalesce($2, role), name = coalesce($3, name), disabled = coalesce($4, disabled)
                   where id = $1";
    sqlx::query(update).bind(id).bind(given.role).bind(name).bind(given.disabled).execute(&mut *transaction).await?;
    keep_an_owner(&mut transaction).await?;
    if given.disabled == Some(true) {
        session::end(&mut *transaction, id, Ended::All).await?;
        links::end(&mut *transaction, id).await?;
    }
    let changed = shown(&mut transaction, Some(id)).await?.pop().ok_or_else(unknown)?;
    transaction.commit().await?;
    Ok(Json(changed))
}

/// Begins a transaction that changes operators. A table lock ensures that concurrent changes run one after the other.
async fn begin(state: &Dashboard) -> sqlx::Result<Transaction<'static, Postgres>> {
    let mut transaction = cloch_sql::transaction::begin(state.database.operators()).await?;
    sqlx::query("lock table cloch.operators in share row exclusive mode").execute(&mut *transaction).await?;
    Ok(transaction)
}

/// Refuses a change that leaves the project without an enabled owner who has a password or a passkey.
async fn keep_an_owner(connection: &mut PgConnection) -> Result<(), ApiError> {
    let text = "select exists (select from cloch.operators as o where role = 'owner' and not disabled
                                 and (password_hash is not null
                                      or exists (select from cloch.operator_passkeys where operator_id = o.id)))";
    match sqlx::query_scalar::<_, bool>(text).fetch_one(connection).await? {
        true => Ok(()),
        false => Err(ApiError::conflict("The last owner stays: make somebody else an owner first")),
    }
}

async fn remove(State(state): State<DashboardState>, At(id): At<Uuid>) -> Result<StatusCode, ApiError> {
    let mut transaction = begin(&state).await?;
    let deleted = sqlx::query("delete from cloch.operators where id = $1").bind(id).execute(&mut *transaction).await?;
    if deleted.rows_affected() == 0 {
        return Err(unknown());
    }
    keep_an_owner(&mut transaction).await?;
    transaction.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn make_link(State(state): State<DashboardState>, At(id): At<Uuid>) -> Result<Json<Value>, ApiError> {
    let pool = state.database.operators();
    let invited: Option<bool> = sqlx::query_scalar(
        "select password_hash is null and not exists (select from cloch.operator_passkeys where operator_id = o.id)
               from cloch.operators as o where id = $1 and not disabled",
    )
    .bind(id)
    .fetch_optional(pool)
    .await?;
    let kind = if invited.ok_or_else(unknown)? { Kind::Invite } else { Kind::Reset };
    let made = links::make(pool, &state.keys, kind, Some(id)).await?;
    Ok(Json(link_shown(&state, id, &made)))
}

async fn sign_out(State(state): State<DashboardState>, At(id): At<Uuid>) -> Result<StatusCode, ApiError> {
    session::end(state.database.operators(), id, Ended::All).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::*;

    #[tokio::test]
    async fn an_invitation_is_refused_for_the_real_reason() {
        let database = TestDatabase::platform().await;
        let mut connection = database.database().operators().acquire().await.unwrap();
        add(&mut connection, "ann@club.example", Role::Viewer).await.unwrap();
        let refused = add(&mut connection, "ANN@club.example", Role::Viewer).await.unwrap_err();
        assert!(format!("{refused:?}").contains("There is an operator with this address"), "{refused:?}");
        let fill = "insert into cloch.operators (email, role)
                    select n || '@club.example', 'viewer' from generate_series(2, $1) as n";
        sqlx::query(fill).bind(MAX_OPERATORS).execute(&mut *connection).await.unwrap();
        let refused = add(&mut connection, "bob@club.example", Role::Viewer).await.unwrap_err();
        assert!(format!("{refused:?}").contains("There are 500 operators at most"), "{refused:?}");
        let refused = add(&mut connection, "ann@club.example", Role::Viewer).await.unwrap_err();
        assert!(format!("{refused:?}").contains("There is an operator with this address"), "{refused:?}");
    }
}
