//! If a write fails with SQLSTATE 25006 (read-only transaction), determines whether the primary has become a standby or only the
//! transaction is read-only.

use super::connection::Connection;
use super::{BatchStatement, ClientError, Rows};

const READ_ONLY: &str = "25006";

impl Connection {
    /// Converts the error of a write to a connection error if the server has become a standby, because a retry may reach the new primary.
    /// Returns all other errors unchanged.
    pub(super) async fn judge_read_only(&mut self, error: ClientError) -> ClientError {
        let is_read_only = matches!(&error, ClientError::Db(error) if error.code == READ_ONLY);
        if !is_read_only {
            return error;
        }
        let what = match self.is_standby().await {
            Ok(false) => return error,
            Ok(true) => "the server is a standby, which takes no writes",
            // The check itself has failed. Return a connection error too, because a primary that becomes a standby ends its sessions, and a
            // proxy that switches to the new primary also ends the sessions.
            Err(_) => "the server took no writes, and was lost before it said why",
        };
        self.broken = true;
        // The server refused the batch and wrote nothing, so a retry on another connection is safe.
        ClientError::Connect(what.to_owned())
    }

    async fn is_standby(&mut self) -> Result<bool, ClientError> {
        let mut rows = Rows::default();
        let mut asked =
            [BatchStatement { sql: "select pg_is_in_recovery()::text", params: &[], sink: Some(&mut rows) }];
        self.run("", &mut asked).await?;
        Ok(rows.rows().first().and_then(|row| row.text(0)) == Some("true"))
    }
}
