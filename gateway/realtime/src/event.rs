//! Waits for the next event of a socket: a message queued for its client, or another event, such as a message from the client.

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
    /// The socket's timer: a token has to be checked, or the client may have been silent for too long.
    Alarm,
    Woken,
    End,
}

/// Waits for the next event of a socket: a message in the queue `waiting`, or an event of the future `others`. Most wake-ups of the task are
/// for queued messages, so `others` is polled only after the waker of `others` was called.
pub(super) async fn next_event(
    flag: &WakeFlag,
    waiting: &mut mpsc::UnboundedReceiver<Queued>,
    others: impl Future<Output = Event>,
) -> Event {
    let mut others = pin!(others);
    poll_fn(|context| {
        // `others` is polled first, so that messages from the client are read even if many messages to the client are queued.
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
