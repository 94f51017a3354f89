//! Whether the database answers, for /health: asked over a connection of its own, once a second, whoever asks /health how often.

use std::time::Duration;

use cloch_sql::database::Login;
use sqlx::{ConnectOptions, Connection, PgConnection};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::http::Health;

/// Between two questions.
const EVERY: Duration = Duration::from_secs(1);
/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// SQLSTATE too_many_connections: the server lives, and serves those that are open.
const TOO_MANY_CONNECTIONS: &str = "53300";

/// Tells `health` until `shutdown`.
pub async fn run(login: Login, health: Health, shutdown: CancellationToken) {
    let mut connection = None;
    let mut was_reachable = true;
    loop {
        let asked = tokio::select! {
            asked = ask(&login, &mut connection) => asked,
            () = shutdown.cancelled() => return,
        };
        match (&asked, was_reachable) {
            (Err(error), true) => tracing::error!(%error, "the database does not answer: /health says 503"),
            (Ok(()), false) => tracing::info!("the database answers again"),
            _ => {}
        }
        was_reachable = asked.is_ok();
        health.database(asked.err());
        if !super::pause(EVERY, &shutdown).await {
            return;
        }
    }
}

/// Asks over the open connection; where that is lost, over a new one.
async fn ask(login: &Login, open: &mut Option<PgConnection>) -> Result<(), String> {
    if let Some(mut connection) = open.take()
        && let Ok(Ok(())) = timeout(ANSWER_TIMEOUT, connection.ping()).await
    {
        *open = Some(connection);
        return Ok(());
    }
    let options = login.sqlx_options().application_name("cloch health");
    match timeout(ANSWER_TIMEOUT, options.connect()).await {
        Ok(Ok(connection)) => *open = Some(connection),
        Ok(Err(sqlx::Error::Database(error))) if error.code().as_deref() == Some(TOO_MANY_CONNECTIONS) => {}
        Ok(Err(error)) => return Err(error.to_string()),
        Err(_) => return Err(format!("no answer within {} seconds", ANSWER_TIMEOUT.as_secs())),
    }
    Ok(())
}
