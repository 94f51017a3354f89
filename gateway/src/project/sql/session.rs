//! PostgreSQL sessions that run one statement at a time, with a maximum size of result rows. A running statement can be cancelled.

use cloch_sql::client::{Canceller, ClientError, Connection};
use cloch_sql::database::Login;

use super::limits::MAX_ROW_BYTES;
use crate::project::{ProjectError, Sessions};

/// PostgreSQL session, with a handle that cancels its running statement.
pub(crate) struct SqlSession {
    pub(crate) connection: Connection,
    pub(crate) canceller: Canceller,
}

impl SqlSession {
    /// Opens a session for read-only SQL. The login itself cannot write, so a `reset role` in the SQL gives no additional rights.
    pub(crate) async fn read_only(sessions: &Sessions) -> Result<Self, ProjectError> {
        Ok(Self::new(sessions.read_only().await?, sessions.read_only_login()))
    }

    /// Opens a session as the project's owner.
    pub(crate) async fn owner(sessions: &Sessions) -> Result<Self, ProjectError> {
        Ok(Self::new(sessions.owner_for_statement().await?, sessions.owner_login()))
    }

    /// Opens a session of the given login.
    pub(crate) async fn of_login(login: &Login) -> Result<Self, ClientError> {
        Ok(Self::new(Connection::open(login).await?, login))
    }

    fn new(mut connection: Connection, login: &Login) -> Self {
        connection.limit_messages(MAX_ROW_BYTES);
        let canceller = connection.canceller(login);
        Self { connection, canceller }
    }
}
