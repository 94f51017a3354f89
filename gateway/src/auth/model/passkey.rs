//! `auth.webauthn_credentials`: passkeys of a restored project.

use serde::Serialize;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Time;

/// A passkey in the form for clients.
#[derive(Serialize)]
pub(crate) struct Passkey {
    id: Uuid,
    #[serde(skip_serializing_if = "String::is_empty")]
    friendly_name: String,
    created_at: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Time>,
}

pub(crate) async fn of_user(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<Vec<Passkey>> {
    sqlx::query_as!(
        Passkey,
        "select id, friendly_name, created_at, last_used_at
         from auth.webauthn_credentials where user_id = $1 order by created_at",
        user,
    )
    .fetch_all(connection)
    .await
}

/// Deletes a passkey of a user; returns whether it existed.
pub(crate) async fn delete(connection: &mut PgConnection, id: Uuid, user: Uuid) -> sqlx::Result<bool> {
    let done = sqlx::query!("delete from auth.webauthn_credentials where id = $1 and user_id = $2", id, user)
        .execute(connection)
        .await?;
    Ok(done.rows_affected() > 0)
}
