//! Watchdog thread that detects blocked runtimes. A runtime is blocked while one of its tasks computes or waits without yielding. Then all
//! client connections of the runtime stall, and none of its timers fires.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

const CHECK_INTERVAL: Duration = Duration::from_millis(250);
/// A runtime counts as blocked if it does not complete a tick (a test task) within this time.
const BLOCKED_AFTER: Duration = Duration::from_secs(1);

/// Handle of the watchdog thread. The thread ends when the handle is dropped.
#[derive(Debug)]
pub(super) struct Watchdog {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    blocks: Arc<AtomicU64>,
}

struct Watched {
    runtime: Handle,
    /// Whether the runtime has run the last tick, a task that the watchdog spawned on the runtime.
    has_ticked: Arc<AtomicBool>,
    tick_spawned: Instant,
    is_reported: bool,
}

impl Watchdog {
    /// Starts the watchdog thread. Log messages name a runtime by its index in `runtimes`, which equals the number of its processor core.
    pub(super) fn start(runtimes: impl Iterator<Item = Handle>) -> io::Result<Self> {
        let watched = |runtime| Watched {
            runtime,
            has_ticked: Arc::new(AtomicBool::new(true)),
            tick_spawned: Instant::now(),
            is_reported: false,
        };
        let mut runtimes: Vec<Watched> = runtimes.map(watched).collect();
        let (stop, stopped) = channel();
        let blocks = Arc::<AtomicU64>::default();
        let counted = Arc::clone(&blocks);
        let thread = thread::Builder::new().name("watchdog".to_owned());
        let thread = thread.spawn(move || watch(&mut runtimes, &stopped, &counted))?;
        Ok(Self { stop: Some(stop), thread: Some(thread), blocks })
    }

    pub(super) fn blocks(&self) -> u64 {
        self.blocks.load(Ordering::Relaxed)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // The result is ignored, because an error only means that the watchdog thread panicked and has therefore ended.
            let _ = thread.join();
        }
    }
}

fn watch(runtimes: &mut [Watched], stopped: &Receiver<()>, blocks: &AtomicU64) {
    while stopped.recv_timeout(CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        for (core, runtime) in runtimes.iter_mut().enumerate() {
            let blocked_for = runtime.tick_spawned.elapsed();
            if runtime.has_ticked.load(Ordering::Relaxed) {
                if std::mem::take(&mut runtime.is_reported) {
                    let duration_ms = blocked_for.as_millis();
                    tracing::warn!(
                        core,
                        duration_ms,
                        "http: worker thread of a CPU core no longer blocked, requests on its connections continue"
                    );
                }
                runtime.spawn_tick();
            } else if blocked_for >= BLOCKED_AFTER && !runtime.is_reported {
                runtime.is_reported = true;
                blocks.fetch_add(1, Ordering::Relaxed);
                let duration_ms = blocked_for.as_millis();
                tracing::warn!(
                    core,
                    duration_ms,
                    "http: worker thread of a CPU core blocked, requests on its connections wait"
                );
            }
        }
    }
}

impl Watched {
    fn spawn_tick(&mut self) {
        self.tick_spawned = Instant::now();
        self.has_ticked.store(false, Ordering::Relaxed);
        let has_ticked = Arc::clone(&self.has_ticked);
        self.runtime.spawn(async move { has_ticked.store(true, Ordering::Relaxed) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(10);

    #[test]
    fn each_block_is_counted_once_and_none_before_its_time() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        // No runtime completes its tick. The second runtime becomes blocked a few checks after the first runtime, and the third does not
        // become blocked during the test.
        let now = Instant::now();
        let spawned = [
            now.checked_sub(2 * BLOCKED_AFTER),
            now.checked_sub(BLOCKED_AFTER - 3 * CHECK_INTERVAL),
            now.checked_add(SOON),
        ];
        let watched = |spawned: Option<Instant>| Watched {
            runtime: runtime.handle().clone(),
            has_ticked: Arc::default(),
            tick_spawned: spawned.unwrap(),
            is_reported: false,
        };
        let mut runtimes = spawned.map(watched);
        let (stop, stopped) = channel();
        let blocks = AtomicU64::default();
        thread::scope(|scope| {
            let (runtimes, blocks) = (&mut runtimes, &blocks);
            scope.spawn(move || watch(runtimes, &stopped, blocks));
            while blocks.load(Ordering::Relaxed) < 2 {
                assert!(now.elapsed() < SOON, "nothing is noticed");
                thread::yield_now();
            }
            drop(stop);
        });
        assert_eq!(runtimes.each_ref().map(|runtime| runtime.is_reported), [true, true, false]);
        assert_eq!(blocks.load(Ordering::Relaxed), 2);
    }
}
