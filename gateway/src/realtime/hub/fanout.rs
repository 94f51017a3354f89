//! Broadcasts to the members of a topic. Each core has a runtime of its own, and to wake a task of another core takes a system call: so a
//! core is woken once for a broadcast, and wakes its sockets itself.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use cloch_sql::supervise;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{Hub, Room, Topic};
use crate::realtime::frame::{Content, Shared};
use crate::realtime::presence::MemberId;

/// Broadcasts that wait for one thread. Whoever sends more delivers them itself.
const MAX_WAITING: usize = 64;
/// Bytes of those broadcasts.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// The number of a thread that serves sockets; `None` where no runtime runs.
pub(super) type Place = Option<usize>;

/// The threads that serve sockets, and the broadcasts that wait for each. It is locked while the rooms are: who finds nothing waiting knows
/// that all of it was delivered.
#[derive(Debug, Default)]
pub(super) struct Threads(Mutex<Vec<Thread>>);

#[derive(Debug)]
struct Thread {
    id: ThreadId,
    waiting: VecDeque<Waiting>,
    bytes: usize,
    arrived: Arc<Notify>,
}

/// A broadcast that one thread's members have not got yet.
#[derive(Debug)]
struct Waiting {
    topic: Topic,
    from: Option<MemberId>,
    shared: Arc<Shared>,
    bytes: usize,
}

impl Threads {
    fn all(&self) -> MutexGuard<'_, Vec<Thread>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self) -> Place {
        let id = thread::current().id();
        self.all().iter().position(|thread| thread.id == id)
    }

    /// Queues a broadcast to this many members of a thread; returns what the caller has to deliver in its place.
    fn push(&self, place: usize, waiting: Waiting, members: usize) -> VecDeque<Waiting> {
        let mut all = self.all();
        let Some(thread) = all.get_mut(place) else { return [waiting].into() };
        if members == 1 && thread.waiting.is_empty() {
            return [waiting].into();
        }
        thread.bytes += waiting.bytes;
        thread.waiting.push_back(waiting);
        if thread.waiting.len() > MAX_WAITING || thread.bytes > MAX_WAITING_BYTES {
            thread.bytes = 0;
            return std::mem::take(&mut thread.waiting);
        }
        thread.arrived.notify_one();
        VecDeque::new()
    }

    fn pop(&self, place: usize) -> Option<Waiting> {
        let mut all = self.all();
        let thread = all.get_mut(place)?;
        let waiting = thread.waiting.pop_front()?;
        thread.bytes = thread.bytes.saturating_sub(waiting.bytes);
        Some(waiting)
    }
}

impl Hub {
    /// Sends a message to a topic's members on this node. The sender receives it only if it asked to.
    pub(in crate::realtime) fn broadcast(&self, topic: &Topic, from: Option<MemberId>, content: Content) {
        let rooms = self.rooms();
        let Some(room) = rooms.get(topic) else { return };
        let bytes = content.length();
        let shared = Arc::new(Shared::new(topic.full_name(), content, Arc::clone(&self.budget)));
        let here = self.threads.current();
        let mut elsewhere: BTreeMap<usize, usize> = BTreeMap::new();
        for member in room.hearers(from) {
            match member.place {
                Some(place) if here != Some(place) => *elsewhere.entry(place).or_default() += 1,
                _ => member.outbox.send_shared(&shared),
            }
        }
        for (place, members) in elsewhere {
            let waiting = Waiting { topic: topic.clone(), from, shared: Arc::clone(&shared), bytes };
            for waiting in self.threads.push(place, waiting, members) {
                deliver(&rooms, place, &waiting);
            }
        }
    }

    /// The number of this thread, which from now on delivers what waits for it.
    pub(super) fn place(&self) -> Place {
        let known = self.threads.current();
        if known.is_some() {
            return known;
        }
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        let arrived = Arc::<Notify>::default();
        let place = {
            let mut all = self.threads.all();
            let (id, arrived) = (thread::current().id(), Arc::clone(&arrived));
            all.push(Thread { id, waiting: VecDeque::new(), bytes: 0, arrived });
            all.len() - 1
        };
        let hub = self.clone();
        runtime.spawn(supervise("broadcasts", CancellationToken::new(), move || {
            hub.clone().serve(place, Arc::clone(&arrived))
        }));
        Some(place)
    }

    /// Delivers what waits for a thread.
    async fn serve(self, place: usize, arrived: Arc<Notify>) {
        loop {
            while self.deliver_next(place) {}
            arrived.notified().await;
        }
    }

    fn deliver_next(&self, place: usize) -> bool {
        let rooms = self.rooms();
        let Some(waiting) = self.threads.pop(place) else { return false };
        deliver(&rooms, place, &waiting);
        true
    }
}

fn deliver(rooms: &HashMap<Topic, Room>, place: usize, waiting: &Waiting) {
    let Some(room) = rooms.get(&waiting.topic) else { return };
    for member in room.hearers(waiting.from).filter(|member| member.place == Some(place)) {
        member.outbox.send_shared(&waiting.shared);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use axum::extract::ws::Message;
    use serde_json::json;
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::*;
    use crate::realtime::budget::Budget;
    use crate::realtime::bus;
    use crate::realtime::frame::{RawJson, Version};
    use crate::realtime::hub::{Hears, Membership, Outbox, Queued};

    const HEARS: Hears = Hears { broadcasts: true, own_broadcasts: false, presence: false };

    fn topic() -> Topic {
        Topic { name: "room".to_owned(), private: false }
    }

    fn member(hub: &Hub) -> (Membership, UnboundedReceiver<Queued>) {
        let (sender, received) = unbounded_channel();
        let (account, end, wake) = (hub.budget.open(), CancellationToken::new(), Arc::default());
        (hub.enter(topic(), Outbox { version: Version::V2, sender, account, end, wake }, HEARS), received)
    }

    fn say(hub: &Hub, from: Option<MemberId>, n: usize) {
        hub.broadcast(&topic(), from, Content::RawEvent("broadcast", RawJson::write(&json!(n))));
    }

    fn heard(received: &mut UnboundedReceiver<Queued>) -> Vec<usize> {
        let number = |message: Message| {
            let text = message.into_text().unwrap();
            text.rsplit(',').next().unwrap().trim_end_matches(']').parse().unwrap()
        };
        std::iter::from_fn(|| received.try_recv().ok()).map(|queued| number(queued.message)).collect()
    }

    #[tokio::test]
    async fn a_thread_delivers_to_its_own_members_and_in_order() {
        let hub = Hub::new(Budget::new(1 << 30, 1 << 30), 100, bus::outlet().0);
        let (speaker, mut own) = member(&hub);
        let (_listener, mut other) = member(&hub);
        let from = Some(speaker.id);
        // From a thread that serves no socket. So many that some are delivered there.
        let all = 3 * MAX_WAITING / 2;
        let sender = hub.clone();
        let sent = thread::spawn(move || (0..all).for_each(|n| say(&sender, (n == 0).then_some(from).flatten(), n)));
        sent.join().unwrap();
        // From this one, to those of this one.
        say(&hub, from, all);
        while hub.threads.all().iter().any(|thread| !thread.waiting.is_empty()) {
            tokio::task::yield_now().await;
        }
        let mut expected: Vec<usize> = (0..=all).collect();
        let mut got = heard(&mut other);
        // What is sent from here overtakes what waits from there.
        got.sort_unstable();
        assert_eq!(got, expected);
        expected.retain(|n| *n != 0 && *n != all);
        assert_eq!(heard(&mut own), expected, "the sender does not hear itself, and the rest comes in order");
    }

    #[test]
    fn what_waits_for_a_thread_is_bounded() {
        let threads = Threads::default();
        threads.all().push(Thread {
            id: thread::current().id(),
            waiting: VecDeque::new(),
            bytes: 0,
            arrived: Arc::default(),
        });
        let waiting = |bytes| {
            let shared = Shared::new("t".to_owned(), Content::RawEvent("e", RawJson::of(None)), Budget::new(1, 1));
            Waiting { topic: topic(), from: None, shared: Arc::new(shared), bytes }
        };
        assert_eq!(threads.push(0, waiting(1), 1).len(), 1, "a single member is told at once");
        for _ in 0..MAX_WAITING {
            assert!(threads.push(0, waiting(1), 2).is_empty());
        }
        assert_eq!(threads.push(0, waiting(1), 1).len(), MAX_WAITING + 1, "in order, with what waits");
        assert!(threads.push(0, waiting(MAX_WAITING_BYTES), 2).is_empty());
        assert_eq!(threads.push(0, waiting(1), 2).len(), 2);
    }
}
