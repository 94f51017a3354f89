//! Tells a server that has become a standby from a transaction that only reads: both refuse writes with SQLSTATE 25006.

use super::connection::Connection;
use super::{BatchStatement, ClientError, Rows};

const READ_ONLY: &str = "25006";

impl Connection {
    /// The error of a batch; that of a standby is a lost primary, which a retry may find elsewhere.
    pub(super) async fn judge_read_only(&mut self, error: ClientError) -> ClientError {
        let is_read_only = matches!(&error, ClientError::Db(error) if error.code == READ_ONLY);
        if !is_read_only || !self.is_standby().await {
            return error;
        }
        self.broken = true;
        ClientError::Connect("the server is a standby, which takes no writes".to_owned())
    }

    async fn is_standby(&mut self) -> bool {
        let mut rows = Rows::default();
        let mut asked =
            [BatchStatement { sql: "select pg_is_in_recovery()::text", params: &[], sink: Some(&mut rows) }];
        let outcome = self.run("", &mut asked).await;
        outcome.is_ok() && rows.rows().first().and_then(|row| row.text(0)) == Some("true")
    }
}
