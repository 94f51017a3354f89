//! Presence of a topic: for each presence key, the payloads that clients with this key have tracked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::budget::Held;
use super::frame::{RawJson, Shared};

/// Identifies one joined channel of one socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MemberId {
    /// Node to which the member's client is connected. `None` for this node.
    node: Option<Uuid>,
    number: u64,
}

impl MemberId {
    /// Creates the id of a new member of this node.
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self { node: None, number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// Creates the id of a member of another node from its number on that node.
    pub(super) fn remote(node: Uuid, number: u64) -> Self {
        Self { node: Some(node), number }
    }

    pub(super) fn number(self) -> u64 {
        self.number
    }
}

#[derive(Debug, Default)]
pub(super) struct Presence {
    keys: BTreeMap<String, Vec<Entry>>,
    bytes: usize,
    /// Cached `presence_state` message. `None` if the presence has changed since the message was built.
    state: Option<Arc<Shared>>,
}

#[derive(Debug)]
struct Entry {
    member: MemberId,
    reference: String,
    payload: Map<String, Value>,
    /// JSON of the payload with its `phx_ref`, as in the `presence_state` message. Cached, because that message is built again after every
    /// change of any entry.
    meta: Box<RawValue>,
    size: Size,
}

/// Entries of one presence key in a `presence_state` message.
#[derive(Serialize)]
struct Metas<'a> {
    metas: Vec<&'a RawValue>,
}

/// Size of a presence entry, and the value that counts the entry's memory.
#[derive(Debug)]
pub(super) struct Size {
    /// Length of the entry's JSON in bytes.
    pub(super) bytes: usize,
    /// Counts the entry towards the memory of its socket. `None` for the entry of a client on another node, because that
    /// node counts the memory.
    pub(super) _held: Option<Held>,
}

impl<'a> Metas<'a> {
    fn of(entries: &'a [Entry]) -> Self {
        Self { metas: entries.iter().map(|entry| &*entry.meta).collect() }
    }
}

impl Entry {
    fn new(member: MemberId, reference: String, payload: Map<String, Value>, size: Size) -> Self {
        let meta = RawJson::write(&meta(&payload, &reference, None)).into_raw();
        Self { member, reference, payload, meta, size }
    }

    fn meta(&self, previous: Option<&str>) -> Value {
        meta(&self.payload, &self.reference, previous)
    }
}

fn meta(payload: &Map<String, Value>, reference: &str, previous: Option<&str>) -> Value {
    let mut meta = payload.clone();
    meta.insert("phx_ref".to_owned(), reference.into());
    if let Some(previous) = previous {
        meta.insert("phx_ref_prev".to_owned(), previous.into());
    }
    Value::Object(meta)
}

impl Presence {
    /// Sets the payload of a member under a presence key. Replaces the previous payload. Returns the `presence_diff` payload to send to the
    /// members, or `None` if nothing changed.
    ///
    /// As in Phoenix, the replacement of a payload is one diff that contains the leave of the old payload and the join of the new payload.
    /// The member is therefore never absent. (After a diff that contains a leave and a join of the same presence key, supabase-js 2.104 to
    /// 2.110 does not remove the old payload from its state. The same happens with Supabase's Realtime server.)
    ///
    /// `reference` is the `phx_ref` of the new payload.
    pub(super) fn track(
        &mut self,
        member: MemberId,
        key: &str,
        reference: String,
        (payload, size): (Map<String, Value>, Size),
    ) -> Option<Value> {
        let entries = self.keys.entry(key.to_owned()).or_default();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.member == member) {
            if entry.payload == payload {
                return None;
            }
            self.state = None;
            self.bytes = (self.bytes + size.bytes).saturating_sub(entry.size.bytes);
            let old = std::mem::replace(entry, Entry::new(member, reference, payload, size));
            let joins = json!({ key: { "metas": [entry.meta(Some(&old.reference))] } });
            let leaves = json!({ key: { "metas": [old.meta(None)] } });
            return Some(json!({ "joins": joins, "leaves": leaves }));
        }
        self.state = None;
        self.bytes += size.bytes;
        let entry = Entry::new(member, reference, payload, size);
        let joins = json!({ key: { "metas": [entry.meta(None)] } });
        entries.push(entry);
        Some(json!({ "joins": joins, "leaves": {} }))
    }

    /// Returns the size in bytes of the topic's presence without the entry of a member under a presence key.
    pub(super) fn bytes_without(&self, member: MemberId, key: &str) -> usize {
        let own = self.keys.get(key).and_then(|entries| entries.iter().find(|entry| entry.member == member));
        self.bytes.saturating_sub(own.map_or(0, |entry| entry.size.bytes))
    }

    /// Removes the presence entries of a member. Returns the `presence_diff` payload to send to the members, or `None` if the member had no
    /// entries.
    pub(super) fn untrack(&mut self, member: MemberId) -> Option<Value> {
        let (mut left, mut bytes) = (Map::new(), 0);
        self.keys.retain(|key, entries| {
            if let Some(at) = entries.iter().position(|entry| entry.member == member) {
                let entry = entries.remove(at);
                bytes += entry.size.bytes;
                left.insert(key.clone(), json!({ "metas": [entry.meta(None)] }));
            }
            !entries.is_empty()
        });
        if !left.is_empty() {
            self.state = None;
            self.bytes = self.bytes.saturating_sub(bytes);
        }
        (!left.is_empty()).then(|| json!({ "joins": {}, "leaves": left }))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the presence entries of members that are connected to this node: member, presence key, `phx_ref` and payload.
    pub(super) fn own(&self) -> impl Iterator<Item = (MemberId, &str, &str, &Map<String, Value>)> {
        let all = self.keys.iter().flat_map(|(key, entries)| entries.iter().map(move |entry| (key, entry)));
        all.filter(|(_, entry)| entry.member.node.is_none())
            .map(|(key, entry)| (entry.member, key.as_str(), entry.reference.as_str(), &entry.payload))
    }

    /// Returns the `presence_state` message with all entries. The message is built with `message` only if the presence has changed since the
    /// last call.
    pub(super) fn state(&mut self, message: impl FnOnce(RawJson) -> Shared) -> Arc<Shared> {
        if let Some(state) = &self.state {
            return Arc::clone(state);
        }
        let state = Arc::new(message(self.metas()));
        self.state = Some(Arc::clone(&state));
        state
    }

    /// Serialises all presence entries as `{key: {metas: […]}}`.
    fn metas(&self) -> RawJson {
        let keys: BTreeMap<&str, Metas<'_>> =
            self.keys.iter().map(|(key, entries)| (key.as_str(), Metas::of(entries))).collect();
        RawJson::write(&keys)
    }
}

/// Creates the `phx_ref` of a presence payload. The reference is random, so that it reveals nothing about the traffic of other topics.
pub(super) fn reference() -> String {
    Uuid::new_v4().simple().to_string()
}

#[cfg(test)]
mod tests {
    use super::super::budget::Budget;
    use super::*;

    fn size(bytes: usize) -> Size {
        Size { bytes, _held: Some(Budget::new(1_000, 1_000).open().hold(bytes).unwrap()) }
    }

    fn shown(presence: &Presence) -> Value {
        presence.metas().value(usize::MAX).unwrap()
    }

    fn payload(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_same_again_is_no_news() {
        let mut presence = Presence::default();
        let member = MemberId::new();
        assert!(presence.untrack(member).is_none());
        assert!(presence.track(member, "a", reference(), (payload(json!({ "n": 1 })), size(1))).is_some());
        assert!(presence.track(member, "a", reference(), (payload(json!({ "n": 1 })), size(1))).is_none());
    }

    #[test]
    fn a_change_is_one_difference_with_a_leave_and_a_join_that_names_it() {
        let mut presence = Presence::default();
        let member = MemberId::new();
        let first = presence.track(member, "a", reference(), (payload(json!({ "n": 1 })), size(1))).unwrap();
        let second = presence.track(member, "a", reference(), (payload(json!({ "n": 2 })), size(1))).unwrap();
        let before = &first["joins"]["a"]["metas"][0]["phx_ref"];
        assert_eq!(&second["leaves"]["a"]["metas"][0]["phx_ref"], before);
        assert_eq!(&second["joins"]["a"]["metas"][0]["phx_ref_prev"], before);
        assert_eq!(second["joins"]["a"]["metas"][0]["n"], 2);
    }

    #[test]
    fn two_sockets_share_a_key() {
        let mut presence = Presence::default();
        let (one, two) = (MemberId::new(), MemberId::new());
        presence.track(one, "a", reference(), (payload(json!({ "tab": 1 })), size(3)));
        presence.track(two, "a", reference(), (payload(json!({ "tab": 2 })), size(4)));
        assert_eq!(shown(&presence)["a"]["metas"].as_array().unwrap().len(), 2);
        assert_eq!((presence.bytes, presence.bytes_without(one, "a")), (7, 4));
        // The second payload of this member replaces its first payload.
        presence.track(one, "a", reference(), (payload(json!({ "tab": 3 })), size(5)));
        assert_eq!((presence.bytes, presence.bytes_without(one, "a")), (9, 4));
        let gone = presence.untrack(one).unwrap();
        assert_eq!(presence.bytes, 4);
        assert_eq!(gone["leaves"]["a"]["metas"][0]["tab"], 3);
        assert_eq!(shown(&presence)["a"]["metas"][0]["tab"], 2);
        assert!(shown(&presence)["a"]["metas"][0]["phx_ref"].is_string());
    }
}
