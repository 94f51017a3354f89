//! Transport of a socket's frames over a long-polling session.

use std::sync::Arc;

use axum::extract::ws::Message;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::hub::Queued;
use crate::poll_sessions::{Posted, Session, Sessions};
use crate::transport::Transport;

/// Connection of a socket to a long-polling session, through which the socket receives and sends frames. Dropping the value ends the
/// session.
pub(super) struct Polled {
    sessions: Sessions,
    session: Arc<Session>,
    posted: Posted,
    /// Sender to the POST request that contained the last received frame. It notifies the request when the frame was handled.
    handled: Option<oneshot::Sender<()>>,
}

impl Polled {
    pub(super) fn new(sessions: Sessions, session: Arc<Session>, posted: Posted) -> Self {
        Self { sessions, session, posted, handled: None }
    }
}

impl Drop for Polled {
    fn drop(&mut self) {
        self.sessions.remove(&self.session);
    }
}

impl Transport for Polled {
    const KEEPS_WAKER: bool = false;

    async fn receive(&mut self, next_read: Option<Instant>) -> Option<Message> {
        let displaced = &self.session.displaced;
        let received = displaced.run_until_cancelled(async {
            // Delaying the response to the client's POST request slows the client down.
            if let Some(next_read) = next_read {
                tokio::time::sleep_until(next_read).await;
            }
            if let Some(handled) = self.handled.take() {
                let _ = handled.send(());
            }
            self.posted.recv().await
        });
        let (message, handled) = received.await.flatten()?;
        self.handled = Some(handled);
        Some(message)
    }

    /// Returns the time at which the client counts as silent. GET requests for messages also count as activity, so the session's own time
    /// is used instead of the time of the last received frame.
    fn end_of_silence(&self, _last_received: Instant) -> Instant {
        self.session.end_of_silence()
    }

    async fn send(&mut self, first: Queued, waiting: &mut UnboundedReceiver<Queued>) -> bool {
        let mut outgoing = self.session.outgoing();
        outgoing.frames.push_back(first);
        while let Ok(next) = waiting.try_recv() {
            outgoing.frames.push_back(next);
        }
        drop(outgoing);
        self.session.changed.notify_waiters();
        true
    }

    /// Waits until the client has fetched all messages or counts as silent. Does not wait if the session was ended to make room for another
    /// session, because its client can then fetch no messages.
    async fn close(&mut self) {
        self.posted.close();
        self.handled = None;
        let session = &self.session;
        session.outgoing().has_ended = true;
        loop {
            let changed = session.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let end = session.end_of_silence();
            let is_lost = session.displaced.is_cancelled() || end <= Instant::now();
            if is_lost || session.outgoing().frames.is_empty() {
                return;
            }
            let _ = timeout_at(end, changed).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::time::Duration;

    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::budget::{Account, Budget};
    use crate::poll_sessions::places::MAX_SESSIONS;
    use crate::poll_sessions::{Carried, IDLE_TIMEOUT};

    fn begin(sessions: &Sessions, account: &Arc<Account>) -> Option<(Arc<Session>, Polled)> {
        begin_from(sessions, account, 1)
    }

    fn begin_from(sessions: &Sessions, account: &Arc<Account>, network: u8) -> Option<(Arc<Session>, Polled)> {
        let (session, posted) = sessions.begin(IpAddr::from([192, 0, 2, network]), account)?;
        let polled = Polled::new(sessions.clone(), Arc::clone(&session), posted);
        Some((session, polled))
    }

    fn queued(account: &Arc<Account>, text: &str) -> Queued {
        Queued { message: Message::Text(text.into()), held: account.hold(text.len()).unwrap() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_ask_loses_its_session() {
        let (sessions, account) = (Sessions::default(), Budget::new(1 << 20, 1 << 20).open());
        let (session, polled) = begin(&sessions, &account).unwrap();
        assert!(session.take(Duration::from_secs(10)).await.unwrap().is_empty());
        let begun = Instant::now();
        // The client has sent no frame since the session began, but its request for messages counts as activity.
        assert_eq!(polled.end_of_silence(begun - IDLE_TIMEOUT), begun + IDLE_TIMEOUT);
        drop(polled);
        assert!(sessions.find(session.token()).is_none());
        assert!(session.take(Duration::from_secs(10)).await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn the_last_request_gets_the_frames() {
        let (sessions, account) = (Sessions::default(), Budget::new(1 << 20, 1 << 20).open());
        let (session, mut polled) = begin(&sessions, &account).unwrap();
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
        let mut all: Vec<_> = std::iter::from_fn(|| begin(&sessions, &account)).collect();
        assert_eq!(all.len(), MAX_SESSIONS);
        all.pop();
        assert!(begin(&sessions, &account).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn networks_that_hold_all_places_give_way_until_all_have_as_many() {
        let (sessions, account) = (Sessions::default(), Budget::new(1 << 20, 1 << 20).open());
        let mut held = Vec::new();
        for network in 1..=10 {
            // The first network has more sessions than any other network.
            let count = if network == 1 { MAX_SESSIONS / 10 + 9 } else { MAX_SESSIONS / 10 - 1 };
            for _ in 0..count {
                held.push(begin_from(&sessions, &account, network).unwrap());
                tokio::time::advance(Duration::from_nanos(1)).await;
            }
        }
        let (oldest, mut polled) = held.swap_remove(0);
        // The clients of all other sessions now send a request.
        for (session, _) in &held {
            session.carry(Vec::new()).await;
        }
        let newcomer = begin_from(&sessions, &account, 11).unwrap();
        let lost = held.iter().filter(|(session, _)| sessions.find(session.token()).is_none()).count();
        assert_eq!(lost, 0, "of the network with most, the one that is silent for the longest time gives way");
        assert!(sessions.find(oldest.token()).is_none() && oldest.take(Duration::from_secs(10)).await.is_none());
        assert!(polled.receive(None).await.is_none(), "its socket ends");
        let (_sender, mut waiting) = unbounded_channel();
        polled.send(queued(&account, "never fetched"), &mut waiting).await;
        polled.close().await;
        drop(polled);
        assert!(
            begin_from(&sessions, &account, 1).is_none(),
            "it does not take the place of another network with as many"
        );
        let mut newcomers = vec![newcomer];
        newcomers.extend(std::iter::from_fn(|| begin_from(&sessions, &account, 11)));
        assert_eq!(newcomers.len(), MAX_SESSIONS / 11, "a share of all places");
        assert!(begin_from(&sessions, &account, 12).is_some(), "and there is one for the next");
    }

    #[tokio::test(start_paused = true)]
    async fn posted_frames_wait_until_they_are_handled() {
        let (sessions, account) = (Sessions::default(), Budget::new(1 << 20, 1 << 20).open());
        let (session, mut polled) = begin(&sessions, &account).unwrap();
        let frames = || vec![Message::Text("[1]".into()), Message::Text("[2]".into())];
        let begun = Instant::now();
        let slow = begun + Duration::from_secs(3);
        let (carried, ()) = tokio::join!(session.carry(frames()), async {
            assert_eq!(polled.receive(None).await, Some(Message::Text("[1]".into())));
            assert_eq!(polled.receive(Some(slow)).await, Some(Message::Text("[2]".into())));
            polled.close().await;
        });
        assert_eq!(carried, Carried::Gone, "it ended before the last was handled");
        assert!(begun.elapsed() >= Duration::from_secs(3));
    }
}
