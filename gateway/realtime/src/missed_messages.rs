//! What this node's clients are told when messages of other nodes, or of the database, may be missing.

use std::time::Duration;

use tokio::time::Instant;

use super::hub::Hub;

/// Time between two such messages.
const MIN_INTERVAL: Duration = Duration::from_secs(5);

/// Whether something may be missing, and when clients were told last.
#[derive(Debug)]
pub(super) struct Gap {
    /// What clients are told.
    message: &'static str,
    /// Whether this node could not hear the other end for a time: it matters once it is heard again.
    was_away: bool,
    is_open: bool,
    told: Option<Instant>,
}

impl Gap {
    pub(super) const fn new(message: &'static str) -> Self {
        Self { message, was_away: false, is_open: false, told: None }
    }

    /// This node cannot hear the other end.
    pub(super) fn begin_absence(&mut self) {
        self.was_away = true;
    }

    /// Whether this node was away since the other end was heard last.
    pub(super) fn was_away(&self) -> bool {
        self.was_away
    }

    /// The other end is heard.
    pub(super) fn hear(&mut self) {
        self.is_open |= std::mem::take(&mut self.was_away);
    }

    /// Messages are missing.
    pub(super) fn open(&mut self) {
        self.is_open = true;
    }

    /// Tells the clients, if there is something to tell and the last time was a while ago.
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
