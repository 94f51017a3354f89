//! `auth.flow_state`: sign-in flows in progress that use PKCE or an external OAuth provider.

use sqlx::PgConnection;
use uuid::Uuid;

use super::Time;
use crate::pkce::Challenge;

pub(crate) struct FlowState {
    pub(crate) id: Uuid,
    pub(crate) user_id: Option<Uuid>,
    pub(crate) auth_code: Option<String>,
    pub(crate) challenge: Option<String>,
    /// PKCE code challenge method: `s256` or `plain`.
    pub(crate) challenge_method: Option<String>,
    pub(crate) provider_type: String,
    pub(crate) provider_access_token: Option<String>,
    pub(crate) provider_refresh_token: Option<String>,
    pub(crate) created_at: Time,
    pub(crate) authentication_method: String,
    pub(crate) auth_code_issued_at: Option<Time>,
    pub(crate) referrer: String,
    pub(crate) invite_token: String,
    pub(crate) linking_target_id: Option<Uuid>,
    pub(crate) oauth_client_state_id: Option<Uuid>,
    pub(crate) email_optional: bool,
}

macro_rules! select_flows {
    ($connection:expr, $rest:tt $(, $value:expr)* $(,)?) => {
        sqlx::query_as!(
            FlowState,
            r#"select
                 id, user_id, auth_code, code_challenge as challenge,
                 code_challenge_method::text as challenge_method, provider_type, provider_access_token,
                 provider_refresh_token, coalesce(created_at, 'epoch') as "created_at!", authentication_method,
                 auth_code_issued_at, coalesce(referrer, '') as "referrer!",
                 coalesce(invite_token, '') as "invite_token!", linking_target_id,
                 oauth_client_state_id, email_optional
               from auth.flow_state "# + $rest
            $(, $value)*
        )
        .fetch_optional(&mut *$connection)
        .await
    };
}

/// Begins a PKCE flow for a known user. When the user follows the mailed link, [`issue_code`] finds the flow by user and method.
pub(crate) async fn begin(
    connection: &mut PgConnection,
    provider: &str,
    method: &str,
    challenge: &Challenge,
    user: Uuid,
) -> sqlx::Result<()> {
    // GoTrue, which may use the same database, cannot read a null in the columns of the provider's tokens.
    sqlx::query!(
        "insert into auth.flow_state
           (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, authentication_method,
            provider_access_token, provider_refresh_token, created_at, updated_at)
         values (gen_random_uuid(), $1, gen_random_uuid()::text, ($2::text)::auth.code_challenge_method, $3, $4, $5,
                 '', '', now(), now())",
        user,
        challenge.method(),
        challenge.value(),
        provider,
        method,
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Issues the authorization code of a user's newest PKCE flow with this authentication method. Returns `None` if no flow exists.
pub(crate) async fn issue_code(
    connection: &mut PgConnection,
    user: Uuid,
    method: &str,
) -> sqlx::Result<Option<String>> {
    let code = sqlx::query_scalar!(
        "update auth.flow_state
         set auth_code_issued_at = now(), updated_at = now()
         where id = (select id from auth.flow_state
                     where user_id = $1 and authentication_method = $2 and auth_code is not null
                     order by created_at desc limit 1)
         returning auth_code",
        user,
        method,
    )
    .fetch_optional(connection)
    .await?;
    Ok(code.flatten())
}

/// Returns the flow that has this authorization code, and locks the flow's row until the transaction ends.
pub(crate) async fn by_code(connection: &mut PgConnection, code: &str) -> sqlx::Result<Option<FlowState>> {
    select_flows!(connection, "where auth_code = $1 and auth_code <> '' for update", code)
}

pub(crate) async fn by_id(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<Option<FlowState>> {
    select_flows!(connection, "where id = $1 for update", id)
}

pub(crate) async fn delete(connection: &mut PgConnection, id: Uuid) -> sqlx::Result<()> {
    sqlx::query!("delete from auth.flow_state where id = $1", id).execute(connection).await.map(drop)
}

/// Deletes all flows of a user, so that no authorization code of these flows can create a session of the user.
pub(crate) async fn delete_of_user(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<()> {
    sqlx::query!("delete from auth.flow_state where user_id = $1", user).execute(connection).await.map(drop)
}

pub(crate) struct Outward<'a> {
    pub(crate) provider: &'a str,
    pub(crate) challenge: Option<&'a Challenge>,
    pub(crate) referrer: &'a str,
    pub(crate) invite_token: &'a str,
    pub(crate) linking_target: Option<Uuid>,
    pub(crate) client_state: Option<Uuid>,
    pub(crate) email_optional: bool,
}

/// Begins a sign-in flow with an external provider. Returns the flow's id, which is the OAuth `state` parameter.
pub(crate) async fn begin_outward(connection: &mut PgConnection, flow: &Outward<'_>) -> sqlx::Result<Uuid> {
    sqlx::query_scalar!(
        "insert into auth.flow_state
           (id, auth_code, code_challenge_method, code_challenge, provider_type, authentication_method, referrer,
            invite_token, linking_target_id, oauth_client_state_id, email_optional, provider_access_token, provider_refresh_token,
            created_at, updated_at)
         values (gen_random_uuid(), case when $1::text is null then null else gen_random_uuid()::text end,
                 ($1::text)::auth.code_challenge_method, $2, $3, 'oauth', $4, nullif($5, ''), $6, $7, $8, '', '',
                 now(), now())
         returning id",
        flow.challenge.map(Challenge::method),
        flow.challenge.map(Challenge::value),
        flow.provider,
        flow.referrer,
        flow.invite_token,
        flow.linking_target,
        flow.client_state,
        flow.email_optional,
    )
    .fetch_one(connection)
    .await
}

/// Stores the external provider's tokens and the authenticated user in a flow, and issues the flow's authorization code.
pub(crate) async fn prove(
    connection: &mut PgConnection,
    id: Uuid,
    user: Uuid,
    access_token: &str,
    refresh_token: &str,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update auth.flow_state
         set user_id = $2, provider_access_token = $3, provider_refresh_token = $4, auth_code_issued_at = now(),
             updated_at = now()
         where id = $1",
        id,
        user,
        access_token,
        refresh_token,
    )
    .execute(connection)
    .await
    .map(drop)
}
