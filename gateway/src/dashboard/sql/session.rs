//! PostgreSQL session for one SQL script, with its role and timeouts.

use cloch_sql::client::{BatchStatement, Param};
use cloch_sql::{Caller, LocalSettings};

use crate::dashboard::database::As;
use crate::dashboard::{ApiError, Dashboard};
use crate::project::sql::session::SqlSession;

/// Opens a session for read-only SQL. The session has the role that the Management API uses for read-only SQL.
pub(in crate::dashboard) async fn read_only(state: &Dashboard, seconds: u32) -> Result<SqlSession, ApiError> {
    let session = SqlSession::read_only(&state.project.sessions).await?;
    prepared(session, None, seconds).await
}

/// Opens a session with the identity `who`: the project's owner, or a role or user of the APIs.
pub(in crate::dashboard) async fn of(state: &Dashboard, who: &As, seconds: u32) -> Result<SqlSession, ApiError> {
    let caller = state.caller(who).await?;
    let session = match &caller {
        Some(_) => SqlSession::of_login(&state.database.logins().callers).await?,
        None => SqlSession::owner(&state.project.sessions).await?,
    };
    prepared(session, caller.as_ref(), seconds).await
}

/// Sets role, claims and timeout for the whole session. They need not be limited to a transaction, because a session runs only one script.
async fn prepared(mut session: SqlSession, caller: Option<&Caller>, seconds: u32) -> Result<SqlSession, ApiError> {
    let mut settings = LocalSettings::default();
    if let Some(caller) = caller {
        settings = LocalSettings::of(caller);
        settings.set("search_path", "public, extensions");
        settings.set("role", caller.role());
    }
    settings.set("statement_timeout", format!("{seconds}s"));
    settings.set("lock_timeout", format!("{seconds}s"));
    let values = [Param::texts(settings.names()), Param::texts(settings.values())];
    let text = "select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) as s (name, value)";
    session.connection.run("", &mut [BatchStatement::silent(text, &values)]).await?;
    Ok(session)
}
