//! Message bus between the nodes of one project: delivers broadcasts and presence to the clients of every node.
//!
//! An [`Engine`] carries opaque messages to all nodes, with PostgreSQL's NOTIFY ([`postgres`]) or NATS ([`nats`]). Every message is encrypted
//! ([`encryption`]), so only nodes with the project's secret can write or read it. Nodes ([`node`]) discover each other by their messages
//! ([`peers`]). A node without peers sends only heartbeats. Each node owns the presence of its clients and replicates it to the other nodes
//! ([`replica`]). A heartbeat contains the numbers of sockets, joins and messages of its node, for project-wide limits
//! ([`super::project_limits`]). A node notifies its clients if messages of other nodes may be missing ([`super::missed_messages`]).

mod encryption;
mod large_payload;
mod nats;
mod node;
mod peers;
mod postgres;
mod replica;

use std::sync::Arc;
use std::time::Duration;

use cloch_core::Secret;
use cloch_sql::Database;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::hub::Hub;
use super::peer_messages::{Outgoing, Outlet};
use super::project_limits::ProjectLimits;
use node::Node;

pub use nats::check_nats_url;

const RETRY_DELAY: Duration = Duration::from_secs(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// Settings of the message bus between nodes.
#[derive(Clone, Debug)]
pub struct BusSettings {
    /// Secret from which the encryption keys of bus messages are derived. The same on every node of the project.
    pub key: Secret,
    /// URL of a NATS server. `None` if the bus uses PostgreSQL's NOTIFY.
    pub nats_url: Option<Secret>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum BusError {
    #[error("{0}")]
    Database(#[from] sqlx::Error),
    #[error("NATS: {0}")]
    Nats(String),
    #[error("the connection was lost")]
    Lost,
    #[error("timeout")]
    Timeout,
}

/// Transport of bus messages. Delivers each message to all nodes at most once. The messages of one sender arrive in the order of sending.
pub(super) trait Engine: Send {
    /// Sends messages in the given order. The engine may deliver the messages to this node as well.
    fn publish(&mut self, messages: Vec<Vec<u8>>) -> impl Future<Output = Result<(), BusError>> + Send;

    /// Waits for the next message of any node. Cancel safe.
    fn receive(&mut self) -> impl Future<Output = Result<Vec<u8>, BusError>> + Send;
}

/// Runs the message bus until `shutdown`. Reconnects after failures.
pub(super) async fn run(
    database: Database,
    settings: BusSettings,
    (hub, project): (Hub, ProjectLimits),
    (outlet, outgoing): (Outlet, Arc<Mutex<Outgoing>>),
    shutdown: CancellationToken,
) {
    let mut outgoing = outgoing.lock().await;
    let transport = if settings.nats_url.is_some() { "NATS" } else { "PostgreSQL" };
    let mut node = Node::new(&settings.key, (hub, project), outlet);
    while !shutdown.is_cancelled() {
        let served = match &settings.nats_url {
            Some(url) => match connect(nats::Nats::connect(&database, url, &settings.key)).await {
                Ok(mut engine) => node.serve(&mut engine, &mut outgoing, &shutdown).await,
                Err(error) => Err(error),
            },
            None => match connect(postgres::Notify::connect(&database)).await {
                Ok(mut engine) => node.serve(&mut engine, &mut outgoing, &shutdown).await,
                Err(error) => Err(error),
            },
        };
        if let Err(error) = served {
            tracing::warn!(%error, transport, "realtime bus: connection between nodes lost, messages of other nodes do not reach the clients of this node, reconnecting in 2 s");
            node.begin_absence();
        }
        shutdown.run_until_cancelled(tokio::time::sleep(RETRY_DELAY)).await;
        node.expire();
    }
}

async fn connect<E>(connecting: impl Future<Output = Result<E, BusError>>) -> Result<E, BusError> {
    tokio::time::timeout(CONNECT_TIMEOUT, connecting).await.map_err(|_| BusError::Timeout)?
}
