//! Counts of what realtime does, for the log and for metrics: plain atomic numbers, read without a lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// Time between two lines of the log.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// A number that only grows.
#[derive(Debug)]
pub struct Total(AtomicU64);

/// A number that grows and shrinks.
#[derive(Debug)]
pub struct Level(AtomicU64);

impl Total {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    pub(super) fn add(&self, amount: usize) {
        self.0.fetch_add(amount as u64, Ordering::Relaxed);
    }

    /// The number since the program started.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Level {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    pub(super) fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Counts one until the returned value is dropped.
    pub(super) fn enter(&'static self) -> Entered {
        self.0.fetch_add(1, Ordering::Relaxed);
        Entered(self)
    }

    /// The number now.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// One that is counted by a [`Level`].
#[derive(Debug)]
pub(super) struct Entered(&'static Level);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All counts of this node.
#[derive(Debug)]
pub struct Counters {
    /// Open sockets.
    pub sockets: Level,
    /// Joined channels.
    pub channels: Level,
    /// Joins, refused ones included.
    pub joins: Total,
    /// Frames from clients.
    pub messages_in: Total,
    /// Bytes of them.
    pub bytes_in: Total,
    /// Frames to clients.
    pub messages_out: Total,
    /// Bytes of them.
    pub bytes_out: Total,
    /// Changes of tables that somebody subscribed to.
    pub changes: Total,
    /// Evaluations of a table's policies.
    pub policy_checks: Total,
    /// Bytes of WAL between what was written and what the slot was read to.
    pub slot_lag_bytes: Level,
    /// Sockets that were cut off because they held too much memory or took too little.
    pub dropped_sockets: Total,
    /// Subscriptions that had to join again because they missed changes.
    pub dropped_subscriptions: Total,
    /// Sockets, joins and messages that the limits of the whole project refused.
    pub project_refusals: Total,
    /// Messages from other nodes.
    pub bus_in: Total,
    /// Messages to other nodes.
    pub bus_out: Total,
    /// Messages to other nodes that were not sent, because too many waited.
    pub bus_dropped: Total,
    /// Messages of other nodes that did not arrive.
    pub bus_lost: Total,
    /// Messages on the bus that no node of this project sealed, or that were taken before.
    pub bus_refused: Total,
}

/// The counts of this process.
pub static COUNTERS: Counters = Counters {
    sockets: Level::new(),
    channels: Level::new(),
    joins: Total::new(),
    messages_in: Total::new(),
    bytes_in: Total::new(),
    messages_out: Total::new(),
    bytes_out: Total::new(),
    changes: Total::new(),
    policy_checks: Total::new(),
    slot_lag_bytes: Level::new(),
    dropped_sockets: Total::new(),
    dropped_subscriptions: Total::new(),
    project_refusals: Total::new(),
    bus_in: Total::new(),
    bus_out: Total::new(),
    bus_dropped: Total::new(),
    bus_lost: Total::new(),
    bus_refused: Total::new(),
};

/// Logs the counts each minute while there are sockets, until `shutdown`.
pub(super) async fn log(shutdown: CancellationToken) {
    let work = async {
        let mut ticks = tokio::time::interval(LOG_INTERVAL);
        ticks.tick().await;
        let mut was_quiet = true;
        loop {
            ticks.tick().await;
            let is_quiet = COUNTERS.sockets.get() == 0;
            // One line after the last socket says that it is gone.
            if !(is_quiet && was_quiet) {
                write();
            }
            was_quiet = is_quiet;
        }
    };
    shutdown.run_until_cancelled(work).await;
}

fn write() {
    let Counters { sockets, channels, joins, messages_in, bytes_in, messages_out, bytes_out, changes, .. } = &COUNTERS;
    let Counters { policy_checks, slot_lag_bytes, dropped_sockets, dropped_subscriptions, project_refusals, .. } =
        &COUNTERS;
    let Counters { bus_in, bus_out, bus_dropped, bus_lost, bus_refused, .. } = &COUNTERS;
    tracing::info!(
        sockets = sockets.get(),
        channels = channels.get(),
        joins = joins.get(),
        messages_in = messages_in.get(),
        bytes_in = bytes_in.get(),
        messages_out = messages_out.get(),
        bytes_out = bytes_out.get(),
        changes = changes.get(),
        policy_checks = policy_checks.get(),
        slot_lag_bytes = slot_lag_bytes.get(),
        dropped_sockets = dropped_sockets.get(),
        dropped_subscriptions = dropped_subscriptions.get(),
        project_refusals = project_refusals.get(),
        bus_in = bus_in.get(),
        bus_out = bus_out.get(),
        bus_dropped = bus_dropped.get(),
        bus_lost = bus_lost.get(),
        bus_refused = bus_refused.get(),
        "realtime"
    );
}
