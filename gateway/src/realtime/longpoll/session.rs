//! The session of a client that polls: what waits for it, and the frames that it has posted. It ends when the client has not asked for
//! a while.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::Message;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio::sync::mpsc::{Receiver, Sender, UnboundedReceiver, channel};
use tokio::sync::{Notify, TryLockError, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::realtime::budget::Account;
use crate::realtime::counters::COUNTERS;
use crate::realtime::frame;
use crate::realtime::hub::Queued;
use crate::realtime::transport::Transport;

/// Sessions of one node. They have no connection of their own, which other limits would count.
const MAX_SESSIONS: usize = 10_000;
/// Time without a request after which a session ends. Longer than a request waits for messages, and its client for the next attempt.
const SILENCE: Duration = Duration::from_secs(20);
/// Bytes of the frames in one response; a single one may exceed it.
const MAX_ANSWER_BYTES: usize = 1 << 20;
/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;

/// The sessions of this node by their tokens. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(in crate::realtime) struct Sessions(Arc<Mutex<HashMap<String, Arc<Session>>>>);

/// One client's session.
#[derive(Debug)]
pub(super) struct Session {
    token: String,
    outgoing: Mutex<Outgoing>,
    /// Notified when frames wait, when another request takes over, and when the session ends.
    changed: Notify,
    /// The number of the last request for messages: an earlier one gets none, because its client has given it up.
    request: AtomicU64,
    incoming: Sender<(Message, oneshot::Sender<()>)>,
    /// Locked while the frames of a request are read and handled.
    posting: tokio::sync::Mutex<()>,
    account: Arc<Account>,
}

#[derive(Debug)]
struct Outgoing {
    frames: VecDeque<Queued>,
    heard: Instant,
    has_ended: bool,
}

/// What became of posted frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carried {
    Handled,
    /// The session has ended.
    Gone,
}

impl Sessions {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn find(&self, token: &str) -> Option<Arc<Session>> {
        self.all().get(token).cloned()
    }

    /// Begins a session; `None` if there are too many.
    pub(super) fn begin(&self, account: &Arc<Account>) -> Option<(Arc<Session>, Polled)> {
        let token = URL_SAFE_NO_PAD.encode(rand::random::<[u8; TOKEN_BYTES]>());
        let (incoming, posted) = channel(1);
        let outgoing = Outgoing { frames: VecDeque::new(), heard: Instant::now(), has_ended: false };
        let session = Arc::new(Session {
            token: token.clone(),
            outgoing: Mutex::new(outgoing),
            changed: Notify::new(),
            request: AtomicU64::new(0),
            incoming,
            posting: tokio::sync::Mutex::default(),
            account: Arc::clone(account),
        });
        let mut all = self.all();
        if all.len() >= MAX_SESSIONS {
            return None;
        }
        all.insert(token, Arc::clone(&session));
        let registered = Registered { sessions: self.clone(), session: Arc::clone(&session) };
        Some((session, Polled { registered, posted, handled: None }))
    }
}

impl Session {
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the frames that wait, or the first that come within `window`; `None` once the session has ended and all were taken.
    pub(super) async fn take(&self, window: Duration) -> Option<Vec<Queued>> {
        let number = self.request.fetch_add(1, Ordering::Relaxed) + 1;
        self.changed.notify_waiters();
        let end = Instant::now() + window;
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let mut outgoing = self.outgoing();
                outgoing.heard = Instant::now();
                if self.request.load(Ordering::Relaxed) != number {
                    return Some(Vec::new());
                }
                if !outgoing.frames.is_empty() {
                    let taken = outgoing.take();
                    drop(outgoing);
                    self.changed.notify_waiters();
                    return Some(taken);
                }
                if outgoing.has_ended {
                    return None;
                }
            }
            if timeout_at(end, changed).await.is_err() {
                self.outgoing().heard = Instant::now();
                return Some(Vec::new());
            }
        }
    }

    /// Begins a request with frames.
    ///
    /// # Errors
    /// Another one is not at its end.
    pub(super) fn post(&self) -> Result<tokio::sync::MutexGuard<'_, ()>, TryLockError> {
        self.posting.try_lock()
    }

    /// What the session's memory is charged to.
    pub(super) fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// Hands frames to the socket, and waits until it has handled them.
    pub(super) async fn carry(&self, frames: Vec<Message>) -> Carried {
        self.outgoing().heard = Instant::now();
        for frame in frames {
            let (handled, done) = oneshot::channel();
            if self.incoming.send((frame, handled)).await.is_err() || done.await.is_err() {
                return Carried::Gone;
            }
        }
        Carried::Handled
    }

    fn end_of_silence(&self) -> Instant {
        self.outgoing().heard + SILENCE
    }
}

impl Outgoing {
    fn take(&mut self) -> Vec<Queued> {
        let (mut taken, mut bytes) = (Vec::new(), 0);
        while let Some(next) = self.frames.front() {
            bytes += frame::length(&next.message);
            if bytes > MAX_ANSWER_BYTES && !taken.is_empty() {
                break;
            }
            taken.extend(self.frames.pop_front());
        }
        COUNTERS.messages_out.add(taken.len());
        COUNTERS.bytes_out.add(taken.iter().map(|queued| frame::length(&queued.message)).sum());
        taken
    }
}

/// The session's entry in the list, until this is dropped.
struct Registered {
    sessions: Sessions,
    session: Arc<Session>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.session.outgoing().has_ended = true;
        self.session.changed.notify_waiters();
        self.sessions.all().remove(&self.session.token);
    }
}

/// The end of a session at which its socket is.
pub(super) struct Polled {
    registered: Registered,
    posted: Receiver<(Message, oneshot::Sender<()>)>,
    /// Tells the request of the last frame that it was handled.
    handled: Option<oneshot::Sender<()>>,
}

impl Transport for Polled {
    async fn receive(&mut self, next_read: Instant, _last_received: Instant) -> Option<Message> {
        // The client waits for the answer to its request.
        if next_read > Instant::now() {
            tokio::time::sleep_until(next_read).await;
        }
        if let Some(handled) = self.handled.take() {
            let _ = handled.send(());
        }
        loop {
            let end = self.registered.session.end_of_silence();
            if end <= Instant::now() {
                return None;
            }
            if let Ok(posted) = timeout_at(end, self.posted.recv()).await {
                let (message, handled) = posted?;
                self.handled = Some(handled);
                return Some(message);
            }
        }
    }

    async fn send(&mut self, first: Queued, waiting: &mut UnboundedReceiver<Queued>) -> bool {
        let mut outgoing = self.registered.session.outgoing();
        outgoing.frames.push_back(first);
        while let Ok(next) = waiting.try_recv() {
            outgoing.frames.push_back(next);
        }
        drop(outgoing);
        self.registered.session.changed.notify_waiters();
        true
    }

    /// Waits until the client has fetched what was sent, or is silent.
    async fn close(&mut self) {
        self.posted.close();
        self.handled = None;
        let session = &self.registered.session;
        session.outgoing().has_ended = true;
        loop {
            let changed = session.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let end = session.end_of_silence();
            if session.outgoing().frames.is_empty() || end <= Instant::now() {
                return;
            }
            let _ = timeout_at(end, changed).await;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::realtime::budget::Budget;

    fn queued(account: &Arc<Account>, text: &str) -> Queued {
        Queued { message: Message::Text(text.into()), held: account.hold(text.len()).unwrap() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_ask_loses_its_session() {
        let (sessions, account) = (Sessions::default(), Budget::new(1 << 20, 1 << 20).open());
        let (session, mut polled) = sessions.begin(&account).unwrap();
        assert!(session.take(Duration::from_secs(10)).await.unwrap().is_empty());
        let begun = Instant::now();
        assert!(polled.receive(begun, begun).await.is_none());
        assert!(begun.elapsed() >= SILENCE);
        drop(polled);
        assert!(sessions.find(session.token()).is_none());
        assert!(session.take(Duration::from_secs(10)).await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_request_gets_the_frames() {
        let (sessions, account) = (Sessions::default(), Budget::new(1 << 20, 1 << 20).open());
        let (session, mut polled) = sessions.begin(&account).unwrap();
        let (_sender, mut waiting) = unbounded_channel();
        let window = Duration::from_secs(10);
        let (given_up, taken, ()) = tokio::join!(session.take(window), session.take(window), async {
            tokio::task::yield_now().await;
            assert!(polled.send(queued(&account, "one"), &mut waiting).await);
        });
        assert!(given_up.unwrap().is_empty());
        assert_eq!(taken.unwrap().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn so_many_sessions_and_no_more() {
        let (sessions, account) = (Sessions::default(), Budget::new(1 << 20, 1 << 20).open());
        let mut all: Vec<_> = std::iter::from_fn(|| sessions.begin(&account)).collect();
        assert_eq!(all.len(), MAX_SESSIONS);
        all.pop();
        assert!(sessions.begin(&account).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn posted_frames_wait_until_they_are_handled() {
        let (sessions, account) = (Sessions::default(), Budget::new(1 << 20, 1 << 20).open());
        let (session, mut polled) = sessions.begin(&account).unwrap();
        let frames = || vec![Message::Text("[1]".into()), Message::Text("[2]".into())];
        let begun = Instant::now();
        let slow = begun + Duration::from_secs(3);
        let (carried, ()) = tokio::join!(session.carry(frames()), async {
            assert_eq!(polled.receive(begun, begun).await, Some(Message::Text("[1]".into())));
            assert_eq!(polled.receive(slow, begun).await, Some(Message::Text("[2]".into())));
            polled.close().await;
        });
        assert_eq!(carried, Carried::Gone, "it ended before the last was handled");
        assert!(begun.elapsed() >= Duration::from_secs(3));
    }
}
