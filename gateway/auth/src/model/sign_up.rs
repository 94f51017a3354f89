//! `cloch.sign_ups`: the newest sign-up request of each unconfirmed account.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::client::Client;

/// The newest sign-up request of an account. `contested` means that requests came from several networks (IPv4 address or IPv6 /64).
pub(crate) struct SignUp {
    network: String,
    contested: bool,
}

impl SignUp {
    /// Whether another person may have made the newest sign-up request: requests came from several networks (IPv4 address or IPv6 /64), and
    /// the newest request did not come from the network of `client`.
    pub(crate) fn may_be_anothers(&self, client: &Client) -> bool {
        self.contested && self.network != client.address.network()
    }
}

/// Records a sign-up request for an account, and replaces the account's earlier request.
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

/// Returns the newest sign-up request of an unconfirmed account. `None` for an account that an administrator created.
pub(crate) async fn find(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<Option<SignUp>> {
    sqlx::query_as!(SignUp, "select network, contested from cloch.sign_ups where user_id = $1", user)
        .fetch_optional(connection)
        .await
}

/// Deletes the sign-up request of an account that was confirmed or that an administrator took over.
pub(crate) async fn settled(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<()> {
    sqlx::query!("delete from cloch.sign_ups where user_id = $1", user).execute(connection).await.map(drop)
}
