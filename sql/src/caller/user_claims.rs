//! The claims of a user who has just signed in.

use serde_json::{Map, Value};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::AUTHENTICATED;

/// The claims that a session of this user has at its beginning; `None` where there is no such user. A hook for access tokens is not asked.
///
/// # Errors
/// When the database does not answer.
pub async fn user_claims(executor: impl PgExecutor<'_>, id: Uuid) -> sqlx::Result<Option<Map<String, Value>>> {
    let claims: Option<Value> = sqlx::query_scalar(
        "select jsonb_build_object(
                  'sub', id, 'aud', coalesce(nullif(aud, ''), $2), 'role', coalesce(nullif(role, ''), $2), 'email', coalesce(email, ''),
                  'phone', coalesce(phone, ''), 'app_metadata', coalesce(raw_app_meta_data, '{}'),
                  'user_metadata', coalesce(raw_user_meta_data, '{}'), 'aal', 'aal1', 'is_anonymous', coalesce(is_anonymous, false))
           from auth.users where id = $1",
    )
    .bind(id)
    .bind(AUTHENTICATED)
    .fetch_optional(executor)
    .await?;
    Ok(claims.and_then(|claims| claims.as_object().cloned()))
}
