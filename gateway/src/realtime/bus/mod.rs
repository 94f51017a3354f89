//! The bus between the nodes of one project: broadcasts and presence reach the clients of every node.
//!
//! An [`Engine`] carries opaque messages to all nodes: PostgreSQL's NOTIFY ([`postgres`]) or NATS ([`nats`]). Every message is sealed
//! ([`seal`]), so that only nodes with the project's secret can write or read one. Nodes know of each other by what they send
//! ([`peers`]); while there are no others, nothing but heartbeats is sent. The presence of a node's clients is its own and is replicated
//! to the others ([`replica`]). When messages may be missing, clients are told ([`super::gap`]).

mod message;
mod nats;
mod outlet;
mod peers;
mod postgres;
mod replica;
mod seal;
mod stored;

use std::sync::Arc;
use std::time::Duration;

use cloch_sql::{Database, Secret};
use tokio::sync::Mutex;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

pub(super) use message::{Message, Sent};
pub(super) use outlet::{Outgoing, Outlet, outlet};

use super::counters::COUNTERS;
use super::gap::Gap;
use super::hub::{Hub, Topic};
use peers::{Peers, Seen};
use replica::Replica;
use seal::{Opener, Sealer};

/// Time between two heartbeats of a node.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Time between two looks for nodes that are silent.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Time before a lost engine is connected again.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// Time for an engine to send.
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(10);
/// Time between two lines of the log about refused messages.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);
/// What clients are told when messages of other nodes may be missing.
const GAP_MESSAGE: &str = "Messages of other nodes may be missing: the connection between the nodes was interrupted";
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

/// A node's part of the bus.
struct Node {
    hub: Hub,
    outlet: Outlet,
    sealer: Sealer,
    opener: Opener,
    peers: Peers,
    replica: Replica,
    gap: Gap,
    /// When a refused message was logged last.
    warned: Option<Instant>,
}

/// Runs the bus until `shutdown`, and connects again after outages.
pub(super) async fn run(
    database: Database,
    settings: BusSettings,
    hub: Hub,
    (outlet, outgoing): (Outlet, Arc<Mutex<Outgoing>>),
    shutdown: CancellationToken,
) {
    let mut outgoing = outgoing.lock().await;
    let mut node = Node {
        replica: Replica::new(hub.clone()),
        hub,
        outlet,
        sealer: Sealer::new(&settings.key),
        opener: Opener::new(&settings.key),
        peers: Peers::default(),
        gap: Gap::new(GAP_MESSAGE),
        warned: None,
    };
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
            tracing::warn!(%error, "the bus between nodes is interrupted");
            node.gap.begin_absence();
        }
        shutdown.run_until_cancelled(tokio::time::sleep(RETRY_DELAY)).await;
        node.expire();
    }
}

async fn connect<E>(connecting: impl Future<Output = Result<E, BusError>>) -> Result<E, BusError> {
    tokio::time::timeout(CONNECT_TIMEOUT, connecting).await.map_err(|_| BusError::Timeout)?
}

impl Node {
    /// Exchanges messages until `shutdown` or until the engine fails.
    async fn serve<E: Engine>(
        &mut self,
        engine: &mut E,
        outgoing: &mut Outgoing,
        shutdown: &CancellationToken,
    ) -> Result<(), BusError> {
        self.peers.excuse();
        let hello = Message::Hello { wants_state: true };
        self.publish(engine, if self.gap.was_away() { vec![hello, Message::Gap] } else { vec![hello] }).await?;
        let mut ticks = tokio::time::interval(CHECK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut last_tick, mut next_beat) = (Instant::now(), Instant::now() + HEARTBEAT_INTERVAL);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return self.publish(engine, vec![Message::Bye]).await,
                received = engine.receive() => {
                    let answers = self.take(&received?);
                    self.publish(engine, answers).await?;
                }
                messages = outgoing.next_batch() => self.publish(engine, messages).await?,
                _ = ticks.tick() => {
                    // A node that was stopped itself has heard nobody meanwhile: what waits is read first.
                    if last_tick.elapsed() > HEARTBEAT_INTERVAL {
                        tracing::warn!("this node stood still: messages of other nodes may be lost");
                        self.peers.excuse();
                    }
                    last_tick = Instant::now();
                    self.expire();
                    self.gap.tell(&self.hub);
                    if last_tick >= next_beat {
                        next_beat = last_tick + HEARTBEAT_INTERVAL;
                        let messages = self.beat();
                        self.publish(engine, messages).await?;
                    }
                }
            }
        }
    }

    /// A heartbeat; and what follows if messages were dropped.
    fn beat(&self) -> Vec<Message> {
        let hello = [Message::Hello { wants_state: false }].into_iter();
        if !self.outlet.has_overflowed() {
            return hello.collect();
        }
        hello.chain([Message::Gap]).chain(self.state()).collect()
    }

    async fn publish<E: Engine>(&mut self, engine: &mut E, messages: Vec<Message>) -> Result<(), BusError> {
        let sealed: Vec<Vec<u8>> = messages.iter().filter_map(|message| self.sealer.seal(message)).collect();
        if sealed.is_empty() {
            return Ok(());
        }
        COUNTERS.bus_out.add(sealed.len());
        let sending = tokio::time::timeout(PUBLISH_TIMEOUT, engine.publish(sealed));
        sending.await.map_err(|_| BusError::Timeout)?
    }

    /// Takes a message of another node; returns what to answer.
    fn take(&mut self, wire: &[u8]) -> Vec<Message> {
        let Some(opened) = self.opener.open(wire) else {
            COUNTERS.bus_refused.add(1);
            // Whoever can send many could fill the log.
            if self.warned.is_none_or(|warned| warned.elapsed() > WARNING_INTERVAL) {
                self.warned = Some(Instant::now());
                tracing::warn!("a message on the bus that no node of this project sealed is refused");
            }
            return Vec::new();
        };
        if opened.node == self.sealer.node() {
            return Vec::new();
        }
        let mut answers = Vec::new();
        match self.peers.see(&opened) {
            Seen::Refused => {
                COUNTERS.bus_refused.add(1);
                return Vec::new();
            }
            Seen::InOrder => {}
            Seen::New => {
                tracing::info!(node = %opened.node, "another node is there");
                answers.push(Message::Hello { wants_state: true });
            }
            Seen::Back(lost) => {
                tracing::info!(node = %opened.node, lost, "another node is there again");
                answers.push(Message::Hello { wants_state: true });
                if lost > 0 {
                    self.gap.open();
                }
                if self.outlet.has_skipped() {
                    answers.push(Message::Gap);
                }
            }
            Seen::AfterGap(lost) => {
                self.gap.open();
                COUNTERS.bus_lost.add(usize::try_from(lost).unwrap_or(usize::MAX));
                tracing::warn!(node = %opened.node, lost, "messages of another node were lost");
                answers.push(Message::Hello { wants_state: true });
            }
        }
        self.gap.hear();
        self.outlet.set_peers(self.peers.count());
        COUNTERS.bus_in.add(1);
        match opened.message {
            Message::Hello { wants_state: true } => answers.extend(self.state()),
            Message::Hello { wants_state: false } => {}
            Message::Gap => self.gap.open(),
            Message::Bye => {
                self.peers.leave(opened.node);
                self.replica.drop_node(opened.node);
                self.outlet.set_peers(self.peers.count());
            }
            Message::Broadcast { topic, private, content } => {
                if let Some(content) = content.open() {
                    self.hub.broadcast(&Topic { name: topic, private }, None, content);
                }
            }
            message => self.replica.take(opened.node, message),
        }
        answers
    }

    /// This node's presence, as messages.
    fn state(&self) -> Vec<Message> {
        let entries = self.hub.own_presence();
        [Message::StateBegin].into_iter().chain(entries).chain([Message::StateEnd]).collect()
    }

    /// Drops nodes that have been silent for too long, and the presence of their clients.
    fn expire(&mut self) {
        for node in self.peers.expire(2 * HEARTBEAT_INTERVAL) {
            tracing::warn!(%node, "another node is gone");
            self.replica.drop_node(node);
        }
        self.outlet.set_peers(self.peers.count());
    }
}
