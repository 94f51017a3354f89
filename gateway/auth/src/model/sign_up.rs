//! `cloch.sign_ups`: the sign-up requests of unconfirmed accounts.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::client::Client;

/// The newest sign-up request of an account. `contested` if several networks have requested the account.
pub(crate) struct SignUp {
    network: String,
    contested: bool,
}

impl SignUp {
    /// Whether the newest sign-up request may be a stranger's: several networks have requested the account, and the newest request came
    /// from another network than this client's.
    pub(crate) fn may_be_anothers(&self, client: &Client) -> bool {
        self.contested && self.network != client.address.network()
    }
}

/// Records a sign-up request and replaces an earlier request.
pub(crate) async fn asked(connection: &mut PgConnection, user: Uuid, client: &Client) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into cloch.sign_ups as pending (user_id, network) values ($1, $2)
         on conflict (user_id) do update
           set contested = pending.contested or pending.network not in ('', excluded.network),
               network = excluded.network",
        user,
        client.address.network(),
    )
    .execute(connection)
    .await
    .map(drop)
}

/// Returns the sign-up request of an unconfirmed account. `None` for an account that an administrator created.
pub(crate) async fn find(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<Option<SignUp>> {
    sqlx::query_as!(SignUp, "select network, contested from cloch.sign_ups where user_id = $1", user)
        .fetch_optional(connection)
        .await
}

/// Deletes the sign-up request, because the account was confirmed or taken over by an administrator.
pub(crate) async fn settled(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<()> {
    sqlx::query!("delete from cloch.sign_ups where user_id = $1", user).execute(connection).await.map(drop)
}
