//! The bus between the nodes of one project: broadcasts and presence reach the clients of every node.
//!
//! An [`Engine`] carries opaque messages to all nodes: PostgreSQL's NOTIFY ([`postgres`]) or NATS ([`nats`]). Every message is sealed
//! ([`encryption`]), so that only nodes with the project's secret can write or read one. Nodes ([`node`]) know of each other by what they send
//! ([`peers`]); while there are no others, nothing but heartbeats is sent. The presence of a node's clients is its own and is replicated
//! to the others ([`replica`]); what it counts towards limits of the whole project goes with its heartbeats
//! ([`super::project_limits`]). When messages may be missing, clients are told ([`super::missed_messages`]).

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

/// Time before a lost engine is connected again.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// Time for an engine to connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// The settings of the bus.
#[derive(Clone, Debug)]
pub struct BusSettings {
    /// The secret that seals messages: the same on every node of the project.
    pub key: Secret,
    /// The URL of a NATS server; PostgreSQL is used without one.
    pub nats_url: Option<Secret>,
}

/// Why an engine cannot carry messages.
#[derive(Debug, thiserror::Error)]
pub(super) enum BusError {
    #[error("{0}")]
    Database(#[from] sqlx::Error),
    #[error("NATS: {0}")]
    Nats(String),
    #[error("the connection was lost")]
    Lost,
    #[error("it takes too long")]
    Timeout,
}

/// Carries messages to all nodes, at most once each and in the order of each sender.
pub(super) trait Engine: Send {
    /// Sends messages, in this order. The sender may receive them as well.
    fn publish(&mut self, messages: Vec<Vec<u8>>) -> impl Future<Output = Result<(), BusError>> + Send;

    /// The next message. Cancel safe.
    fn receive(&mut self) -> impl Future<Output = Result<Vec<u8>, BusError>> + Send;
}

/// Runs the bus until `shutdown`, and connects again after outages.
pub(super) async fn run(
    database: Database,
    settings: BusSettings,
    (hub, project): (Hub, ProjectLimits),
    (outlet, outgoing): (Outlet, Arc<Mutex<Outgoing>>),
    shutdown: CancellationToken,
) {
    let mut outgoing = outgoing.lock().await;
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
            tracing::warn!(%error, "bus connection lost, reconnecting");
            node.begin_absence();
        }
        shutdown.run_until_cancelled(tokio::time::sleep(RETRY_DELAY)).await;
        node.expire();
    }
}

async fn connect<E>(connecting: impl Future<Output = Result<E, BusError>>) -> Result<E, BusError> {
    tokio::time::timeout(CONNECT_TIMEOUT, connecting).await.map_err(|_| BusError::Timeout)?
}
