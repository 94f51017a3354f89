//! Topics of this node and their members ([`membership`]). A member receives messages through the outbox of its socket ([`outbox`]).
//! Broadcasts to all members of a topic are delivered by [`fanout`].

mod fanout;
mod membership;
mod outbox;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};

use super::budget::Budget;
use super::frame::{Content, Shared};
use super::peer_messages::{self, Outlet, Sent};
use super::presence::{MemberId, Presence, Size};

use fanout::{ThreadNumber, Threads};
pub(super) use membership::{Membership, PresenceFull};
pub(super) use outbox::{Outbox, Queued};

/// Prefix of topic names in frames.
pub(super) const TOPIC_PREFIX: &str = "realtime:";

/// A topic, whose members receive the same broadcasts. A public and a private channel with the same name belong to two topics.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Topic {
    /// Topic name without [`TOPIC_PREFIX`].
    pub(super) name: String,
    pub(super) private: bool,
}

impl Topic {
    /// Returns the topic name with [`TOPIC_PREFIX`], as in frames.
    pub(super) fn full_name(&self) -> String {
        format!("{TOPIC_PREFIX}{}", self.name)
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hears {
    pub(super) broadcasts: bool,
    pub(super) own_broadcasts: bool,
    pub(super) presence: bool,
}

#[derive(Debug)]
struct Member {
    outbox: Outbox,
    hears: Hears,
    /// Thread that serves the member's socket. `None` outside of a Tokio runtime.
    thread: Option<ThreadNumber>,
}

#[derive(Debug, Default)]
struct Room {
    members: HashMap<MemberId, Member>,
    presence: Presence,
}

impl Room {
    fn is_empty(&self) -> bool {
        self.members.is_empty() && self.presence.is_empty()
    }

    /// Returns the members of the topic that receive a broadcast. `from` is the member that sent the broadcast, or `None` for the server.
    fn hearers(&self, from: Option<MemberId>) -> impl Iterator<Item = &Member> {
        let hears = move |(id, member): &(&MemberId, &Member)| {
            member.hears.broadcasts && (from != Some(**id) || member.hears.own_broadcasts)
        };
        self.members.iter().filter(hears).map(|(_, member)| member)
    }

    fn send_presence(&self, topic: &Topic, diff: Value, budget: &Arc<Budget>) {
        let shared = Shared::new(topic.full_name(), Content::Event("presence_diff", diff), Arc::clone(budget));
        for member in self.members.values().filter(|member| member.hears.presence) {
            member.outbox.send_shared(&shared);
        }
    }
}

/// Topics of this node with their members. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Hub {
    rooms: Arc<Mutex<HashMap<Topic, Room>>>,
    threads: Arc<Threads>,
    budget: Arc<Budget>,
    /// Maximum size of the presence of one topic, in bytes.
    max_presence: usize,
    outlet: Outlet,
}

impl Hub {
    pub(super) fn new(budget: Arc<Budget>, max_presence: usize, outlet: Outlet) -> Self {
        Self { rooms: Arc::default(), threads: Arc::default(), budget, max_presence, outlet }
    }

    pub(super) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Adds a member to a topic. `hears` contains the kinds of messages that the member receives. The member is removed when the returned
    /// value is dropped.
    pub(super) fn enter(&self, topic: Topic, outbox: Outbox, hears: Hears) -> Membership {
        let (id, thread) = (MemberId::new(), self.thread_number());
        self.rooms().entry(topic.clone()).or_default().members.insert(id, Member { outbox, hears, thread });
        Membership { hub: self.clone(), topic, id }
    }

    /// Sends a message to the members of a topic on every node.
    pub(super) fn publish(&self, topic: &Topic, from: Option<MemberId>, content: Content) {
        if !self.outlet.has_peers() {
            if Sent::is_for_peers(&content) {
                self.outlet.skip();
            }
        } else if let Some(content) = Sent::of(&content) {
            let bytes = content.len() + topic.name.len();
            let Topic { name, private } = topic.clone();
            self.outlet.send(peer_messages::Message::Broadcast { topic: name, private, content }, bytes);
        }
        self.broadcast(topic, from, content);
    }

    /// Sends the notification `message` about possibly missing broadcasts to all members on this node that receive broadcasts.
    pub(super) fn tell_gap(&self, message: &str) {
        for (topic, room) in self.rooms().iter() {
            let payload =
                json!({ "extension": "system", "status": "error", "message": message, "channel": topic.name });
            let shared = Shared::new(topic.full_name(), Content::Event("system", payload), Arc::clone(&self.budget));
            for member in room.members.values().filter(|member| member.hears.broadcasts) {
                member.outbox.send_shared(&shared);
            }
        }
    }

    pub(super) fn has(&self, topic: &Topic) -> bool {
        self.rooms().get(topic).is_some_and(|room| !room.members.is_empty())
    }

    /// Returns the presence of this node's members as messages to the other nodes, which store a copy of it.
    pub(super) fn own_presence(&self) -> Vec<peer_messages::Message> {
        let rooms = self.rooms();
        let of_room = |(topic, room): (&Topic, &Room)| -> Vec<peer_messages::Message> {
            let message = |(member, key, reference, payload)| track_message(topic, member, key, reference, payload);
            room.presence.own().map(message).collect()
        };
        rooms.iter().flat_map(of_room).collect()
    }

    /// Sets the presence payload of a member that is connected to another node.
    pub(super) fn track_remote(
        &self,
        topic: &Topic,
        member: MemberId,
        key: &str,
        reference: String,
        payload: Map<String, Value>,
    ) {
        let bytes = key.len() + json!(payload).to_string().len();
        let mut rooms = self.rooms();
        let room = rooms.entry(topic.clone()).or_default();
        if room.presence.bytes_without(member, key) + bytes > self.max_presence {
            tracing::warn!(
                topic = topic.name,
                "realtime: presence limit of a channel exceeded, presence of a client on another node ignored: clients of this node do not see it"
            );
        } else if let Some(diff) = room.presence.track(member, key, reference, (payload, Size { bytes, _held: None })) {
            room.send_presence(topic, diff, &self.budget);
        }
        if room.is_empty() {
            rooms.remove(topic);
        }
    }

    /// Removes the presence of a member that is connected to another node.
    pub(super) fn untrack_remote(&self, topic: &Topic, member: MemberId) {
        let mut rooms = self.rooms();
        let Some(room) = rooms.get_mut(topic) else { return };
        if let Some(diff) = room.presence.untrack(member) {
            room.send_presence(topic, diff, &self.budget);
        }
        if room.is_empty() {
            rooms.remove(topic);
        }
    }
}

/// Creates the message with which this node sends the presence of one of its members to the other nodes.
fn track_message(
    topic: &Topic,
    member: MemberId,
    key: &str,
    reference: &str,
    payload: &Map<String, Value>,
) -> peer_messages::Message {
    peer_messages::Message::Track {
        topic: topic.name.clone(),
        private: topic.private,
        member: member.number(),
        key: key.to_owned(),
        reference: reference.to_owned(),
        payload: payload.clone(),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn in_a_full_topic_a_member_of_another_node_may_change_its_presence_and_none_may_come() {
        let hub = Hub::new(Budget::new(1_000, 1_000), 100, peer_messages::outlet().0);
        let topic = Topic { name: "room".to_owned(), private: false };
        let track = |number, text: &str| {
            let payload = json!({ "t": text }).as_object().cloned().unwrap_or_default();
            hub.track_remote(&topic, MemberId::remote(Uuid::nil(), number), "k", "r".to_owned(), payload);
            hub.rooms().get(&topic).map(|room| room.presence.bytes())
        };
        // Size of a presence entry: the presence key (1 byte), and `{"t":""}` around the text (8 bytes).
        let bytes = |text: &str| Some(1 + 8 + text.len());
        let (first, then) = ("x".repeat(70), "y".repeat(60));
        assert_eq!(track(1, &first), bytes(&first));
        assert_eq!(track(1, &then), bytes(&then));
        assert_eq!(track(2, &then), bytes(&then));
    }
}
