//! One single-threaded Tokio runtime per processor core. A client connection stays on one runtime, and its requests prefer database
//! connections that were opened on the same runtime ([`core_id`]), so that a response of the database wakes only one thread. In Tokio's
//! work-stealing runtime, threads wake each other for most requests, which reduced the measured throughput by a seventh.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cloch_core::core_id;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::CancellationToken;

use super::watchdog::Watchdog;

/// Maximum time that the shutdown waits for the runtime threads to end. The wait is limited, because a computation on a thread cannot be
/// interrupted.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Stack size of each runtime thread in bytes. Only the used part of the stack takes memory. Recursive functions have input limits (128
/// levels of JSON, 250 levels of an expression), with which they use less than a tenth of the stack.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// Handle of the runtimes. When the handle is dropped, the runtimes stop. Database connections that were opened on them can then no longer
/// be used.
#[derive(Debug)]
pub struct PerCoreRuntimes {
    cores: Vec<CoreRuntime>,
    stop: CancellationToken,
    watchdog: Option<Watchdog>,
}

#[derive(Debug)]
struct CoreRuntime {
    runtime: Handle,
    connections: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl PerCoreRuntimes {
    /// Starts one runtime for each processor core.
    ///
    /// # Errors
    /// When the operating system cannot create a thread.
    pub fn start() -> io::Result<Self> {
        let mut runtimes = Self { cores: Vec::new(), stop: CancellationToken::new(), watchdog: None };
        for core in 0..core_id::count() {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let (handle, stop) = (runtime.handle().clone(), runtimes.stop.clone());
            let thread = thread::Builder::new().name(format!("core-{core}")).stack_size(STACK_BYTES);
            let thread = Some(thread.spawn(move || run(runtime, core, &stop))?);
            runtimes.cores.push(CoreRuntime { runtime: handle, connections: Arc::default(), thread });
        }
        runtimes.watchdog = Some(Watchdog::start(runtimes.cores.iter().map(|core| core.runtime.clone()))?);
        Ok(runtimes)
    }

    /// Returns how many times the watchdog has found a runtime blocked since the start of the program.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.watchdog.as_ref().map_or(0, Watchdog::blocks)
    }

    /// Runs a client connection on the runtime with the fewest client connections.
    pub(super) fn spawn(&self, connection: impl Future<Output = ()> + Send + 'static) {
        let Some(core) = self.cores.iter().min_by_key(|core| core.connections.load(Ordering::Relaxed)) else { return };
        let counted = Counted::new(&core.connections);
        core.runtime.spawn(async move {
            connection.await;
            drop(counted);
        });
    }
}

fn run(runtime: Runtime, core: usize, stop: &CancellationToken) {
    core_id::set(core);
    runtime.block_on(stop.cancelled());
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT / 2);
}

impl Drop for PerCoreRuntimes {
    fn drop(&mut self) {
        self.watchdog = None;
        self.stop.cancel();
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        let cores = self.cores.iter_mut().enumerate();
        for (core, thread) in cores.filter_map(|(core, runtime)| Some((core, runtime.thread.take()?))) {
            while !thread.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
            if thread.is_finished() {
                // The result is ignored, because an error only means that the thread panicked and has therefore ended.
                let _ = thread.join();
            } else {
                tracing::warn!(
                    core,
                    "http: shutdown timeout: a request that was still being processed was aborted, its client receives no response"
                );
            }
        }
    }
}

/// Counts a client connection of a runtime until this value is dropped. It is also dropped if the connection's task panics.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(connections: &Arc<AtomicUsize>) -> Self {
        connections.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(connections))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const TEST_TIMEOUT: Duration = Duration::from_secs(10);

    #[test]
    fn a_runtime_that_is_blocked_is_noticed() {
        let runtimes = PerCoreRuntimes::start().unwrap();
        let (release, released) = mpsc::channel::<()>();
        assert_eq!(runtimes.blocks(), 0);
        // Blocks the runtime: waits without yielding, as a long computation does.
        runtimes.spawn(async move { released.recv_timeout(TEST_TIMEOUT).unwrap() });
        let begun = Instant::now();
        while runtimes.blocks() == 0 {
            assert!(begun.elapsed() < TEST_TIMEOUT, "nothing is noticed");
            thread::yield_now();
        }
        release.send(()).unwrap();
        let (said, heard) = mpsc::channel();
        for _ in 0..core_id::count() {
            let said = said.clone();
            runtimes.spawn(async move { said.send(()).unwrap() });
        }
        (0..core_id::count()).for_each(|_| heard.recv_timeout(TEST_TIMEOUT).unwrap());
        assert_eq!(runtimes.blocks(), 1, "it is noticed once");
    }

    #[test]
    fn connections_are_spread_and_counted_off() {
        let runtimes = PerCoreRuntimes::start().unwrap();
        let (said, heard) = mpsc::channel();
        let end = CancellationToken::new();
        for _ in 0..2 * core_id::count() {
            let (said, end) = (said.clone(), end.clone());
            runtimes.spawn(async move {
                said.send(core_id::current()).unwrap();
                end.cancelled().await;
            });
        }
        let mut seen: Vec<usize> =
            (0..2 * core_id::count()).map(|_| heard.recv_timeout(TEST_TIMEOUT).unwrap()).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..core_id::count()).flat_map(|core| [core, core]).collect::<Vec<_>>());

        end.cancel();
        runtimes.spawn(async { panic!("one connection's alone") });
        let begun = Instant::now();
        while runtimes.cores.iter().any(|core| core.connections.load(Ordering::Relaxed) > 0) {
            assert!(begun.elapsed() < TEST_TIMEOUT, "a connection is still counted");
            thread::yield_now();
        }
    }
}
