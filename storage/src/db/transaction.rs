//! Database transactions of requests.

use sqlx::{Postgres, Transaction};

use crate::error::Result;

/// A database transaction, which is rolled back when it is dropped without a commit.
pub(crate) type Tx = Transaction<'static, Postgres>;

/// Sets the role of a transaction for its next statements.
pub(crate) async fn set_role(tx: &mut Tx, role: &str) -> Result<()> {
    sqlx::query!("select set_config('role', $1, true)", role).fetch_one(&mut **tx).await?;
    Ok(())
}
