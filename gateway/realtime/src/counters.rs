//! Realtime counters for the log and for metrics: atomic integers, read without a lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// Counter that only increases, such as the number of joins.
#[derive(Debug)]
pub struct Total(AtomicU64);

/// Gauge: a number that increases and decreases, such as the number of open sockets.
#[derive(Debug)]
pub struct Level(AtomicU64);

impl Total {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    pub(super) fn add(&self, amount: usize) {
        self.0.fetch_add(amount as u64, Ordering::Relaxed);
    }

    /// Returns the count since the program started.
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

    /// Adds one to the gauge until the returned guard is dropped.
    pub(super) fn enter(&'static self) -> Entered {
        self.0.fetch_add(1, Ordering::Relaxed);
        Entered(self)
    }

    /// Returns the current value of the gauge.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Guard that adds one to a [`Level`] until the guard is dropped.
#[derive(Debug)]
pub(super) struct Entered(&'static Level);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Realtime counters of this node.
#[derive(Debug)]
pub struct Counters {
    /// Number of open sockets.
    pub sockets: Level,
    /// Number of joined channels.
    pub channels: Level,
    /// Join requests, including refused requests.
    pub joins: Total,
    /// Frames received from clients.
    pub messages_in: Total,
    /// Bytes received from clients in frames.
    pub bytes_in: Total,
    /// Frames sent to clients.
    pub messages_out: Total,
    /// Bytes sent to clients in frames.
    pub bytes_out: Total,
    /// Table changes that match at least one subscription.
    pub changes: Total,
    /// Evaluations of a table's row-level security policies for table changes.
    pub policy_checks: Total,
    /// Bytes of WAL that were written after the position that the reader of the replication slot has confirmed.
    pub slot_lag_bytes: Level,
    /// Sockets closed because the socket exceeded its memory limit or its client read too slowly.
    pub dropped_sockets: Total,
    /// Subscriptions ended because table changes could not be delivered. The clients of these subscriptions have to join again.
    pub dropped_subscriptions: Total,
    /// Sockets, joins and messages refused by project-wide limits.
    pub project_refusals: Total,
    /// Bus messages received from other nodes.
    pub bus_in: Total,
    /// Bus messages sent to other nodes.
    pub bus_out: Total,
    /// Bus messages to other nodes that were discarded because the send queue was full.
    pub bus_dropped: Total,
    /// Bus messages of other nodes that were lost on the way to this node.
    pub bus_lost: Total,
    /// Received bus messages that were refused: not encrypted by a node of this project, duplicate, or too old.
    pub bus_refused: Total,
}

/// Realtime counters of this process.
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

/// Logs the realtime counters every minute while sockets are open, until `shutdown`.
pub(super) async fn log(shutdown: CancellationToken) {
    let work = async {
        let mut ticks = tokio::time::interval(LOG_INTERVAL);
        ticks.tick().await;
        let mut was_quiet = true;
        loop {
            ticks.tick().await;
            let is_quiet = COUNTERS.sockets.get() == 0;
            // After the last socket has closed, one more log line reports zero sockets.
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
        "realtime: counters since the start"
    );
}
