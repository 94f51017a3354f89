//! Copy of the presence of clients that are connected to other nodes.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::hub::{Hub, Topic};
use crate::peer_messages::Message;
use crate::presence::MemberId;

/// Maximum number of presence entries that are copied from one node.
const MAX_ENTRIES: usize = 200_000;

pub(super) struct Replica {
    hub: Hub,
    nodes: HashMap<Uuid, Entries>,
}

#[derive(Default)]
struct Entries {
    /// All known presence entries of one other node: topic and member number.
    all: HashSet<(Topic, u64)>,
    /// Presence entries that the other node has sent since its last message `StateBegin`. `None` if the other node is not sending all its
    /// presence entries at this time.
    renewed: Option<HashSet<(Topic, u64)>>,
}

impl Replica {
    pub(super) fn new(hub: Hub) -> Self {
        Self { hub, nodes: HashMap::new() }
    }

    pub(super) fn take(&mut self, node: Uuid, message: Message) {
        let entries = self.nodes.entry(node).or_default();
        match message {
            Message::Track { topic, private, member, key, reference, payload } => {
                let topic = Topic { name: topic, private };
                let entry = (topic.clone(), member);
                if !entries.all.contains(&entry) && entries.all.len() >= MAX_ENTRIES {
                    return;
                }
                if let Some(renewed) = &mut entries.renewed {
                    renewed.insert(entry.clone());
                }
                entries.all.insert(entry);
                self.hub.track_remote(&topic, MemberId::remote(node, member), &key, reference, payload);
            }
            Message::Untrack { topic, private, member } => {
                let topic = Topic { name: topic, private };
                entries.all.remove(&(topic.clone(), member));
                self.hub.untrack_remote(&topic, MemberId::remote(node, member));
            }
            Message::StateBegin => entries.renewed = Some(HashSet::new()),
            Message::StateEnd => {
                let Some(renewed) = entries.renewed.take() else { return };
                let gone: Vec<_> = entries.all.difference(&renewed).cloned().collect();
                for (topic, member) in &gone {
                    self.hub.untrack_remote(topic, MemberId::remote(node, *member));
                }
                entries.all = renewed;
            }
            Message::Hello { .. } | Message::Bye | Message::Gap | Message::Broadcast { .. } => {}
        }
    }

    pub(super) fn drop_node(&mut self, node: Uuid) {
        for (topic, member) in self.nodes.remove(&node).unwrap_or_default().all {
            self.hub.untrack_remote(&topic, MemberId::remote(node, member));
        }
    }
}
