//! What happens next on a socket: a message to its client, or anything else.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use axum::extract::ws::Message;
use tokio::sync::mpsc;

use super::hub::Queued;
use super::waker_gate::WakeFlag;

/// What a socket waits for.
pub(super) enum Event {
    /// A message to the client.
    Queued(Queued),
    /// A message of the client; `None` if it is gone.
    Received(Option<Message>),
    /// The time of the next check.
    Alarm,
    /// A session has ended.
    Woken,
    /// The socket has to end.
    End,
}

/// The next event. Messages to the client are what most sockets are woken for: everything else is polled only after it was woken itself.
pub(super) async fn next_event(
    flag: &WakeFlag,
    waiting: &mut mpsc::UnboundedReceiver<Queued>,
    others: impl Future<Output = Event>,
) -> Event {
    let mut others = pin!(others);
    poll_fn(|context| {
        // First, so that a client that is sent much is read nevertheless.
        if let Poll::Ready(event) = flag.poll(context, others.as_mut()) {
            return Poll::Ready(event);
        }
        match waiting.poll_recv(context) {
            Poll::Ready(Some(queued)) => Poll::Ready(Event::Queued(queued)),
            // The socket holds a sender: the queue does not end.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    })
    .await
}
