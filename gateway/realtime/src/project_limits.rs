//! Project-wide limits: open sockets, joins and messages of all nodes together.
//!
//! Each node decides alone, so that no request waits for another node. The node uses its own counts and the last counts that the other nodes
//! have sent ([`Figures`], sent with each heartbeat of the bus and after each second in which they changed). So the limits are approximate.
//! They can be exceeded by the amounts that the other nodes have admitted since they last sent their counts:
//!
//! - Sockets: at most the limit, plus the sockets that each other node opened within one interval (a second, and the delay of the bus).
//!   Excess sockets are not closed. New sockets are refused until the total is below the limit.
//! - Joins and messages: in any `t` seconds at most `limit * (t + 1)`, plus the amount that each other node admitted within one interval,
//!   which is at most `2 * limit`.
//!
//! A node of an earlier version sends no counts, so its counts are zero. The counts of a node are removed when the node stops or sends no
//! heartbeat for two intervals. Nodes that cannot reach each other for longer count separately.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::counters::COUNTERS;
use super::limits::RealtimeLimits;
use super::shared_rate::{Exceeded, SharedRate};

/// Counts of a node for project-wide limits, which the node sends to the other nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Figures {
    pub(super) sockets: u32,
    /// Number of joins since the node last sent its counts.
    pub(super) joins: u32,
    /// Number of messages since the node last sent its counts.
    pub(super) messages: u32,
}

/// Project-wide limits and the current counts. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct ProjectLimits(Arc<Mutex<Counts>>);

#[derive(Debug)]
struct Counts {
    /// Maximum number of sockets on all nodes. Zero means no limit.
    max_sockets: u32,
    sockets: u32,
    /// Number of open sockets that this node last sent to the other nodes.
    told_sockets: u32,
    /// Number of open sockets of each other node.
    others: HashMap<Uuid, u32>,
    joins: SharedRate,
    messages: SharedRate,
}

/// Permit of an open socket. The socket is counted until the permit is dropped.
#[derive(Debug)]
pub(super) struct Place(ProjectLimits);

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.0.counts();
        counts.sockets = counts.sockets.saturating_sub(1);
    }
}

impl ProjectLimits {
    pub(super) fn new(limits: &RealtimeLimits) -> Self {
        Self::of(limits.project_sockets, limits.project_joins_per_second, limits.project_messages_per_second)
    }

    fn of(max_sockets: u32, joins_per_second: u32, messages_per_second: u32) -> Self {
        let now = Instant::now();
        Self(Arc::new(Mutex::new(Counts {
            max_sockets,
            sockets: 0,
            told_sockets: 0,
            others: HashMap::new(),
            joins: SharedRate::new(joins_per_second, now),
            messages: SharedRate::new(messages_per_second, now),
        })))
    }

    /// Replaces the limits. Keeps the current counts.
    pub(super) fn set(&self, limits: &RealtimeLimits) {
        self.set_to(limits.project_sockets, limits.project_joins_per_second, limits.project_messages_per_second);
    }

    fn set_to(&self, max_sockets: u32, joins_per_second: u32, messages_per_second: u32) {
        let mut counts = self.counts();
        counts.max_sockets = max_sockets;
        counts.joins.set_limit(joins_per_second);
        counts.messages.set_limit(messages_per_second);
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a new socket until the returned permit is dropped. `None` if the limit of sockets is reached.
    pub(super) fn open_socket(&self) -> Option<Place> {
        let mut counts = self.counts();
        if counts.max_sockets > 0 && counts.all_sockets() >= u64::from(counts.max_sockets) {
            COUNTERS.project_refusals.add(1);
            return None;
        }
        counts.sockets = counts.sockets.saturating_add(1);
        Some(Place(self.clone()))
    }

    /// Counts a join. If the rate limit of joins is reached, returns false and does not count the join.
    pub(super) fn try_join(&self) -> bool {
        noted(self.counts().joins.take(1, Instant::now())).is_ok()
    }

    /// Counts `messages` messages. If they exceed the rate limit, returns an error and counts none of them.
    pub(super) fn try_send(&self, messages: usize) -> Result<(), Exceeded> {
        let amount = u32::try_from(messages).unwrap_or(u32::MAX);
        noted(self.counts().messages.take(amount, Instant::now()))
    }

    /// Whether this node has to send its counts before the next heartbeat: a project-wide limit is set, and the counts have changed since
    /// they were last sent.
    pub(super) fn has_news(&self) -> bool {
        let counts = self.counts();
        let is_limited = counts.max_sockets > 0 || counts.joins.is_limited() || counts.messages.is_limited();
        let has_changed =
            counts.sockets != counts.told_sockets || counts.joins.has_untold() || counts.messages.has_untold();
        is_limited && has_changed
    }

    /// Returns the counts to send to the other nodes, and resets the numbers of joins and messages. The calling function must send the
    /// returned counts exactly once, because each other node adds the joins and messages to its own counts.
    pub(super) fn tell(&self) -> Figures {
        let mut counts = self.counts();
        counts.told_sockets = counts.sockets;
        Figures { sockets: counts.sockets, joins: counts.joins.tell(), messages: counts.messages.tell() }
    }

    pub(super) fn hear(&self, node: Uuid, figures: Figures) {
        let mut counts = self.counts();
        counts.others.insert(node, figures.sockets);
        let (nodes, now) = (u32::try_from(counts.others.len() + 1).unwrap_or(u32::MAX), Instant::now());
        counts.joins.charge(figures.joins, nodes, now);
        counts.messages.charge(figures.messages, nodes, now);
    }

    /// Removes the counted sockets of a lost node.
    pub(super) fn forget(&self, node: Uuid) {
        self.counts().others.remove(&node);
    }
}

impl Counts {
    fn all_sockets(&self) -> u64 {
        let others = self.others.values().map(|sockets| u64::from(*sockets));
        others.fold(u64::from(self.sockets), u64::saturating_add)
    }
}

fn noted(taken: Result<(), Exceeded>) -> Result<(), Exceeded> {
    if taken.is_err() {
        COUNTERS.project_refusals.add(1);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_of_all_nodes_count_until_they_or_their_node_are_gone() {
        let (here, first, second) = (ProjectLimits::of(4, 0, 0), Uuid::new_v4(), Uuid::new_v4());
        let place = here.open_socket().unwrap();
        here.hear(first, Figures { sockets: 2, ..Figures::default() });
        here.hear(second, Figures { sockets: 1, ..Figures::default() });
        assert!(here.open_socket().is_none());
        here.hear(second, Figures::default());
        let other = here.open_socket().unwrap();
        assert!(here.open_socket().is_none());
        here.forget(first);
        drop(other);
        let places = [here.open_socket().unwrap(), here.open_socket().unwrap(), here.open_socket().unwrap()];
        assert!(here.open_socket().is_none());
        drop((place, places));
        assert_eq!(here.counts().all_sockets(), 0);
    }

    #[test]
    fn figures_are_told_once_and_only_if_there_is_something_new() {
        let here = ProjectLimits::of(10, 10, 10);
        assert!(!here.has_news());
        let place = here.open_socket();
        assert!(here.try_join() && here.try_send(3).is_ok() && here.has_news());
        assert_eq!(here.tell(), Figures { sockets: 1, joins: 1, messages: 3 });
        assert!(!here.has_news());
        assert_eq!(here.tell(), Figures { sockets: 1, joins: 0, messages: 0 });
        drop(place);
        assert!(here.has_news());
        let unlimited = ProjectLimits::of(0, 0, 0);
        let _place = unlimited.open_socket();
        assert!(unlimited.try_join() && !unlimited.has_news(), "the next heartbeat is soon enough");
        assert_eq!(unlimited.tell(), Figures { sockets: 1, joins: 1, messages: 0 }, "another node may have limits");
    }

    #[test]
    fn joins_and_messages_of_others_use_up_what_is_here() {
        let (here, there) = (ProjectLimits::of(0, 1_000, 1_000), Uuid::new_v4());
        here.hear(there, Figures { sockets: 9, joins: u32::MAX, messages: 0 });
        assert!(!here.try_join() && here.try_send(1).is_ok());
        here.hear(there, Figures { sockets: 9, joins: 0, messages: u32::MAX });
        assert_eq!(here.try_send(1), Err(Exceeded::Rate));
        assert!(here.open_socket().is_some(), "sockets have no limit here");
    }

    #[test]
    fn other_limits_count_what_was_counted() {
        let here = ProjectLimits::of(0, 0, 0);
        let _place = here.open_socket().unwrap();
        here.set_to(1, 0, 2);
        assert!(here.open_socket().is_none());
        assert_eq!((here.try_send(3), here.try_send(2)), (Err(Exceeded::Amount), Ok(())));
        here.set_to(0, 0, 2);
        assert!(here.open_socket().is_some());
    }

    #[test]
    fn more_at_once_than_the_limit_never_fits() {
        let here = ProjectLimits::of(0, 0, 5);
        assert_eq!(here.try_send(6), Err(Exceeded::Amount));
        assert!(here.try_send(5).is_ok());
    }
}
