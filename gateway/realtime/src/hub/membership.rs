//! Membership of a channel in its topic, including the presence of the channel's client.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Hears, Hub, Topic, track_message};
use crate::budget::OverBudget;
use crate::frame::{Content, Shared};
use crate::peer_messages::Message;
use crate::presence::{self, MemberId, Size};

/// Estimated bytes of memory per byte of the JSON of a presence payload. Each JSON value is a separate allocation.
const PRESENCE_MEMORY_FACTOR: usize = 8;

/// Error: the presence of the topic has reached its maximum size, or the socket has reached its memory limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PresenceFull;

/// A channel's membership in a topic. Dropping the value removes the member and its presence from the topic.
#[derive(Debug)]
pub(crate) struct Membership {
    pub(super) hub: Hub,
    pub(super) topic: Topic,
    pub(super) id: MemberId,
}

impl Membership {
    pub(crate) fn topic(&self) -> &Topic {
        &self.topic
    }

    /// Sends a broadcast of this member to the other members of the topic on every node.
    pub(crate) fn broadcast(&self, content: Content) {
        self.hub.publish(&self.topic, Some(self.id), content);
    }

    pub(crate) fn set_hears(&self, hears: Hears) {
        if let Some(member) = self.hub.rooms().get_mut(&self.topic).and_then(|room| room.members.get_mut(&self.id)) {
            member.hears = hears;
        }
    }

    /// Sets the presence payload of this member under a presence key. `bytes` is the length of the payload's JSON.
    pub(crate) fn track(&self, key: &str, payload: Map<String, Value>, bytes: usize) -> Result<(), PresenceFull> {
        let mut rooms = self.hub.rooms();
        let Some(room) = rooms.get_mut(&self.topic) else { return Ok(()) };
        let bytes = bytes + key.len();
        if room.presence.bytes_without(self.id, key) + bytes > self.hub.max_presence {
            return Err(PresenceFull);
        }
        let Some(member) = room.members.get(&self.id) else { return Ok(()) };
        let held = member.outbox.account.hold(bytes * PRESENCE_MEMORY_FACTOR).map_err(|OverBudget| PresenceFull)?;
        let reference = presence::reference();
        if self.hub.outlet.has_peers() {
            let message = track_message(&self.topic, self.id, key, &reference, &payload);
            self.hub.outlet.send(message, bytes + self.topic.name.len());
        }
        if let Some(diff) = room.presence.track(self.id, key, reference, (payload, Size { bytes, _held: Some(held) })) {
            room.send_presence(&self.topic, diff, &self.hub.budget);
        }
        Ok(())
    }

    pub(crate) fn untrack(&self) {
        if let Some(room) = self.hub.rooms().get_mut(&self.topic)
            && let Some(diff) = room.presence.untrack(self.id)
        {
            room.send_presence(&self.topic, diff, &self.hub.budget);
            self.tell_nodes_of_untrack();
        }
    }

    fn tell_nodes_of_untrack(&self) {
        let Topic { name, private } = self.topic.clone();
        if self.hub.outlet.has_peers() {
            let bytes = name.len();
            self.hub.outlet.send(Message::Untrack { topic: name, private, member: self.id.number() }, bytes);
        }
    }

    /// Sends the presence of the topic to this member, and presence changes from now on. Both happen under one lock, so that no change is
    /// lost or sent twice.
    pub(crate) fn send_presence_state(&self) {
        let mut rooms = self.hub.rooms();
        let Some(room) = rooms.get_mut(&self.topic) else { return };
        let topic = &self.topic;
        let shared = room.presence.state(|state| {
            Shared::new(topic.full_name(), Content::RawEvent("presence_state", state), Arc::clone(&self.hub.budget))
        });
        if let Some(member) = room.members.get_mut(&self.id) {
            member.hears.presence = true;
            member.outbox.send_shared(&shared);
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let mut rooms = self.hub.rooms();
        let Some(room) = rooms.get_mut(&self.topic) else { return };
        room.members.remove(&self.id);
        if let Some(diff) = room.presence.untrack(self.id) {
            room.send_presence(&self.topic, diff, &self.hub.budget);
            self.tell_nodes_of_untrack();
        }
        if room.is_empty() {
            rooms.remove(&self.topic);
        }
    }
}
