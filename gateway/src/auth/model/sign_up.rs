//! `cloch.sign_ups`: accounts that somebody asked for without being signed in, and that nobody has proved yet.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::auth::client::Client;

/// Who asked for an account.
pub(crate) struct SignUp {
    network: String,
    contested: bool,
}

impl SignUp {
    /// Whether a confirmation that this client sends back may be that of somebody else's request: several networks asked for the
    /// account, and the last of them is another one.
    pub(crate) fn may_be_anothers(&self, client: &Client) -> bool {
        self.contested && self.network != client.address.network()
    }
}

/// Notes a request for an account: the first, or one that replaces what was asked for before.
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

/// The request for an account that nobody has proved; none for one that an administrator made.
pub(crate) async fn find(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<Option<SignUp>> {
    sqlx::query_as!(SignUp, "select network, contested from cloch.sign_ups where user_id = $1", user)
        .fetch_optional(connection)
        .await
}

/// The account is proved, or an administrator's.
pub(crate) async fn settled(connection: &mut PgConnection, user: Uuid) -> sqlx::Result<()> {
    sqlx::query!("delete from cloch.sign_ups where user_id = $1", user).execute(connection).await.map(drop)
}
