//! Check of a replica for `cloch doctor`.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::server::Server;
use crate::login::Login;

/// Maximum time that the check waits for the replica to replay the WAL up to the position that the primary had at the beginning of the
/// check.
const PATIENCE: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Result of checking a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Examined {
    /// The replica has replayed the WAL up to the position that the primary had at the beginning of the check. The value is the time that
    /// this took.
    Follows(Duration),
    /// The replica did not replay the WAL up to the primary's position within the maximum time. The value is the number of bytes of WAL
    /// that the replica still has to replay.
    Behind(u64),
}

/// Checks whether a replica follows its primary.
///
/// # Errors
/// Returns why the server is not a replica of the primary, or which server does not respond.
pub async fn examine(primary: &Login, replica: &Login) -> Result<Examined, String> {
    let text = |error: crate::client::ClientError| error.to_string();
    replica.choose_host().await.map_err(|error| error.to_string())?;
    let (mut primary, mut standby) = (Server::new(primary.clone()), Server::new(replica.clone()));
    let expected = primary.system().await.map_err(|error| format!("the primary: {error}"))?;
    if let Some(difference) = expected.differs_from(&standby.system().await.map_err(text)?) {
        return Err(difference);
    }
    let begun = Instant::now();
    let wanted = primary.sample().await.map_err(|error| format!("the primary: {error}"))?.lsn;
    loop {
        let position = standby.position().await.map_err(text)?.ok_or("it is no standby")?;
        let replayed = position.replayed.unwrap_or_default();
        if replayed >= wanted {
            return Ok(Examined::Follows(begun.elapsed()));
        }
        if begun.elapsed() > PATIENCE {
            return Ok(Examined::Behind(wanted.bytes_since(replayed)));
        }
        sleep(POLL_INTERVAL).await;
    }
}
