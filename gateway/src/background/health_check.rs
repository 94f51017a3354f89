//! Checks once a second, on a separate connection, that the database responds and accepts writes. If the login has several hosts and a
//! check fails, the host that accepts writes is determined again.

use std::time::Duration;

use cloch_sql::database::Login;
use sqlx::{ConnectOptions, PgConnection};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Timeout of a database check. It applies to the query on the open connection, and again to the query on a new connection.
const CHECK_TIMEOUT: Duration = Duration::from_millis(1500);
/// SQLSTATE too_many_connections: the database counts as available, because it still serves its open connections.
const TOO_MANY_CONNECTIONS: &str = "53300";

/// Checks the database every second and updates the login's availability until `shutdown`.
pub async fn run(login: Login, shutdown: CancellationToken) {
    let mut connection = None;
    loop {
        let checked = tokio::select! {
            checked = check(&login, &mut connection) => checked,
            () = shutdown.cancelled() => return,
        };
        let was_lost = login.availability.is_lost();
        match checked {
            Ok(is_new) => {
                if was_lost {
                    tracing::info!("database: available again, requests are served");
                }
                if is_new {
                    login.availability.set_replaced();
                }
            }
            Err(reason) => {
                connection = None;
                if !was_lost {
                    tracing::error!(error = reason, "database: unavailable, requests get status 503");
                }
                login.availability.set_lost(&reason);
            }
        }
        if !super::task::sleep_unless_stopped(CHECK_INTERVAL, &shutdown).await {
            return;
        }
    }
}

/// Checks on the open connection that the database accepts writes. If this check fails, opens a new connection. If the login has several
/// hosts, the new connection is to the host that accepts writes. Returns whether the PostgreSQL server may have been replaced or restarted
/// since the last check, or the reason why the database is unavailable.
async fn check(login: &Login, open: &mut Option<PgConnection>) -> Result<bool, String> {
    let had_connection = open.is_some();
    if let Some(mut connection) = open.take()
        && let Ok(Ok(true)) = timeout(CHECK_TIMEOUT, takes_writes(&mut connection)).await
    {
        *open = Some(connection);
        return Ok(false);
    }
    if login.has_several_hosts() {
        login.choose_host().await.map_err(|error| error.to_string())?;
    }
    let attempt = async {
        let mut connection = login.sqlx_options().application_name("cloch health").connect().await?;
        let takes_writes = takes_writes(&mut connection).await?;
        Ok::<_, sqlx::Error>((connection, takes_writes))
    };
    match timeout(CHECK_TIMEOUT, attempt).await {
        Ok(Ok((connection, true))) => *open = Some(connection),
        Ok(Ok((_, false))) => return Err("the server is a standby, which takes no writes".to_owned()),
        Ok(Err(sqlx::Error::Database(error))) if error.code().as_deref() == Some(TOO_MANY_CONNECTIONS) => {}
        Ok(Err(error)) => return Err(error.to_string()),
        Err(_) => return Err("the server does not answer".to_owned()),
    }
    Ok(had_connection || login.availability.is_lost())
}

async fn takes_writes(connection: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar("select not pg_is_in_recovery()").persistent(false).fetch_one(connection).await
}
