//! Checks once a second, on a separate connection, whether the database responds; for /health.

use std::time::Duration;

use cloch_sql::database::Login;
use sqlx::{ConnectOptions, Connection, PgConnection};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::http::Health;

/// Time between two checks.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Timeout of a check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);
/// SQLSTATE too_many_connections: the server works, and serves its open connections.
const TOO_MANY_CONNECTIONS: &str = "53300";

/// Updates `health` until `shutdown`.
pub async fn run(login: Login, health: Health, shutdown: CancellationToken) {
    let mut connection = None;
    let mut was_reachable = true;
    loop {
        let checked = tokio::select! {
            checked = check(&login, &mut connection) => checked,
            () = shutdown.cancelled() => return,
        };
        match (&checked, was_reachable) {
            (Err(error), true) => tracing::error!(%error, "the database does not answer: /health says 503"),
            (Ok(()), false) => tracing::info!("the database answers again"),
            _ => {}
        }
        was_reachable = checked.is_ok();
        health.database(checked.err());
        if !super::task::sleep_unless_stopped(CHECK_INTERVAL, &shutdown).await {
            return;
        }
    }
}

/// Pings over the open connection, or connects again if it was lost.
async fn check(login: &Login, open: &mut Option<PgConnection>) -> Result<(), String> {
    if let Some(mut connection) = open.take()
        && let Ok(Ok(())) = timeout(CHECK_TIMEOUT, connection.ping()).await
    {
        *open = Some(connection);
        return Ok(());
    }
    let options = login.sqlx_options().application_name("cloch health");
    match timeout(CHECK_TIMEOUT, options.connect()).await {
        Ok(Ok(connection)) => *open = Some(connection),
        Ok(Err(sqlx::Error::Database(error))) if error.code().as_deref() == Some(TOO_MANY_CONNECTIONS) => {}
        Ok(Err(error)) => return Err(error.to_string()),
        Err(_) => return Err(format!("no answer within {} seconds", CHECK_TIMEOUT.as_secs())),
    }
    Ok(())
}
