//! Operators of the dashboard: rows of `cloch.operators`.

use axum::extract::FromRequestParts;
use cloch_core::Secret;
use http::request::Parts;
use serde::Serialize;
use sqlx::{PgExecutor, PgPool};
use uuid::Uuid;

use crate::dashboard::ApiError;
use crate::dashboard::route::Role;

/// Account of a person who uses the dashboard.
#[derive(Clone, Debug, Serialize, sqlx::FromRow)]
pub(crate) struct Operator {
    pub id: Uuid,
    pub email: String,
    /// Display name, possibly empty.
    pub name: String,
    pub role: Role,
    /// Whether sign-in requires a one-time code (TOTP).
    pub totp: bool,
    /// Whether the operator has a password. Operators without a password sign in with a passkey.
    pub password: bool,
}

/// Extracts the operator that [`super::guard`] has admitted.
impl<S: Send + Sync> FromRequestParts<S> for Operator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let operator = parts.extensions.get::<Self>().cloned();
        operator.ok_or_else(|| ApiError::internal("an endpoint needs an operator", "its route is public"))
    }
}

/// Stored credentials of an operator. A sign-in is checked against them.
#[derive(sqlx::FromRow)]
pub(in crate::dashboard) struct Credentials {
    #[sqlx(flatten)]
    pub(in crate::dashboard) operator: Operator,
    password_hash: Option<String>,
    pub(in crate::dashboard) totp_sealed: Option<Vec<u8>>,
    pub(in crate::dashboard) totp_draft: Option<Vec<u8>>,
}

const CREDENTIALS: &str =
    "select id, email, name, role, totp_sealed is not null as totp, password_hash is not null as password,
            password_hash, totp_sealed, totp_draft from cloch.operators where not disabled and ";

impl Credentials {
    pub(in crate::dashboard) async fn by_email(
        executor: impl PgExecutor<'_>,
        email: &str,
    ) -> sqlx::Result<Option<Self>> {
        let text = format!("{CREDENTIALS} lower(email) = lower($1)");
        sqlx::query_as(sqlx::AssertSqlSafe(text)).bind(email).fetch_optional(executor).await
    }

    pub(in crate::dashboard) async fn by_id(executor: impl PgExecutor<'_>, id: Uuid) -> sqlx::Result<Option<Self>> {
        let text = format!("{CREDENTIALS} id = $1");
        sqlx::query_as(sqlx::AssertSqlSafe(text)).bind(id).fetch_optional(executor).await
    }

    pub(in crate::dashboard) fn password_hash(&self) -> Option<Secret> {
        self.password_hash.clone().map(Secret::new)
    }
}

/// Whether the table of operators is empty.
pub(in crate::dashboard) async fn is_empty(pool: &PgPool) -> sqlx::Result<bool> {
    sqlx::query_scalar("select not exists (select from cloch.operators)").fetch_one(pool).await
}

/// Returns the e-mail address without surrounding spaces. Checks only roughly that the text has the form of an address, and not that the
/// address exists.
pub(in crate::dashboard) fn checked_email(email: &str) -> Result<&str, ApiError> {
    let email = email.trim();
    let has_form = email.split_once('@').is_some_and(|(name, host)| !name.is_empty() && !host.is_empty());
    let is_plain = !email.chars().any(|character| character.is_control() || character.is_whitespace());
    match has_form && is_plain && (3..=254).contains(&email.len()) {
        true => Ok(email),
        false => Err(ApiError::bad_request("This is no e-mail address")),
    }
}

/// Returns the display name without surrounding spaces. Refuses names of more than 100 characters.
pub(in crate::dashboard) fn checked_name(name: &str) -> Result<&str, ApiError> {
    let name = name.trim();
    match name.chars().count() <= 100 && !name.chars().any(char::is_control) {
        true => Ok(name),
        false => Err(ApiError::bad_request("A name has 100 characters at most")),
    }
}
