//! Delivery of broadcasts to the members of a topic. Each processor core has its own runtime thread, and waking a task on the thread of
//! another core takes a system call. So a broadcast wakes each thread once, and the thread then wakes the tasks of its sockets.
//!
//! All members receive messages in the order of sending: the queues of broadcasts change only while the rooms (members by topic) are locked.
//! A function that sends messages to members directly, or that changes the set of members, first delivers the queued broadcasts.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use cloch_core::supervise;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{Hub, Room, Topic};
use crate::frame::{Content, Shared};
use crate::presence::MemberId;

/// Maximum number of queued broadcasts per thread. If the queue of a thread is longer, the sender delivers the queued broadcasts itself.
const MAX_WAITING: usize = 64;
/// Maximum total size of queued broadcasts per thread in bytes. If the queue of a thread is larger, the sender delivers the queued broadcasts
/// itself.
const MAX_WAITING_BYTES: usize = 1 << 20;

/// Index in [`Threads`] of a thread that serves sockets.
pub(super) type ThreadNumber = usize;

/// Lock on the rooms: the members of each topic.
type Rooms<'a> = MutexGuard<'a, HashMap<Topic, Room>>;

/// Threads that serve sockets, and the queue of broadcasts of each thread.
#[derive(Debug, Default)]
pub(super) struct Threads(Mutex<Vec<Thread>>);

#[derive(Debug)]
struct Thread {
    id: ThreadId,
    waiting: VecDeque<Waiting>,
    bytes: usize,
    arrived: Arc<Notify>,
}

/// A queued broadcast, not yet delivered to the members whose sockets one thread serves.
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

    fn current(&self) -> Option<ThreadNumber> {
        let id = thread::current().id();
        self.all().iter().position(|thread| thread.id == id)
    }

    /// Queues a broadcast to the members that thread `number` serves. `members` is the number of these members. Returns the broadcasts that
    /// the calling function has to deliver itself: only this broadcast if it has one recipient and the queue is empty, all queued
    /// broadcasts if the queue is full, otherwise none.
    fn push(&self, number: ThreadNumber, waiting: Waiting, members: usize) -> VecDeque<Waiting> {
        let mut all = self.all();
        let Some(thread) = all.get_mut(number) else { return [waiting].into() };
        if members == 1 && thread.waiting.is_empty() {
            return [waiting].into();
        }
        thread.bytes += waiting.bytes;
        thread.waiting.push_back(waiting);
        if thread.waiting.len() > MAX_WAITING || thread.bytes > MAX_WAITING_BYTES {
            return thread.take();
        }
        thread.arrived.notify_one();
        VecDeque::new()
    }

    fn pop(&self, number: ThreadNumber) -> Option<Waiting> {
        let mut all = self.all();
        let thread = all.get_mut(number)?;
        let waiting = thread.waiting.pop_front()?;
        thread.bytes = thread.bytes.saturating_sub(waiting.bytes);
        Some(waiting)
    }

    fn take(&self, number: ThreadNumber) -> VecDeque<Waiting> {
        self.all().get_mut(number).map(Thread::take).unwrap_or_default()
    }

    /// Empties the queues of all threads and returns their broadcasts by thread.
    fn take_all(&self) -> Vec<(ThreadNumber, VecDeque<Waiting>)> {
        self.all().iter_mut().enumerate().map(|(number, thread)| (number, thread.take())).collect()
    }
}

impl Thread {
    fn take(&mut self) -> VecDeque<Waiting> {
        self.bytes = 0;
        std::mem::take(&mut self.waiting)
    }
}

impl Hub {
    /// Locks the rooms (the members by topic), and delivers all queued broadcasts to their members. Returns the lock.
    pub(super) fn rooms(&self) -> Rooms<'_> {
        let rooms = self.lock_rooms();
        for (number, waiting) in self.threads.take_all() {
            waiting.iter().for_each(|waiting| deliver(&rooms, number, waiting));
        }
        rooms
    }

    fn lock_rooms(&self) -> Rooms<'_> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a message to a topic's members on this node. The member `from`, which sent the message, receives the message only if it
    /// requested its own broadcasts.
    pub(crate) fn broadcast(&self, topic: &Topic, from: Option<MemberId>, content: Content) {
        let rooms = self.lock_rooms();
        let Some(room) = rooms.get(topic) else { return };
        let here = self.threads.current();
        if let Some(here) = here {
            self.threads.take(here).iter().for_each(|waiting| deliver(&rooms, here, waiting));
        }
        let bytes = content.length();
        let shared = Arc::new(Shared::new(topic.full_name(), content, Arc::clone(&self.budget)));
        let mut elsewhere: BTreeMap<ThreadNumber, usize> = BTreeMap::new();
        for member in room.hearers(from) {
            match member.thread {
                Some(number) if here != Some(number) => *elsewhere.entry(number).or_default() += 1,
                _ => member.outbox.send_shared(&shared),
            }
        }
        for (number, members) in elsewhere {
            let waiting = Waiting { topic: topic.clone(), from, shared: Arc::clone(&shared), bytes };
            for waiting in self.threads.push(number, waiting, members) {
                deliver(&rooms, number, &waiting);
            }
        }
    }

    /// Returns the number of the current thread in [`Threads`]. The first call on a thread starts the task that delivers the thread's queue.
    /// `None` outside of a Tokio runtime.
    pub(super) fn thread_number(&self) -> Option<ThreadNumber> {
        let known = self.threads.current();
        if known.is_some() {
            return known;
        }
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        let arrived = Arc::<Notify>::default();
        let number = {
            let mut all = self.threads.all();
            let (id, arrived) = (thread::current().id(), Arc::clone(&arrived));
            all.push(Thread { id, waiting: VecDeque::new(), bytes: 0, arrived });
            all.len() - 1
        };
        let hub = self.clone();
        runtime.spawn(supervise("broadcasts", CancellationToken::new(), move || {
            hub.clone().serve(number, Arc::clone(&arrived))
        }));
        Some(number)
    }

    /// Delivers the queued broadcasts of a thread, then waits for further broadcasts and delivers them too. Runs forever as a task on this
    /// thread.
    async fn serve(self, number: ThreadNumber, arrived: Arc<Notify>) {
        loop {
            while self.deliver_next(number) {}
            arrived.notified().await;
        }
    }

    fn deliver_next(&self, number: ThreadNumber) -> bool {
        let rooms = self.lock_rooms();
        let Some(waiting) = self.threads.pop(number) else { return false };
        deliver(&rooms, number, &waiting);
        true
    }
}

fn deliver(rooms: &HashMap<Topic, Room>, number: ThreadNumber, waiting: &Waiting) {
    let Some(room) = rooms.get(&waiting.topic) else { return };
    for member in room.hearers(waiting.from).filter(|member| member.thread == Some(number)) {
        member.outbox.send_shared(&waiting.shared);
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::ws::Message;
    use serde_json::json;
    use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

    use super::*;
    use crate::budget::Budget;
    use crate::frame::{RawJson, Version};
    use crate::hub::{Hears, Membership, Outbox, Queued};
    use crate::peer_messages;

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
        let hub = Hub::new(Budget::new(1 << 30, 1 << 30), 100, peer_messages::outlet().0);
        let (speaker, mut own) = member(&hub);
        let (_listener, mut other) = member(&hub);
        let from = Some(speaker.id);
        // The messages are sent from a thread that serves no socket. Their number exceeds the maximum of the queue, so the sender delivers
        // some messages itself.
        let all = 3 * MAX_WAITING / 2;
        let sender = hub.clone();
        let sent = thread::spawn(move || (0..all).for_each(|n| say(&sender, (n == 0).then_some(from).flatten(), n)));
        sent.join().unwrap();
        // The next messages are sent from this thread, before the thread has delivered its queue.
        say(&hub, from, all);
        let expected: Vec<usize> = (0..=all).collect();
        assert_eq!(heard(&mut other), expected, "in the order in which it was sent");
        let others: Vec<usize> = (1..all).collect();
        assert_eq!(heard(&mut own), others, "the sender does not hear itself");
    }

    #[tokio::test]
    async fn who_enters_hears_nothing_from_before() {
        let hub = Hub::new(Budget::new(1 << 30, 1 << 30), 100, peer_messages::outlet().0);
        let (_here, mut here) = member(&hub);
        let (_there, mut there) = member(&hub);
        let sender = hub.clone();
        thread::spawn(move || say(&sender, None, 1)).join().unwrap();
        assert!(heard(&mut here).is_empty() && heard(&mut there).is_empty(), "it waits for this thread");
        let (_late, mut late) = member(&hub);
        say(&hub, None, 2);
        assert_eq!([heard(&mut here), heard(&mut there), heard(&mut late)], [vec![1, 2], vec![1, 2], vec![2]]);
    }

    #[tokio::test]
    async fn a_thread_delivers_what_waits_for_it() {
        let hub = Hub::new(Budget::new(1 << 30, 1 << 30), 100, peer_messages::outlet().0);
        let (_here, mut here) = member(&hub);
        let (_there, _received) = member(&hub);
        let sender = hub.clone();
        thread::spawn(move || say(&sender, None, 1)).join().unwrap();
        while hub.threads.all().iter().any(|thread| !thread.waiting.is_empty()) {
            tokio::task::yield_now().await;
        }
        assert_eq!(heard(&mut here), [1]);
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
