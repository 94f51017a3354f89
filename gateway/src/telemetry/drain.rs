//! The log drain: sends log lines as JSON to an HTTP server, in batches.
//!
//! The drain has its own thread and runtime, so that a slow receiver does not delay requests. Log lines that this thread writes (about its
//! own failures, and by the HTTP client) are not sent, because sending them would cause further log lines. Lines that wait to be sent are in
//! a bounded buffer; lines that do not fit are dropped and counted.

use std::cell::Cell;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use http::HeaderValue;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::post::Target;

/// Maximum time for which log lines wait in the buffer until they fill a batch.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum size of a batch of log lines in bytes. A single line that is longer is a batch of its own.
const BATCH_BYTES: usize = 256 * 1024;
/// Maximum total size in bytes of the log lines in the buffer. Further lines are dropped.
const MAX_WAITING_BYTES: usize = 4 * 1024 * 1024;
const JSON_LINES: &str = "application/x-ndjson";

static SENT: LazyLock<Counter> = LazyLock::new(Counter::default);
static DROPPED: LazyLock<Counter> = LazyLock::new(Counter::default);

thread_local! {
    static IS_DRAIN: Cell<bool> = const { Cell::new(false) };
}

pub(super) fn register(registry: &mut Registry) {
    registry.register("cloch_drained_lines", "Log lines that the drain has taken", SENT.clone());
    registry.register(
        "cloch_drained_lines_dropped",
        "Log lines that it has not taken in time, or refused",
        DROPPED.clone(),
    );
}

/// Writer that adds log lines to the buffer of the log drain. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrainWriter(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    lines: Mutex<Lines>,
    full: Notify,
}

#[derive(Debug, Default)]
struct Lines {
    bytes: Vec<u8>,
    count: u64,
}

/// Handle of the log drain. When the handle is dropped, the remaining lines are sent and the thread ends.
#[derive(Debug)]
#[must_use = "lines are drained until this is dropped"]
pub(crate) struct Drain {
    shutdown: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

/// Starts the thread of the log drain.
///
/// # Errors
/// When the thread or the HTTP client cannot be created.
pub(crate) fn start(url: Url, authorization: Option<HeaderValue>) -> io::Result<(DrainWriter, Drain)> {
    let (writer, shutdown) = (DrainWriter::default(), CancellationToken::new());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let target = Target::new(url, JSON_LINES, authorization).map_err(io::Error::other)?;
    let (lines, stop) = (writer.clone(), shutdown.clone());
    let thread = thread::Builder::new().name("log drain".to_owned()).spawn(move || {
        IS_DRAIN.set(true);
        runtime.block_on(lines.send_all(target, stop));
    })?;
    Ok((writer, Drain { shutdown, thread: Some(thread) }))
}

impl DrainWriter {
    async fn send_all(self, mut target: Target, shutdown: CancellationToken) {
        while !shutdown.is_cancelled() {
            let _ = shutdown.run_until_cancelled(tokio::time::timeout(FLUSH_INTERVAL, self.0.full.notified())).await;
            while let Some((batch, count)) = self.take() {
                let taken = target.deliver(batch.into(), &shutdown).await;
                let counter = if taken { &SENT } else { &DROPPED };
                counter.inc_by(count);
                if !taken && shutdown.is_cancelled() {
                    return;
                }
            }
        }
    }

    /// Removes a batch of complete lines from the buffer, and returns the batch and its number of lines. `None` if the buffer is empty.
    fn take(&self) -> Option<(Vec<u8>, u64)> {
        let mut lines = self.lines();
        if lines.bytes.is_empty() {
            return None;
        }
        if lines.bytes.len() <= BATCH_BYTES {
            let Lines { bytes, count } = mem::take(&mut *lines);
            return Some((bytes, count));
        }
        let is_end = |byte: &u8| *byte == b'\n';
        let within = lines.bytes.iter().take(BATCH_BYTES).rposition(is_end);
        let end = within.or_else(|| lines.bytes.iter().position(is_end)).map_or(lines.bytes.len(), |end| end + 1);
        let rest = lines.bytes.split_off(end);
        let batch = mem::replace(&mut lines.bytes, rest);
        let count = u64::try_from(batch.iter().filter(|byte| is_end(byte)).count()).unwrap_or_default();
        lines.count = lines.count.saturating_sub(count);
        Some((batch, count))
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for DrainWriter {
    /// Appends one log line to the buffer. Lines that the drain's own thread writes are ignored.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if IS_DRAIN.get() {
            return Ok(line.len());
        }
        let mut lines = self.lines();
        if lines.bytes.len() + line.len() > MAX_WAITING_BYTES {
            drop(lines);
            DROPPED.inc();
            return Ok(line.len());
        }
        let before = lines.bytes.len();
        lines.bytes.extend_from_slice(line);
        lines.count += 1;
        let is_full = before < BATCH_BYTES && lines.bytes.len() >= BATCH_BYTES;
        drop(lines);
        if is_full {
            self.0.full.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        self.shutdown.cancel();
        if let Some(thread) = self.thread.take() {
            // The result is ignored: an error means that the thread panicked, so it sends no more lines.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_bound_is_lost_and_batches_are_whole_lines() {
        let mut writer = DrainWriter::default();
        let line = [b"x".repeat(999), b"\n".to_vec()].concat();
        let (count, before) = (MAX_WAITING_BYTES / line.len() + 5, DROPPED.get());
        (0..count).for_each(|_| writer.write_all(&line).unwrap());
        let mut taken = 0;
        while let Some((batch, lines)) = writer.take() {
            assert!(batch.ends_with(b"\n") && batch.len() <= BATCH_BYTES);
            assert_eq!(u64::try_from(batch.len() / line.len()).unwrap(), lines);
            taken += lines;
        }
        let lost = DROPPED.get() - before;
        assert_eq!((taken + lost, lost), (u64::try_from(count).unwrap(), 5));
        let long = [b"y".repeat(BATCH_BYTES * 2), b"\n".to_vec()].concat();
        writer.write_all(&long).unwrap();
        writer.write_all(&line).unwrap();
        assert_eq!(
            writer.take().map(|(batch, lines)| (batch.len(), lines)),
            Some((long.len(), 1)),
            "a line is not cut"
        );
    }

    #[test]
    fn its_own_thread_feeds_it_nothing() {
        let mut writer = DrainWriter::default();
        let mut own = writer.clone();
        thread::spawn(move || {
            IS_DRAIN.set(true);
            own.write_all(b"a collector does not take what is sent to it\n").unwrap();
        })
        .join()
        .unwrap();
        assert!(writer.take().is_none());
        writer.write_all(b"another thread's\n").unwrap();
        assert!(writer.take().is_some());
    }
}
