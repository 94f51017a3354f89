//! LISTEN connection of this node. Receives notifications about broadcasts from the database (rows of `realtime.messages`), and about auth
//! sessions that may have ended.

use std::sync::Arc;
use std::time::Duration;

use cloch_sql::Database;
use sqlx::postgres::{PgListener, PgPoolOptions};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::database_broadcast::{self, Note};
use super::hub::Hub;
use super::missed_messages::Gap;
use super::sessions::{Sessions, Suspects};

/// NOTIFY channel on which triggers name auth sessions that may have ended.
const SESSIONS_CHANNEL: &str = "cloch_sessions";
/// Message to clients after the LISTEN connection was lost or a database broadcast could not be read.
const GAP_MESSAGE: &str = "Broadcasts of the database may be missing: its connection was interrupted";
/// Maximum number of queued notifications about new rows of `realtime.messages`. The rows of queued notifications are not read yet.
const MAX_WAITING_NOTES: usize = 1_024;
/// Interval between checks whether clients have to be notified of missing broadcasts.
const TELL_INTERVAL: Duration = Duration::from_secs(1);
const RETRY_DELAY: Duration = Duration::from_secs(2);

/// Listens for notifications until `shutdown`, and reconnects after failures. Sets `listening` to true while the LISTEN connection is open.
pub(super) async fn run(
    database: Database,
    hub: Hub,
    sessions: Sessions,
    listening: Arc<watch::Sender<bool>>,
    shutdown: CancellationToken,
) {
    let (notes, waiting) = mpsc::channel(MAX_WAITING_NOTES);
    let listening_for = async {
        let mut has_listened = false;
        loop {
            let ends = Ends { hub: &hub, sessions: &sessions, notes: &notes };
            if let Err(error) = listen(&database, ends, &listening, &mut has_listened).await {
                tracing::warn!(%error, "realtime: LISTEN for database notifications failed, broadcasts from the database are lost until a retry succeeds, retrying every 2 s");
            }
            listening.send_replace(false);
            tokio::time::sleep(RETRY_DELAY).await;
        }
    };
    let work = async { tokio::join!(listening_for, read_rows(&database, &hub, waiting)) };
    shutdown.run_until_cancelled(work).await;
}

/// Destinations to which received notifications are passed.
struct Ends<'a> {
    hub: &'a Hub,
    sessions: &'a Sessions,
    notes: &'a mpsc::Sender<Waiting>,
}

/// An entry in the queue of [`read_rows`].
enum Waiting {
    Row(Note),
    /// Notifications were lost or did not fit into the queue.
    Gap,
}

async fn listen(
    database: &Database,
    ends: Ends<'_>,
    listening: &watch::Sender<bool>,
    has_listened: &mut bool,
) -> sqlx::Result<()> {
    let options = PgPoolOptions::new().max_connections(1).test_before_acquire(false);
    let pool = database.admin_login().pool(options, "cloch listener");
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.listen_all([database_broadcast::NOTIFY_CHANNEL, SESSIONS_CHANNEL]).await?;
    listening.send_replace(true);
    let mut is_missing = std::mem::replace(has_listened, true);
    // Sessions may have ended while this node did not listen, so all auth sessions are checked.
    ends.sessions.suspect(Suspects::All);
    loop {
        if is_missing {
            is_missing = ends.notes.try_send(Waiting::Gap).is_err();
        }
        // `None` means that the connection was lost. Notifications that were sent since then are lost too.
        let Some(notification) = listener.try_recv().await? else { return Ok(()) };
        if notification.channel() == SESSIONS_CHANNEL {
            let ids: Result<Vec<_>, _> = notification.payload().split(',').map(str::parse).collect();
            ends.sessions.suspect(ids.map_or(Suspects::All, Suspects::Named));
        } else if let Some(note) = Note::read(notification.payload(), ends.hub) {
            is_missing |= ends.notes.try_send(Waiting::Row(note)).is_err();
        }
    }
}

/// Reads and broadcasts the rows named by notifications, in order. Runs concurrently with the LISTEN connection, so that a slow query for a
/// row does not delay notifications about sessions.
async fn read_rows(database: &Database, hub: &Hub, mut waiting: mpsc::Receiver<Waiting>) {
    let mut gap = Gap::new(GAP_MESSAGE);
    loop {
        match timeout(TELL_INTERVAL, waiting.recv()).await {
            Ok(Some(Waiting::Row(note))) => {
                if let Err(error) = database_broadcast::broadcast_row(database, hub, &note).await {
                    tracing::warn!(
                        %error,
                        message_id = %note.id,
                        topic = note.topic,
                        "realtime: reading the row of a database broadcast (realtime.messages) failed, broadcast lost, clients are notified"
                    );
                    gap.open();
                }
            }
            Ok(Some(Waiting::Gap)) => gap.open(),
            Ok(None) => return,
            Err(_) => {}
        }
        gap.tell(hub);
    }
}
