//! What the login of read-only SQL may read: granted by `platform/0075`, before each of its sessions.

use sqlx::PgPool;

use super::Logins;
use crate::client::{BatchStatement, ClientError, Connection};
use crate::login::Login;

/// Grants what is new in the schema.
const LET_READ: &str = "select cloch.let_reader_read()";

/// Lets the login of read-only SQL read the project. False where it would read secrets too, and is not to be used.
///
/// # Errors
/// When the database does not answer.
pub async fn let_reader_read(admin: &PgPool) -> sqlx::Result<bool> {
    sqlx::query_scalar(LET_READ).fetch_one(admin).await
}

impl Logins {
    /// The login that reads past row-level security: `supabase_read_only_user`, where that one is Cloch's own, and may read what is there.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn reader(&self) -> Result<&Login, ClientError> {
        let Some(read_only) = &self.read_only else { return Ok(&self.admin) };
        Connection::open(&self.admin).await?.run("", &mut [BatchStatement::silent(LET_READ, &[])]).await?;
        Ok(read_only)
    }
}
