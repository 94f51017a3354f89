//! Records the time of each caller's last write through this node.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::Caller;
use crate::caller::ClientAddress;

/// Number of slots for write times, of eight bytes each. Callers whose keys fall into the same slot share its write time: after a write of
/// one of them, the reads of all of them run on the primary for a short time.
const SLOTS: usize = 1 << 16;

/// Key of a caller in the record of writes. All sessions of a user have the same key. Callers without a user have the same key if they have
/// the same role and network (an IPv4 address or an IPv6 /64).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key(u64);

/// Record of the time of each caller's last write: a lock-free table of fixed size, whose slots can be shared by several callers. Entries are
/// never removed, so no client can evict the entry of another caller.
#[derive(Debug)]
pub(super) struct Written {
    slots: Box<[AtomicU64]>,
    hasher: RandomState,
    began: Instant,
}

impl Written {
    pub(super) fn new() -> Self {
        let slots = std::iter::repeat_with(AtomicU64::default).take(SLOTS).collect();
        Self { slots, hasher: RandomState::new(), began: Instant::now() }
    }

    pub(super) fn key(&self, caller: &Caller, address: Option<ClientAddress>) -> Key {
        Key(match caller.claim("sub") {
            Some(user) => self.hasher.hash_one((true, user)),
            None => self.hasher.hash_one((false, caller.role(), address.map(ClientAddress::network))),
        })
    }

    /// Records the current time as the caller's last write.
    pub(super) fn note(&self, key: Key) {
        if let Some(slot) = self.slot(key) {
            slot.fetch_max(self.micros(Instant::now()) + 1, Ordering::Release);
        }
    }

    pub(super) fn is_after(&self, key: Key, time: Instant) -> bool {
        self.slot(key).is_none_or(|slot| slot.load(Ordering::Acquire) > self.micros(time))
    }

    fn slot(&self, Key(hash): Key) -> Option<&AtomicU64> {
        self.slots.get(usize::try_from(hash % SLOTS as u64).ok()?)
    }

    fn micros(&self, time: Instant) -> u64 {
        u64::try_from(time.saturating_duration_since(self.began).as_micros()).unwrap_or(u64::MAX - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn caller(claims: serde_json::Value) -> Caller {
        Caller::from_claims(claims.as_object().unwrap().clone(), None)
    }

    #[test]
    fn a_user_is_known_everywhere_and_a_visitor_by_network() {
        let written = Written::new();
        let address = |text: &str| Some(ClientAddress(text.parse().unwrap()));
        let key = |claims, from| written.key(&caller(claims), address(from));
        let ann = || json!({"role": "authenticated", "sub": "ann"});
        assert_eq!(key(ann(), "192.0.2.1"), key(json!({"role": "judge", "sub": "ann"}), "192.0.2.2"));
        assert_ne!(key(ann(), "192.0.2.1"), key(json!({"role": "authenticated", "sub": "bob"}), "192.0.2.1"));
        let visitor = || json!({"role": "anon"});
        assert_eq!(key(visitor(), "2001:db8::1"), key(visitor(), "2001:db8::2"), "one network");
        assert_ne!(key(visitor(), "192.0.2.1"), key(visitor(), "192.0.2.2"));
        assert_ne!(key(visitor(), "192.0.2.1"), key(json!({"role": "service_role"}), "192.0.2.1"));
        assert_ne!(key(visitor(), "192.0.2.1"), key(json!({"role": "anon", "sub": "anon"}), "192.0.2.1"));
    }

    #[test]
    fn what_was_written_is_after_what_was_replayed_before() {
        let written = Written::new();
        let (ann, bob) = (Key(1), Key(2));
        let before = Instant::now();
        assert!(!written.is_after(ann, before), "nothing was written");
        written.note(ann);
        assert!(written.is_after(ann, before) && !written.is_after(bob, before));
        assert!(!written.is_after(ann, Instant::now() + Duration::from_millis(1)));
        assert!(written.is_after(Key(1 + SLOTS as u64), before), "callers of one slot");
    }
}
