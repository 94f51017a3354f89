//! PostgreSQL session for one script.

use cloch_sql::Caller;
use cloch_sql::client::{BatchStatement, Canceller, Connection, Param};
use cloch_sql::local_settings::LocalSettings;

use crate::dashboard::database::As;
use crate::dashboard::{ApiError, Dashboard};

/// Maximum size of a row in bytes. A row is read completely before its values are truncated.
const MAX_ROW_BYTES: usize = 64 << 20;

/// PostgreSQL session with its handle for cancelling.
pub(super) struct Session {
    pub(super) connection: Connection,
    pub(super) canceller: Canceller,
}

impl Session {
    /// Opens a session for read-only SQL. It logs in as the same role as the Management API. Because the login itself cannot write, `reset
    /// role` gives no additional rights.
    pub(super) async fn read_only(state: &Dashboard, seconds: u32) -> Result<Self, ApiError> {
        let sessions = &state.management.sessions;
        let connection = sessions.read_only().await?;
        Self::new(connection, sessions.read_only_login(), None, seconds).await
    }

    /// Opens a session as the project's owner or as a caller.
    pub(super) async fn of(state: &Dashboard, who: &As, seconds: u32) -> Result<Self, ApiError> {
        let Some(caller) = state.caller(who).await? else {
            let sessions = &state.management.sessions;
            let connection = sessions.owner_for_statement().await?;
            return Self::new(connection, sessions.owner_login(), None, seconds).await;
        };
        let login = &state.database.logins().callers;
        let connection = Connection::open(login).await?;
        Self::new(connection, login, Some(&caller), seconds).await
    }

    async fn new(
        mut connection: Connection,
        login: &cloch_sql::database::Login,
        caller: Option<&Caller>,
        seconds: u32,
    ) -> Result<Self, ApiError> {
        connection.limit_messages(MAX_ROW_BYTES);
        let canceller = connection.canceller(login);
        let mut settings = LocalSettings::default();
        if let Some(caller) = caller {
            settings = LocalSettings::of(caller);
            settings.set("search_path", "public, extensions");
            settings.set("role", caller.role());
        }
        settings.set("statement_timeout", format!("{seconds}s"));
        settings.set("lock_timeout", format!("{seconds}s"));
        let values = [Param::texts(settings.names()), Param::texts(settings.values())];
        // The settings apply to the whole session, because a session runs only one script.
        let text =
            "select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) as s (name, value)";
        connection.run("", &mut [BatchStatement::silent(text, &values)]).await?;
        Ok(Self { connection, canceller })
    }
}
