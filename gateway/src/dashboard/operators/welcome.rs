//! `/welcome`: sets an operator's password with a single-use link, and signs the operator in.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use axum::routing::on;
use cloch_core::Secret;
use http::request::Parts;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::links::{self, Kind, Link};
use super::session::{self, Ended};
use super::{limits, passkeys, sign_in};
use crate::dashboard::audit::{Action, Entry};
use crate::dashboard::extract::Input;
use crate::dashboard::operator::{Credentials, Operator, checked_email, checked_name};
use crate::dashboard::passwords;
use crate::dashboard::route::{Access, Method, Role, Route};
use crate::dashboard::{ApiError, Dashboard, DashboardState};

pub(in crate::dashboard) const ROUTES: &[Route] = &[
    Route::new(Method::Post, "/welcome/check", "welcome.check", "Whether a link holds", Access::Anyone, |method| {
        on(method, check)
    }),
    Route::new(Method::Post, "/welcome", "welcome.accept", "Make a password with a link", Access::Anyone, |method| {
        on(method, accept)
    }),
];

#[derive(Deserialize)]
struct WelcomeRequest {
    token: Secret,
}

#[derive(Deserialize)]
struct Given {
    token: Secret,
    password: Secret,
    /// E-mail address of the first operator. Ignored for other links, whose operator already has an address.
    #[serde(default)]
    email: String,
    name: Option<String>,
}

fn used_up() -> ApiError {
    ApiError::not_found("This link was used already, or has expired")
        .with_hint("`cloch status` shows the link for the first operator; owners make links for others")
}

async fn check(
    State(state): State<DashboardState>,
    parts: Parts,
    Input(asked): Input<WelcomeRequest>,
) -> Result<Json<Value>, ApiError> {
    let pool = state.database.operators();
    limits::link(pool, &parts).await?;
    let link = links::find(pool, &asked.token).await?.ok_or_else(used_up)?;
    let operator = match link.operator_id {
        Some(id) => Credentials::by_id(pool, id).await?.map(|found| found.operator),
        None => None,
    };
    let role = operator.as_ref().map_or(Role::Owner, |operator| operator.role);
    Ok(Json(json!({ "kind": link.kind, "email": operator.map(|operator| operator.email), "role": role })))
}

async fn accept(
    State(state): State<DashboardState>,
    parts: Parts,
    Input(given): Input<Given>,
) -> Result<Response, ApiError> {
    let pool = state.database.operators();
    limits::link(pool, &parts).await?;
    let link = links::find(pool, &given.token).await?.ok_or_else(used_up)?;
    let email = match link.operator_id {
        Some(id) => Credentials::by_id(pool, id).await?.ok_or_else(used_up)?.operator.email,
        None => checked_email(&given.email)?.to_owned(),
    };
    passwords::check(&given.password, &email)?;
    let name = given.name.as_deref().map(checked_name).transpose()?;
    let hash = state.passwords.hash(&given.password).await?;
    let operator = use_link(&state, &link, &email, name, &hash).await?;
    let action = Action { operator: Some(&operator), email: None, name: "welcome.accept", target: "/welcome" };
    let entry = Entry::begin(pool, &parts, action).await?;
    let answer = sign_in::start(&state, operator, &parts).await?;
    entry.end(pool, answer.status(), None).await;
    Ok(answer)
}

/// Deletes the link and sets the password in one transaction. If a link is used twice at the same time, the second use
/// fails.
async fn use_link(
    state: &Dashboard,
    link: &Link,
    email: &str,
    name: Option<&str>,
    hash: &Secret,
) -> Result<Operator, ApiError> {
    let mut transaction = cloch_sql::transaction::begin(state.database.operators()).await?;
    let deleted = sqlx::query("delete from cloch.operator_links where id = $1").bind(link.id);
    if deleted.execute(&mut *transaction).await?.rows_affected() == 0 {
        return Err(used_up());
    }
    let operator = match link.operator_id {
        Some(id) => set_password(&mut transaction, id, name, hash).await?.ok_or_else(used_up)?,
        None => make_first(&mut transaction, email, name.unwrap_or_default(), hash).await?.ok_or_else(used_up)?,
    };
    if link.kind == Kind::Reset {
        session::end(&mut *transaction, operator.id, Ended::All).await?;
        // All passkeys are removed, because an attacker who had access to the account may have added a passkey.
        passkeys::remove_all(&mut transaction, operator.id).await?;
    }
    transaction.commit().await?;
    Ok(operator)
}

/// Sets the operator's password and disables the one-time codes: an owner creates such a link for an operator who may have lost the device
/// that generates the codes.
async fn set_password(
    connection: &mut PgConnection,
    id: Uuid,
    name: Option<&str>,
    hash: &Secret,
) -> sqlx::Result<Option<Operator>> {
    sqlx::query_as(
        "update cloch.operators set password_hash = $2, name = coalesce($3, name), totp_sealed = null, totp_draft = null
          where id = $1 and not disabled returning id, email, name, role, false as totp, true as password",
    )
    .bind(id)
    .bind(hash.expose())
    .bind(name)
    .fetch_optional(connection)
    .await
}

/// Creates the first operator, an owner, and deletes all links for the first operator. `None` if an operator exists already.
async fn make_first(
    connection: &mut PgConnection,
    email: &str,
    name: &str,
    hash: &Secret,
) -> sqlx::Result<Option<Operator>> {
    sqlx::query("lock table cloch.operators in share row exclusive mode").execute(&mut *connection).await?;
    let made = sqlx::query_as(
        "insert into cloch.operators (email, name, role, password_hash)
         select $1, $2, 'owner', $3 where not exists (select from cloch.operators)
         returning id, email, name, role, false as totp, true as password",
    );
    let made = made.bind(email).bind(name).bind(hash.expose()).fetch_optional(&mut *connection).await?;
    sqlx::query("delete from cloch.operator_links where kind = 'first'").execute(connection).await?;
    Ok(made)
}
