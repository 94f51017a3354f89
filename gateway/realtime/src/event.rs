//! Waits for the next event of a socket: a queued message to its client, or any other event.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use axum::extract::ws::Message;
use tokio::sync::mpsc;

use super::hub::Queued;
use super::waker_gate::WakeFlag;

pub(super) enum Event {
    Queued(Queued),
    /// A message from the client. `None` if the client has disconnected.
    Received(Option<Message>),
    /// The time of the next check of tokens or of the client's silence is reached.
    Alarm,
    Woken,
    End,
}

/// Waits for the next event. Most wake-ups of a socket are for queued messages, so `others` is polled only after its own waker was called.
pub(super) async fn next_event(
    flag: &WakeFlag,
    waiting: &mut mpsc::UnboundedReceiver<Queued>,
    others: impl Future<Output = Event>,
) -> Event {
    let mut others = pin!(others);
    poll_fn(|context| {
        // Polled first, so that messages from the client are read even if many messages to the client are queued.
        if let Poll::Ready(event) = flag.poll(context, others.as_mut()) {
            return Poll::Ready(event);
        }
        match waiting.poll_recv(context) {
            Poll::Ready(Some(queued)) => Poll::Ready(Event::Queued(queued)),
            // The queue does not end, since the socket itself holds a sender.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    })
    .await
}
