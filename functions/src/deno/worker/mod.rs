//! One worker: a Deno process that runs one function and answers on a Unix socket.

mod command;
mod connection;
mod log_file;
mod monitor;
mod output;
mod usage;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};

pub(crate) use command::{DeniedNetworks, WorkerCommand};
pub(crate) use log_file::LogFile;
pub(crate) use monitor::start;

/// Requests at a worker from which on it may be busy.
const BUSY_REQUESTS: usize = 16;

/// What one worker may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkerLimits {
    /// Resident bytes.
    pub(crate) memory_bytes: u64,
    /// Processor time from one answer, or piece of one, to the next.
    pub(crate) cpu: Duration,
    /// From a request's arrival to the end of its answer, and for work that goes on after the last answer.
    pub(crate) wall: Duration,
    /// From the start until it listens.
    pub(crate) boot: Duration,
}

/// Where a worker is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Booting,
    Ready,
    Ended(End),
}

/// Why a worker has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// It never listened.
    Boot,
    Cpu,
    Memory,
    WallClock,
    /// By itself, or by a signal from elsewhere.
    Exited,
    /// It was told to.
    Retired,
}

impl End {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Boot => "it did not start to listen",
            Self::Cpu => "CPU time limit",
            Self::Memory => "memory limit",
            Self::WallClock => "wall clock limit",
            Self::Exited => "it ended by itself",
            Self::Retired => "retired",
        }
    }

    /// Whether a limit ended it.
    pub(crate) fn is_limit(self) -> bool {
        matches!(self, Self::Cpu | Self::Memory | Self::WallClock)
    }
}

/// Why a worker is told to end, in the words of the `beforeunload` event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unload {
    /// It was idle, or its code has changed.
    EarlyDrop,
    /// The program stops.
    Termination,
}

impl Unload {
    fn as_str(self) -> &'static str {
        match self {
            Self::EarlyDrop => "early_drop",
            Self::Termination => "termination",
        }
    }
}

/// A worker as the pool and requests see it.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) execution_id: String,
    pub(crate) connections: connection::Connections,
    pub(crate) phase: watch::Receiver<Phase>,
    counts: Arc<Counts>,
    unload: mpsc::UnboundedSender<Unload>,
}

/// What a worker has to do.
#[derive(Debug)]
struct Counts {
    started: Instant,
    /// Requests without a whole answer.
    in_flight: AtomicUsize,
    /// Promises of `EdgeRuntime.waitUntil`.
    pending: AtomicUsize,
    /// Answers and pieces of answers so far.
    progress: AtomicU64,
    /// Milliseconds from the start to the end of the last request.
    idle_since: AtomicU64,
    retired: AtomicBool,
    /// Whether it lately used most of what one worker can.
    uses_a_core: AtomicBool,
}

impl Worker {
    /// Takes a request on.
    pub(crate) fn lease(self: &Arc<Self>) -> Lease {
        self.counts.in_flight.fetch_add(1, Ordering::Relaxed);
        Lease { worker: Arc::clone(self), received: Instant::now() }
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.counts.in_flight.load(Ordering::Relaxed)
    }

    /// Whether another worker would take work off it: one that waits for others answers many requests at once.
    pub(crate) fn is_busy(&self) -> bool {
        self.in_flight() >= BUSY_REQUESTS && self.counts.uses_a_core.load(Ordering::Relaxed)
    }

    pub(crate) fn is_ready(&self) -> bool {
        *self.phase.borrow() == Phase::Ready
    }

    /// How long there has been nothing to do; `None` while there is.
    pub(crate) fn idle(&self) -> Option<Duration> {
        let counts = &self.counts;
        if self.in_flight() > 0 || counts.pending.load(Ordering::Relaxed) > 0 {
            return None;
        }
        counts.started.elapsed().checked_sub(Duration::from_millis(counts.idle_since.load(Ordering::Relaxed)))
    }

    /// Whether it was told to end.
    pub(crate) fn is_retired(&self) -> bool {
        self.counts.retired.load(Ordering::Relaxed)
    }

    /// Tells it to end once its requests and `waitUntil` are done.
    pub(crate) fn retire(&self, reason: Unload) {
        self.counts.retired.store(true, Ordering::Relaxed);
        let _ = self.unload.send(reason);
    }

    /// Why it ended, when that is known within a moment.
    pub(crate) async fn ended(&self, within: Duration) -> Option<End> {
        let mut phase = self.phase.clone();
        let ended = phase.wait_for(|phase| matches!(phase, Phase::Ended(_)));
        match tokio::time::timeout(within, ended).await {
            Ok(Ok(phase)) => match *phase {
                Phase::Ended(end) => Some(end),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A request at a worker: the worker is kept while it lives.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(crate) worker: Arc<Worker>,
    pub(crate) received: Instant,
}

impl Lease {
    /// Notes that the function does something for its callers.
    pub(crate) fn progress(&self) {
        self.worker.counts.progress.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let counts = &self.worker.counts;
        let now = u64::try_from(counts.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        counts.idle_since.store(now, Ordering::Relaxed);
        counts.progress.fetch_add(1, Ordering::Relaxed);
        counts.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The folder of one worker: removed when it has ended. No other worker and no socket of this server is in it, so that a function can remove
/// only what is its own.
#[derive(Debug)]
pub(crate) struct WorkerFiles {
    pub(crate) folder: PathBuf,
    pub(crate) socket: PathBuf,
    /// The folder that the function may write to.
    pub(crate) temporary: PathBuf,
}

impl WorkerFiles {
    pub(crate) fn within(folder: PathBuf) -> Self {
        Self { socket: folder.join("socket"), temporary: folder.join("tmp"), folder }
    }
}

impl Drop for WorkerFiles {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
