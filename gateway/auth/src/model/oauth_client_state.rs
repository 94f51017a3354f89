//! `auth.oauth_client_states`: PKCE verifiers of sign-ins with external providers, in which this server is the OAuth client.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Time;

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

pub(crate) struct ClientState {
    pub(crate) provider_type: String,
    pub(crate) code_verifier: Option<String>,
    pub(crate) created_at: Time,
}

pub(crate) async fn take(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<ClientState>> {
    sqlx::query_as!(
        ClientState,
        "delete from auth.oauth_client_states where id = $1 returning provider_type, code_verifier, created_at",
        id,
    )
    .fetch_optional(connection)
    .await
}
