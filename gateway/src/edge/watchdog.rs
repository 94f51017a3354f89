//! The watchdog of the lanes: a thread that notices when a lane does not turn, because something on it computes or waits without
//! yielding. All connections of that lane stand still meanwhile, and no timeout of theirs fires.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

/// Between two looks at the lanes.
const INTERVAL: Duration = Duration::from_millis(250);
/// A lane that has not run what it was given for so long is blocked.
const BLOCKED_AFTER: Duration = Duration::from_secs(1);

/// The thread. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Watchdog {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    blocks: Arc<AtomicU64>,
}

/// A lane as the watchdog sees it.
struct Watched {
    runtime: Handle,
    /// Whether it has run the last tick.
    turned: Arc<AtomicBool>,
    /// When it was given that tick.
    given: Instant,
    is_reported: bool,
}

impl Watchdog {
    /// Watches lanes, which are numbered as they come.
    pub(super) fn start(lanes: impl Iterator<Item = Handle>) -> io::Result<Self> {
        let watched = |runtime| Watched {
            runtime,
            turned: Arc::new(AtomicBool::new(true)),
            given: Instant::now(),
            is_reported: false,
        };
        let mut lanes: Vec<Watched> = lanes.map(watched).collect();
        let (stop, stopped) = channel();
        let blocks = Arc::<AtomicU64>::default();
        let counted = Arc::clone(&blocks);
        let thread = thread::Builder::new().name("watchdog".to_owned());
        let thread = thread.spawn(move || watch(&mut lanes, &stopped, &counted))?;
        Ok(Self { stop: Some(stop), thread: Some(thread), blocks })
    }

    /// How often a lane was found blocked.
    pub(super) fn blocks(&self) -> u64 {
        self.blocks.load(Ordering::Relaxed)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // It ended with a panic: nothing is left to be ended.
            let _ = thread.join();
        }
    }
}

fn watch(lanes: &mut [Watched], stopped: &Receiver<()>, blocks: &AtomicU64) {
    while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
        for (number, lane) in lanes.iter_mut().enumerate() {
            let blocked_for = lane.given.elapsed();
            if lane.turned.load(Ordering::Relaxed) {
                if std::mem::take(&mut lane.is_reported) {
                    let duration_ms = blocked_for.as_millis();
                    tracing::warn!(lane = number, duration_ms, "the lane turns again");
                }
                lane.give_tick();
            } else if blocked_for >= BLOCKED_AFTER && !lane.is_reported {
                lane.is_reported = true;
                blocks.fetch_add(1, Ordering::Relaxed);
                let duration_ms = blocked_for.as_millis();
                tracing::warn!(lane = number, duration_ms, "the lane is blocked: its connections stand still");
            }
        }
    }
}

impl Watched {
    fn give_tick(&mut self) {
        self.given = Instant::now();
        self.turned.store(false, Ordering::Relaxed);
        let turned = Arc::clone(&self.turned);
        self.runtime.spawn(async move { turned.store(true, Ordering::Relaxed) });
    }
}
