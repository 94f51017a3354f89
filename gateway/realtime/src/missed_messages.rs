//! Notifies this node's clients when messages of other nodes or of the database may be missing.

use std::time::Duration;

use tokio::time::Instant;

use super::hub::Hub;

const MIN_INTERVAL: Duration = Duration::from_secs(5);

/// State of the connection to a source of messages (the bus or the database): whether messages may be missing, and when clients were last
/// notified.
#[derive(Debug)]
pub(super) struct Gap {
    message: &'static str,
    /// Whether the connection to the source was interrupted since the source's last message. Clients are notified once messages arrive again.
    was_away: bool,
    is_open: bool,
    told: Option<Instant>,
}

impl Gap {
    pub(super) const fn new(message: &'static str) -> Self {
        Self { message, was_away: false, is_open: false, told: None }
    }

    /// Marks the connection to the source of messages as interrupted.
    pub(super) fn begin_absence(&mut self) {
        self.was_away = true;
    }

    /// Whether the connection was interrupted since the source's last message.
    pub(super) fn was_away(&self) -> bool {
        self.was_away
    }

    /// Records a message from the source. If the connection was interrupted before this message, messages may be missing.
    pub(super) fn hear(&mut self) {
        self.is_open |= std::mem::take(&mut self.was_away);
    }

    pub(super) fn open(&mut self) {
        self.is_open = true;
    }

    /// Notifies the clients of this node if messages may be missing and [`MIN_INTERVAL`] has passed since the last notification.
    pub(super) fn tell(&mut self, hub: &Hub) {
        if self.is_due() {
            hub.tell_gap(self.message);
        }
    }

    fn is_due(&mut self) -> bool {
        let is_due = self.is_open && self.told.is_none_or(|told| told.elapsed() >= MIN_INTERVAL);
        if is_due {
            *self = Self { told: Some(Instant::now()), ..Self::new(self.message) };
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_is_alone_misses_nothing() {
        let mut gap = Gap::new("");
        gap.begin_absence();
        assert!(!gap.is_due());
        gap.hear();
        assert!(gap.is_due() && !gap.is_due());
    }

    #[tokio::test(start_paused = true)]
    async fn clients_are_not_told_all_the_time_and_not_left_untold() {
        let mut gap = Gap::new("");
        gap.open();
        assert!(gap.is_due());
        gap.open();
        assert!(!gap.is_due());
        tokio::time::advance(MIN_INTERVAL).await;
        assert!(gap.is_due() && !gap.is_due());
    }
}
