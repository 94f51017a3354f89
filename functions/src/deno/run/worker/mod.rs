//! A worker: a Deno process that runs one function and serves requests on a Unix socket.

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

/// Minimum number of concurrent requests with which a worker can count as busy.
const BUSY_REQUESTS: usize = 16;

#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkerLimits {
    /// Maximum resident memory of the worker process in bytes.
    pub(crate) memory_bytes: u64,
    /// Maximum processor time between two responses or response chunks.
    pub(crate) cpu: Duration,
    /// Timeout from a request's arrival to the end of its response, and for background work after the last response.
    pub(crate) wall: Duration,
    /// Timeout from the start of the worker until it listens.
    pub(crate) boot: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Booting,
    Ready,
    Ended(End),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The worker process never listened on its Unix socket.
    Boot,
    Cpu,
    Memory,
    WallClock,
    /// The worker process exited by itself or because of a signal from another process.
    Exited,
    /// The pool retired the worker, because the worker was idle, its code changed or Cloch stops.
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

    pub(crate) fn is_limit(self) -> bool {
        matches!(self, Self::Cpu | Self::Memory | Self::WallClock)
    }
}

/// The reason why a worker is retired, which is sent to the function in the `beforeunload` event.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unload {
    /// The worker was idle, its code has changed, or it has served its only request.
    EarlyDrop,
    /// Cloch stops.
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

#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) execution_id: String,
    pub(crate) connections: connection::Connections,
    pub(crate) phase: watch::Receiver<Phase>,
    counts: Arc<Counts>,
    unload: mpsc::UnboundedSender<Unload>,
}

/// Counters of a worker's activity.
#[derive(Debug)]
struct Counts {
    started: Instant,
    /// Number of requests whose response is incomplete.
    in_flight: AtomicUsize,
    /// Number of unsettled promises of `EdgeRuntime.waitUntil`.
    pending: AtomicUsize,
    /// Number of responses and response chunks that the worker has sent.
    progress: AtomicU64,
    /// Time of the end of the last request, in milliseconds since the start of the worker.
    idle_since: AtomicU64,
    retired: AtomicBool,
    /// Whether the worker used more than half a core in the last measured period (`LOAD_WINDOW`).
    uses_a_core: AtomicBool,
}

impl Worker {
    /// Assigns a request to the worker. The request counts as in progress until the lease is dropped.
    pub(crate) fn lease(self: &Arc<Self>) -> Lease {
        self.counts.in_flight.fetch_add(1, Ordering::Relaxed);
        Lease { worker: Arc::clone(self), received: Instant::now() }
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.counts.in_flight.load(Ordering::Relaxed)
    }

    /// Whether an additional worker would shorten the wait, because this worker has many requests and a high processor load. A worker that
    /// waits for I/O can serve many requests at once.
    pub(crate) fn is_busy(&self) -> bool {
        self.in_flight() >= BUSY_REQUESTS && self.counts.uses_a_core.load(Ordering::Relaxed)
    }

    pub(crate) fn is_ready(&self) -> bool {
        *self.phase.borrow() == Phase::Ready
    }

    /// Returns the idle time, or `None` while the worker has requests or background work.
    pub(crate) fn idle(&self) -> Option<Duration> {
        let counts = &self.counts;
        if self.in_flight() > 0 || counts.pending.load(Ordering::Relaxed) > 0 {
            return None;
        }
        counts.started.elapsed().checked_sub(Duration::from_millis(counts.idle_since.load(Ordering::Relaxed)))
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.counts.retired.load(Ordering::Relaxed)
    }

    /// Retires the worker. The worker ends when its requests and `waitUntil` promises are complete.
    pub(crate) fn retire(&self, reason: Unload) {
        self.counts.retired.store(true, Ordering::Relaxed);
        let _ = self.unload.send(reason);
    }

    /// Waits at most `within` until the worker ends, and returns why the worker ended. `None` if the worker still runs.
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

/// A request in progress that is assigned to a worker.
#[derive(Debug)]
pub(crate) struct Lease {
    pub(crate) worker: Arc<Worker>,
    pub(crate) received: Instant,
}

impl Lease {
    /// Records a response or response chunk. The CPU time limit then starts again from zero.
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

/// Folder of one worker, which is deleted when the worker has ended. The folder contains no files of other workers and no sockets of
/// Cloch's server. Therefore a function can delete only its own files.
#[derive(Debug)]
pub(crate) struct WorkerFiles {
    pub(crate) folder: PathBuf,
    pub(crate) socket: PathBuf,
    /// Folder that the function may write to.
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
