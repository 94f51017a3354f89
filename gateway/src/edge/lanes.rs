//! The threads that serve connections, each with a runtime of its own. A connection stays on the thread it was given to, and the
//! database connections that answer it are best those of the same thread: so what arrives wakes one thread, and none that is not
//! needed. (Threads that take work from each other wake one another for most requests: that costs a seventh of the throughput.)

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cloch_sql::lane;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::CancellationToken;

use super::watchdog::Watchdog;

/// Time for the lanes to end when the program stops. A computation that cannot be interrupted must not keep the program.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// Stack of a lane's thread. Only what is used of it takes memory; a recursion that its input bounds (128 levels of JSON, 250 of an
/// expression) takes less than a tenth of it.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// The lanes. They run until this is dropped: what was opened on a lane, such as a database connection, works no longer than it.
#[derive(Debug)]
pub struct Lanes {
    lanes: Vec<Lane>,
    stop: CancellationToken,
    watchdog: Option<Watchdog>,
}

#[derive(Debug)]
struct Lane {
    runtime: Handle,
    /// Connections that are open on it.
    load: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Lanes {
    /// Starts one for each processor.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start() -> io::Result<Self> {
        let mut lanes = Self { lanes: Vec::new(), stop: CancellationToken::new(), watchdog: None };
        for number in 0..lane::count() {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let (handle, load, stop) = (runtime.handle().clone(), Arc::default(), lanes.stop.clone());
            let thread = thread::Builder::new().name(format!("lane-{number}")).stack_size(STACK_BYTES);
            let thread = thread.spawn(move || run(runtime, number, &stop))?;
            lanes.lanes.push(Lane { runtime: handle, load, thread: Some(thread) });
        }
        lanes.watchdog = Some(Watchdog::start(lanes.lanes.iter().map(|lane| lane.runtime.clone()))?);
        Ok(lanes)
    }

    /// How often a lane was found blocked.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.watchdog.as_ref().map_or(0, Watchdog::blocks)
    }

    /// Runs a connection on the lane that has the fewest.
    pub(super) fn spawn(&self, connection: impl Future<Output = ()> + Send + 'static) {
        let Some(lane) = self.lanes.iter().min_by_key(|lane| lane.load.load(Ordering::Relaxed)) else { return };
        let place = Place::take(&lane.load);
        lane.runtime.spawn(async move {
            connection.await;
            drop(place);
        });
    }
}

fn run(runtime: Runtime, number: usize, stop: &CancellationToken) {
    lane::enter(number);
    runtime.block_on(stop.cancelled());
    runtime.shutdown_timeout(END_TIMEOUT / 2);
}

impl Drop for Lanes {
    fn drop(&mut self) {
        self.watchdog = None;
        self.stop.cancel();
        let deadline = Instant::now() + END_TIMEOUT;
        for thread in self.lanes.iter_mut().filter_map(|lane| lane.thread.take()) {
            while !thread.is_finished() && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
            if thread.is_finished() {
                // It ended with a panic: nothing is left to be ended.
                let _ = thread.join();
            } else {
                tracing::warn!("a request's computation did not end in time and is cut off");
            }
        }
    }
}

/// A connection's place among those that are counted, also when it ends in a panic.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(load: &Arc<AtomicUsize>) -> Self {
        load.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(load))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const SOON: Duration = Duration::from_secs(10);

    #[test]
    fn a_lane_that_is_blocked_is_noticed() {
        let lanes = Lanes::start().unwrap();
        let (release, released) = mpsc::channel::<()>();
        assert_eq!(lanes.blocks(), 0);
        // It waits without yielding, as a long computation would.
        lanes.spawn(async move { released.recv_timeout(SOON).unwrap() });
        let begun = Instant::now();
        while lanes.blocks() == 0 {
            assert!(begun.elapsed() < SOON, "nothing is noticed");
            thread::yield_now();
        }
        release.send(()).unwrap();
        let (said, heard) = mpsc::channel();
        for _ in 0..lane::count() {
            let said = said.clone();
            lanes.spawn(async move { said.send(()).unwrap() });
        }
        (0..lane::count()).for_each(|_| heard.recv_timeout(SOON).unwrap());
        assert_eq!(lanes.blocks(), 1, "it is noticed once");
    }

    #[test]
    fn connections_are_spread_and_their_places_given_back() {
        let lanes = Lanes::start().unwrap();
        let (said, heard) = mpsc::channel();
        let end = CancellationToken::new();
        for _ in 0..2 * lane::count() {
            let (said, end) = (said.clone(), end.clone());
            lanes.spawn(async move {
                said.send(lane::current()).unwrap();
                end.cancelled().await;
            });
        }
        let mut seen: Vec<usize> = (0..2 * lane::count()).map(|_| heard.recv_timeout(SOON).unwrap()).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..lane::count()).flat_map(|lane| [lane, lane]).collect::<Vec<_>>());

        end.cancel();
        lanes.spawn(async { panic!("one connection's alone") });
        let begun = Instant::now();
        while lanes.lanes.iter().any(|lane| lane.load.load(Ordering::Relaxed) > 0) {
            assert!(begun.elapsed() < SOON, "a place is still taken");
            thread::yield_now();
        }
    }
}
