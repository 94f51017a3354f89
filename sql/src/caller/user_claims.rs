//! Claims of a user who has just signed in.

use serde_json::{Map, Value};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::AUTHENTICATED;

/// Returns the claims of a user's new session; `None` if the user does not exist. The access token hook is not called.
///
/// # Errors
/// Fails if the database query fails.
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
