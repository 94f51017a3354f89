//! PostgreSQL sessions for SQL that operators write. Each session is opened for one request and closed after the request.
//!
//! Read-only SQL runs in a session with the login `supabase_read_only_user`. A login with more rights, restricted by `set role`, would not
//! be safe, because a statement could undo the `set role`. The function `cloch.grants_for_reader` of the platform SQL defines what
//! `supabase_read_only_user` can read.

use std::time::Duration;

use cloch_core::Secret;
use cloch_sql::Database;
use cloch_sql::client::{ClientError, Connection as StatementConnection};
use cloch_sql::database::{Address, Login};
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::ProjectError;

/// Maximum number of concurrent PostgreSQL sessions. Each session is an operating system process of the PostgreSQL server.
const MAX_SESSIONS: usize = 4;
/// Maximum time for which a request waits for a permit to open a PostgreSQL session.
const TURN_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum duration of a statement, as a PostgreSQL setting.
pub(crate) const STATEMENT_TIMEOUT: &str = "58s";
const READ_ONLY_ROLE: &str = "supabase_read_only_user";

/// Opens PostgreSQL sessions for SQL that operators write.
#[derive(Debug)]
pub struct Sessions {
    database: Database,
    /// Login of the project's owner. In the embedded database, the owner is not a superuser.
    owner: Login,
    read_only: Login,
    /// Host and port for clients on other machines, which the Management API returns. `None` if they are the host and port of `owner`.
    outside: Option<(String, u16)>,
    turns: Semaphore,
}

impl Sessions {
    /// Creates the value without opening a session. `read_only_password` is the password of the role for read-only SQL. It must be the same
    /// on every node.
    #[must_use]
    pub fn new(database: Database, read_only_password: Secret, outside: Option<(String, u16)>) -> Self {
        let owner = database.logins().owner.clone();
        let read_only = match &database.logins().read_only {
            Some(login) => login.clone(),
            None => database.admin_login().with_user(READ_ONLY_ROLE, read_only_password),
        };
        Self { database, owner, read_only, outside, turns: Semaphore::new(MAX_SESSIONS) }
    }

    /// Returns the host name at which clients reach the database, or the folder of its Unix socket.
    pub(crate) fn host(&self) -> String {
        match (&self.outside, &self.owner.address) {
            (Some((host, _)), _) | (None, Address::Host(host)) => host.clone(),
            (None, Address::Socket(folder)) => folder.display().to_string(),
        }
    }

    /// Returns the port at which clients reach the database.
    pub(crate) fn port(&self) -> u16 {
        self.outside.as_ref().map_or(self.owner.port, |(_, port)| *port)
    }

    /// Returns the login with which [`Sessions::owner_for_statement`] opens sessions.
    pub(crate) fn owner_login(&self) -> &Login {
        &self.owner
    }

    /// Returns the login with which [`Sessions::read_only`] opens sessions.
    pub(crate) fn read_only_login(&self) -> &Login {
        &self.read_only
    }

    /// Waits for a permit to open a session. The permit must be held until the session is closed.
    pub(crate) async fn permit(&self) -> Result<SemaphorePermit<'_>, ProjectError> {
        let permit = timeout(TURN_TIMEOUT, self.turns.acquire()).await.map_err(|_| ProjectError::Busy)?;
        permit.map_err(|_| ProjectError::Busy)
    }

    /// Opens a session as the project's owner, for scripts.
    pub(crate) async fn owner(&self) -> Result<PgConnection, ProjectError> {
        let mut connection = self.owner.sqlx_options().connect().await?;
        for setting in [format!("set statement_timeout = '{STATEMENT_TIMEOUT}'"), self.become_owner().await?] {
            sqlx::raw_sql(AssertSqlSafe(setting)).execute(&mut connection).await?;
        }
        Ok(connection)
    }

    /// Opens a session as the project's owner, for a single statement with parameters.
    pub(crate) async fn owner_for_statement(&self) -> Result<StatementConnection, ProjectError> {
        let mut connection =
            StatementConnection::open(&self.owner).await.map_err(|error| unreachable_database(&error))?;
        let become_owner = self.become_owner().await?;
        let mut steps = [cloch_sql::client::BatchStatement::silent(&become_owner, &[])];
        connection.run("", &mut steps).await.map_err(|error| unreachable_database(&error))?;
        Ok(connection)
    }

    /// Returns the `set role` statement that makes a session the project's owner. It is needed on an external PostgreSQL server, where the
    /// configured login may be a superuser, but the objects that are created must belong to the project's owner.
    async fn become_owner(&self) -> Result<String, ProjectError> {
        let text = "select format('set role %I', cloch.project_owner()::text)";
        Ok(sqlx::query_scalar(text).fetch_one(self.database.admin()).await?)
    }

    /// Opens a session of the role for read-only SQL. If the login fails, sets the role's password and logs in again: the password is missing
    /// before the first use, and wrong after a rotation of the key from which it is derived.
    pub(crate) async fn read_only(&self) -> Result<StatementConnection, ProjectError> {
        if !cloch_sql::let_reader_read(self.database.admin()).await? {
            let message = "Read-only SQL is off: supabase_read_only_user would read secrets on this database. \
                           Run: revoke pg_read_all_data from supabase_read_only_user";
            return Err(ProjectError::Unsupported(message.to_owned()));
        }
        match StatementConnection::open(&self.read_only).await {
            Ok(connection) => return Ok(connection),
            Err(error) => {
                tracing::debug!(%error, "project API: login of the read-only SQL role {READ_ONLY_ROLE} failed, setting its password")
            }
        }
        let set = self.set_password().await;
        set.map_err(|error| {
            tracing::error!(%error, "project API: setting the password of the read-only SQL role {READ_ONLY_ROLE} failed, the read-only SQL statement is refused");
            let message =
                "This database does not let Cloch log in as supabase_read_only_user, and so runs no read-only SQL";
            ProjectError::Unsupported(message.to_owned())
        })?;
        StatementConnection::open(&self.read_only).await.map_err(|error| unreachable_database(&error))
    }

    async fn set_password(&self) -> sqlx::Result<()> {
        let statement: String =
            sqlx::query_scalar("select format('alter role %I with login password %L', $1::text, $2::text)")
                .bind(READ_ONLY_ROLE)
                .bind(self.read_only.password.expose())
                .fetch_one(self.database.admin())
                .await?;
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(self.database.admin()).await.map(drop)
    }
}

fn unreachable_database(error: &ClientError) -> ProjectError {
    tracing::error!(%error, "project API: database unreachable, responding with status 503");
    ProjectError::Unavailable
}
