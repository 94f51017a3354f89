//! Other nodes on the bus: time and number of the last message of each node.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use super::encryption::{Opened, now};

/// Maximum age of a bus message in milliseconds. Older messages are refused, so the clocks of two nodes may differ by at most this time.
const MAX_AGE_MS: u64 = 60_000;
/// Time for which the last message number of a lost node is kept, so that repeated copies of its messages are refused. Longer than
/// [`MAX_AGE_MS`].
const REMEMBER_TIME: Duration = Duration::from_secs(180);

/// Classification of a bus message by its sending node, its number and its age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// First message of an unknown node.
    New,
    /// First message of a node after it was lost. Contains the number of messages of this node that were not received in the meantime.
    Back(u64),
    InOrder,
    /// Message after a gap in the message numbers of a node. Contains the number of missing messages.
    AfterGap(u64),
    /// Duplicate message, or message older than [`MAX_AGE_MS`].
    Refused,
}

#[derive(Debug, Default)]
pub(super) struct Peers(HashMap<Uuid, Peer>);

#[derive(Debug)]
struct Peer {
    heard: Instant,
    number: u64,
    is_alive: bool,
}

impl Peers {
    pub(super) fn see(&mut self, opened: &Opened) -> Seen {
        if now().abs_diff(opened.at) > MAX_AGE_MS {
            return Seen::Refused;
        }
        let (heard, number) = (Instant::now(), opened.number);
        let Some(peer) = self.0.get_mut(&opened.node) else {
            self.0.insert(opened.node, Peer { heard, number, is_alive: true });
            return Seen::New;
        };
        if number <= peer.number {
            return Seen::Refused;
        }
        let lost = number - peer.number - 1;
        let was_alive = peer.is_alive;
        *peer = Peer { heard, number, is_alive: true };
        match (was_alive, lost) {
            (false, lost) => Seen::Back(lost),
            (true, 0) => Seen::InOrder,
            (true, lost) => Seen::AfterGap(lost),
        }
    }

    /// Marks a node that announced its shutdown as not alive.
    pub(super) fn leave(&mut self, node: Uuid) {
        if let Some(peer) = self.0.get_mut(&node) {
            peer.is_alive = false;
        }
    }

    /// Marks nodes that have sent no message for the time `silence` as not alive. Returns their ids.
    pub(super) fn expire(&mut self, silence: Duration) -> Vec<Uuid> {
        self.0.retain(|_, peer| peer.is_alive || peer.heard.elapsed() < REMEMBER_TIME);
        let silent = self.0.iter_mut().filter(|(_, peer)| peer.is_alive && peer.heard.elapsed() > silence);
        silent
            .map(|(node, peer)| {
                peer.is_alive = false;
                *node
            })
            .collect()
    }

    /// Restarts the heartbeat timeout of all other nodes. Called after a time in which this node could not receive messages.
    pub(super) fn excuse(&mut self) {
        self.0.values_mut().filter(|peer| peer.is_alive).for_each(|peer| peer.heard = Instant::now());
    }

    pub(super) fn count(&self) -> usize {
        self.0.values().filter(|peer| peer.is_alive).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer_messages::Message;

    fn message(node: Uuid, number: u64) -> Opened {
        Opened { node, number, at: now(), message: Message::Bye }
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_taken_is_not_taken_again() {
        let (mut peers, node) = (Peers::default(), Uuid::new_v4());
        let see = |peers: &mut Peers, number| peers.see(&message(node, number));
        assert_eq!(see(&mut peers, 5), Seen::New);
        assert_eq!(see(&mut peers, 6), Seen::InOrder);
        assert_eq!(see(&mut peers, 6), Seen::Refused);
        assert_eq!(see(&mut peers, 9), Seen::AfterGap(2));
        assert_eq!(see(&mut peers, 8), Seen::Refused);
        let old = Opened { at: now() - MAX_AGE_MS - 1_000, ..message(node, 10) };
        assert_eq!(peers.see(&old), Seen::Refused);
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_node_is_lost_and_comes_back() {
        let (mut peers, node) = (Peers::default(), Uuid::new_v4());
        peers.see(&message(node, 1));
        assert_eq!(peers.count(), 1);
        let silence = Duration::from_secs(10);
        tokio::time::advance(Duration::from_secs(8)).await;
        peers.excuse();
        tokio::time::advance(Duration::from_secs(8)).await;
        assert!(peers.expire(silence).is_empty());
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(peers.expire(silence), [node]);
        assert_eq!((peers.count(), peers.expire(silence).len()), (0, 0));
        assert_eq!(peers.see(&message(node, 1)), Seen::Refused);
        assert_eq!(peers.see(&message(node, 7)), Seen::Back(5));
    }
}
