//! A node of the bus: sends the messages of this node and processes the messages of other nodes.

use std::time::Duration;

use cloch_core::Secret;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::encryption::{Opener, Sealer};
use super::peers::{Peers, Seen};
use super::replica::Replica;
use super::{BusError, Engine};
use crate::counters::COUNTERS;
use crate::hub::{Hub, Topic};
use crate::missed_messages::Gap;
use crate::peer_messages::{Message, Outgoing, Outlet};
use crate::project_limits::ProjectLimits;

const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Interval between checks for lost nodes, which send no heartbeats.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
const PUBLISH_TIMEOUT: Duration = Duration::from_secs(10);
/// Minimum interval between log messages about refused bus messages.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);
/// Message to clients if messages of other nodes may be missing.
const GAP_MESSAGE: &str = "Messages of other nodes may be missing: the connection between the nodes was interrupted";

pub(super) struct Node {
    hub: Hub,
    project: ProjectLimits,
    outlet: Outlet,
    sealer: Sealer,
    opener: Opener,
    peers: Peers,
    replica: Replica,
    gap: Gap,
    /// Time of the last log message about a refused bus message.
    warned: Option<Instant>,
}

impl Node {
    pub(super) fn new(key: &Secret, (hub, project): (Hub, ProjectLimits), outlet: Outlet) -> Self {
        Self {
            replica: Replica::new(hub.clone()),
            hub,
            project,
            outlet,
            sealer: Sealer::new(key),
            opener: Opener::new(key),
            peers: Peers::default(),
            gap: Gap::new(GAP_MESSAGE),
            warned: None,
        }
    }

    /// Marks the beginning of an outage of the bus engine, during which messages of other nodes are lost.
    pub(super) fn begin_absence(&mut self) {
        self.gap.begin_absence();
    }

    /// Exchanges messages with other nodes until `shutdown` or until the engine fails.
    pub(super) async fn serve<E: Engine>(
        &mut self,
        engine: &mut E,
        outgoing: &mut Outgoing,
        shutdown: &CancellationToken,
    ) -> Result<(), BusError> {
        self.peers.excuse();
        let hello = self.hello(true);
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
                    // A tick that is late by this much means that the process was suspended. Heartbeats of other nodes are still queued and
                    // must be read before a node counts as lost.
                    if last_tick.elapsed() > HEARTBEAT_INTERVAL {
                        tracing::warn!("realtime bus: the process of this node was suspended, messages of other nodes may be lost");
                        self.peers.excuse();
                    }
                    last_tick = Instant::now();
                    self.expire();
                    self.gap.tell(&self.hub);
                    if last_tick >= next_beat {
                        next_beat = last_tick + HEARTBEAT_INTERVAL;
                        let messages = self.beat();
                        self.publish(engine, messages).await?;
                    } else if self.outlet.has_peers() && self.project.has_news() {
                        let hello = self.hello(false);
                        self.publish(engine, vec![hello]).await?;
                    }
                }
            }
        }
    }

    /// Creates a heartbeat with the counts of this node for project-wide limits. If `wants_state` is true, the heartbeat also requests the
    /// presence of the other nodes' clients.
    fn hello(&self, wants_state: bool) -> Message {
        Message::Hello { wants_state, figures: Some(self.project.tell()) }
    }

    /// Creates a regular heartbeat. If the send queue has overflowed, also returns the message `Message::Gap` and the presence of all
    /// clients of this node. `Message::Gap` informs the other nodes that broadcasts were discarded.
    fn beat(&self) -> Vec<Message> {
        let hello = [self.hello(false)].into_iter();
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

    /// Processes an encrypted message of another node. Returns the messages that this node sends in response.
    fn take(&mut self, wire: &[u8]) -> Vec<Message> {
        let Some(opened) = self.opener.open(wire) else {
            COUNTERS.bus_refused.add(1);
            // The log message is rate-limited, so that an attacker who sends many messages cannot fill the log.
            if self.warned.is_none_or(|warned| warned.elapsed() > WARNING_INTERVAL) {
                self.warned = Some(Instant::now());
                tracing::warn!(
                    bytes = wire.len(),
                    "realtime bus: message refused, it is not encrypted with the key of this project: its sender is not a node of this project, \
                     or the sender's secrets.toml differs"
                );
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
                tracing::info!(node = %opened.node, "realtime bus: another node connected, exchanging messages with it");
                answers.push(self.hello(true));
            }
            Seen::Back(lost) => {
                tracing::info!(node = %opened.node, lost, "realtime bus: another node reconnected, exchanging messages with it again (lost: messages missed meanwhile)");
                answers.push(self.hello(true));
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
                tracing::warn!(node = %opened.node, lost, "realtime bus: messages of another node lost, clients are notified");
                answers.push(self.hello(true));
            }
        }
        self.gap.hear();
        self.outlet.set_peers(self.peers.count());
        COUNTERS.bus_in.add(1);
        match opened.message {
            Message::Hello { wants_state, figures } => {
                self.project.hear(opened.node, figures.unwrap_or_default());
                if wants_state {
                    answers.extend(self.state());
                }
            }
            Message::Gap => self.gap.open(),
            Message::Bye => {
                self.peers.leave(opened.node);
                self.drop_node(opened.node);
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

    /// Returns the presence of this node's clients as messages to the other nodes.
    fn state(&self) -> Vec<Message> {
        let entries = self.hub.own_presence();
        [Message::StateBegin].into_iter().chain(entries).chain([Message::StateEnd]).collect()
    }

    /// Removes the presence entries and the counted sockets of a lost node.
    fn drop_node(&mut self, node: Uuid) {
        self.replica.drop_node(node);
        self.project.forget(node);
    }

    /// Removes nodes that have sent no message for too long, and the presence of their clients.
    pub(super) fn expire(&mut self) {
        for node in self.peers.expire(2 * HEARTBEAT_INTERVAL) {
            tracing::warn!(%node, "realtime bus: node lost, no heartbeat: presence of its clients removed");
            self.drop_node(node);
        }
        self.outlet.set_peers(self.peers.count());
    }
}
