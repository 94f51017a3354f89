//! `auth.oauth_client_states`: the verifier of a flow in which this server is the client.

use sqlx::PgConnection;
use uuid::Uuid;

pub(crate) async fn begin(connection: &mut PgConnection, provider: &str, verifier: &str) -> sqlx::Result<Uuid> {
    sqlx::query_scalar!(
        "insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
         values (gen_random_uuid(), $1, $2, now())
         returning id",
        provider,
        verifier,
    )
    .fetch_one(connection)
    .await
}

/// The verifier, which is gone afterwards.
pub(crate) async fn take(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<String>> {
    let verifier = sqlx::query_scalar!(
        "delete from auth.oauth_client_states
         where id = $1 and created_at > now() - interval '300 seconds'
         returning code_verifier",
        id,
    )
    .fetch_optional(connection)
    .await?;
    Ok(verifier.flatten())
}
