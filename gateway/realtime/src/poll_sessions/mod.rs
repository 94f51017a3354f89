//! Session of a client that uses long polling: the queue of frames to the client, and the frames that the client has sent. A session ends
//! when the client sends no request for [`IDLE_TIMEOUT`], or when it is displaced: ended to make room for a session of another network
//! ([`places`]).

pub(crate) mod places;

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::Message;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Notify, TryLockError, oneshot};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::budget::Account;
use crate::counters::COUNTERS;
use crate::frame;
use crate::hub::Queued;
use places::Places;

/// Time without a request of the client after which a long-polling session ends. Longer than the time for which a request waits for
/// messages, and longer than the delay after which a client retries.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum size in bytes of the frames in one response to a request for messages. A single frame may exceed it.
const MAX_ANSWER_BYTES: usize = 1 << 20;
const TOKEN_BYTES: usize = 32;

/// Long-polling sessions of this node by session token. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sessions(Arc<Mutex<Places>>);

/// Receiver of the frames that a client sends in POST requests. With each frame comes a sender that notifies the POST request when the frame
/// is handled.
pub(crate) type Posted = Receiver<(Message, oneshot::Sender<()>)>;

#[derive(Debug)]
pub(crate) struct Session {
    token: String,
    pub(crate) network: IpAddr,
    /// Cancelled when this session is ended to make room for a session of another network.
    pub(crate) displaced: CancellationToken,
    outgoing: Mutex<Outgoing>,
    /// Notified when frames are queued or fetched, when a new request for messages replaces an older request, and when the session ends.
    pub(crate) changed: Notify,
    /// Number of the latest request for messages. Earlier requests receive no frames, because the client has abandoned them.
    request: AtomicU64,
    incoming: Sender<(Message, oneshot::Sender<()>)>,
    /// Locked while the frames of a POST request are read and handled.
    posting: tokio::sync::Mutex<()>,
    account: Arc<Account>,
}

/// Queue of frames to the client.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) frames: VecDeque<Queued>,
    heard: Instant,
    pub(crate) has_ended: bool,
}

/// Outcome of passing frames from a POST request to the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carried {
    Handled,
    /// The session has ended.
    Gone,
}

impl Sessions {
    fn all(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn find(&self, token: &str) -> Option<Arc<Session>> {
        self.all().find(token)
    }

    /// Begins a long-polling session for a client of `network`. Returns the session and the receiver of the frames that the client sends.
    /// `None` if the node has too many sessions and no session can be ended to make room.
    pub(crate) fn begin(&self, network: IpAddr, account: &Arc<Account>) -> Option<(Arc<Session>, Posted)> {
        let token = URL_SAFE_NO_PAD.encode(rand::random::<[u8; TOKEN_BYTES]>());
        let (incoming, posted) = channel(1);
        let outgoing = Outgoing { frames: VecDeque::new(), heard: Instant::now(), has_ended: false };
        let session = Arc::new(Session {
            token,
            network,
            displaced: CancellationToken::new(),
            outgoing: Mutex::new(outgoing),
            changed: Notify::new(),
            request: AtomicU64::new(0),
            incoming,
            posting: tokio::sync::Mutex::default(),
            account: Arc::clone(account),
        });
        let displaced = self.all().take(&session).ok()?;
        if let Some(displaced) = displaced {
            displaced.end();
            displaced.displaced.cancel();
        }
        Some((session, posted))
    }

    pub(crate) fn remove(&self, session: &Session) {
        session.end();
        self.all().remove(session);
    }
}

impl Session {
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Marks the session as ended and wakes its waiting requests, which report the end to the client.
    fn end(&self) {
        self.outgoing().has_ended = true;
        self.changed.notify_waiters();
    }

    pub(crate) fn outgoing(&self) -> MutexGuard<'_, Outgoing> {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the queued frames to the client. If no frame is queued, waits for the first frame, at most for the time `window`. `None` if
    /// the session has ended and no frames are left.
    pub(crate) async fn take(&self, window: Duration) -> Option<Vec<Queued>> {
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

    /// Locks the session for a POST request with frames, until the returned guard is dropped.
    ///
    /// # Errors
    /// Returns an error if another POST request of the session is still running.
    pub(crate) fn post(&self) -> Result<tokio::sync::MutexGuard<'_, ()>, TryLockError> {
        self.posting.try_lock()
    }

    /// Returns the memory account of the session's socket.
    pub(crate) fn account(&self) -> &Arc<Account> {
        &self.account
    }

    /// Passes frames from the client to the socket, and waits until the socket has handled every frame.
    pub(crate) async fn carry(&self, frames: Vec<Message>) -> Carried {
        self.outgoing().heard = Instant::now();
        for frame in frames {
            let (handled, done) = oneshot::channel();
            if self.incoming.send((frame, handled)).await.is_err() || done.await.is_err() {
                return Carried::Gone;
            }
        }
        Carried::Handled
    }

    pub(crate) fn end_of_silence(&self) -> Instant {
        self.outgoing().heard + IDLE_TIMEOUT
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
