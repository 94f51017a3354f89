//! Notifies a client when broadcasts from the database (rows of `realtime.messages`) can be received, if the client requested this
//! notification when joining (`replication_ready`).

use axum::extract::ws::Message;
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::hub::Outbox;

/// Starts a task that sends `message` as soon as broadcasts from the database can be received. Dropping the returned handle cancels the
/// task, so that a client that joins and leaves during a database outage leaves no task behind.
pub(super) fn announce(
    outbox: Outbox,
    mut listening: watch::Receiver<bool>,
    message: Message,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let end = outbox.end.clone();
        if let Some(Ok(_)) = end.run_until_cancelled(listening.wait_for(|listening| *listening)).await {
            outbox.send(message);
        }
    }))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::mpsc::unbounded_channel;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::budget::Budget;
    use crate::frame::Version;

    #[tokio::test]
    async fn who_is_told_later_is_told_and_who_has_left_holds_nothing() {
        let (sender, mut sent) = unbounded_channel();
        let account = Budget::new(1_000, 1_000).open();
        let outbox = Outbox {
            version: Version::V2,
            sender,
            account: Arc::clone(&account),
            end: CancellationToken::new(),
            wake: Arc::default(),
        };
        let (listener, listening) = watch::channel(false);
        let left = announce(outbox.clone(), listening.clone(), Message::Text("who has left".into()));
        let stays = announce(outbox, listening, Message::Text("who stays".into()));
        assert_eq!(Arc::strong_count(&account), 3);
        drop(left);
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        assert_eq!(Arc::strong_count(&account), 2, "the other one waits on");
        listener.send_replace(true);
        let first = sent.recv().await.map(|queued| queued.message);
        assert_eq!(first, Some(Message::Text("who stays".into())));
        drop(stays);
    }
}
