//! A look at a replica, for `cloch doctor`.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::server::Server;
use crate::login::Login;

/// How long the replica may take to replay what the primary has written when it is asked.
const PATIENCE: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// What was seen of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Examined {
    /// It has replayed, after so long, what the primary had written at the beginning.
    Follows(Duration),
    /// It has not, and is so many bytes of log behind.
    Behind(u64),
}

/// Asks a primary and its replica.
///
/// # Errors
/// Why it is no replica of that primary, or what does not answer.
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
