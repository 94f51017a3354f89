//! Read access of the login for read-only SQL (`supabase_read_only_user`). `cloch.let_reader_read()` grants the access before each session
//! of this login.

use sqlx::PgPool;

use super::Logins;
use crate::client::{BatchStatement, ClientError, Connection};
use crate::login::Login;

/// SQL statement that gives the read-only login access to objects that were added since the last call.
const LET_READ: &str = "select cloch.let_reader_read()";

/// Gives the read-only login access to the project's objects. Returns `false` if the login could also read secrets and must not be used.
///
/// # Errors
/// Fails if the database query fails.
pub async fn let_reader_read(admin: &PgPool) -> sqlx::Result<bool> {
    sqlx::query_scalar(LET_READ).fetch_one(admin).await
}

impl Logins {
    /// Returns a login that can read all rows regardless of row-level security. On an embedded cluster, this is `supabase_read_only_user`,
    /// which first receives access to new objects. On an external server, it is the admin login.
    ///
    /// # Errors
    /// Fails if the access cannot be granted.
    pub async fn reader(&self) -> Result<&Login, ClientError> {
        let Some(read_only) = &self.read_only else { return Ok(&self.admin) };
        Connection::open(&self.admin).await?.run("", &mut [BatchStatement::silent(LET_READ, &[])]).await?;
        Ok(read_only)
    }
}
