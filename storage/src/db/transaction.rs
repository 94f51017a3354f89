//! Transactions of requests.

use sqlx::{Postgres, Transaction};

use crate::error::Result;

/// A database transaction. Dropping it rolls back.
pub(crate) type Tx = Transaction<'static, Postgres>;

/// Switches a running transaction to another role, for statements inside one unit of work.
pub(crate) async fn set_role(tx: &mut Tx, role: &str) -> Result<()> {
    sqlx::query!("select set_config('role', $1, true)", role).fetch_one(&mut **tx).await?;
    Ok(())
}
