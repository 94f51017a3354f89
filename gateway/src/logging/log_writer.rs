//! Buffered log writer: lines are appended to a shared buffer, and a separate thread writes them to standard error.
//!
//! The writer thread waits briefly after the first line and then writes all lines in the buffer. Therefore a busy program wakes the thread
//! some dozens of times a second instead of for every request; waking a thread takes longer than writing a line. Unlike `tracing-appender`
//! with its default settings, this writer loses no lines as long as standard error is read.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Time for which the writer thread collects log lines after the first line.
const BATCH_DELAY: Duration = Duration::from_millis(20);
/// If at least this number of bytes is buffered, threads that log a line wait until the writer thread has emptied the buffer. Thus no line
/// is lost.
const MAX_BUFFERED_BYTES: usize = 1024 * 1024;
/// Maximum time for which a thread that logs a line waits. If the buffer is still full after this time, the program that reads standard
/// error counts as stopped: requests continue, and log lines are lost.
const MAX_BLOCKED: Duration = Duration::from_secs(1);
/// Capacity in bytes that the buffer keeps allocated between two writes.
const KEPT_CAPACITY_BYTES: usize = 64 * 1024;

/// Writer that buffers lines. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct LogWriter(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    buffer: Mutex<Buffer>,
    /// Condition variable that wakes the writer thread when the buffer is not empty.
    work: Condvar,
    /// Condition variable that wakes waiting threads when the writer thread has emptied the buffer.
    room: Condvar,
}

#[derive(Debug, Default)]
struct Buffer {
    bytes: Vec<u8>,
    /// Number of log lines lost since the writer thread last emptied the buffer. While it is above 0, threads that log a line do not wait.
    lost: u64,
    /// Whether the writer thread has ended. After its end, logging threads write lines themselves.
    ended: bool,
}

/// Guard of the writer thread. When the guard is dropped, the buffered log lines are written and the writer thread ends.
#[derive(Debug)]
#[must_use = "the lines of a command are written until this is dropped"]
pub struct FlushGuard {
    writer: LogWriter,
    /// Handle of the writer thread; `None` if the system could not create a thread.
    thread: Option<JoinHandle<()>>,
}

impl LogWriter {
    /// Starts the writer thread, which writes to `out`.
    pub(super) fn start(out: impl Write + Send + 'static) -> (Self, FlushGuard) {
        let writer = Self::default();
        let shared = writer.clone();
        let thread = thread::Builder::new().name("log".to_owned()).spawn(move || shared.write_to(out)).ok();
        writer.buffer().ended = thread.is_none();
        (writer.clone(), FlushGuard { writer, thread })
    }

    fn buffer(&self) -> MutexGuard<'_, Buffer> {
        self.0.buffer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_to(&self, mut out: impl Write) {
        let mut bytes = Vec::new();
        loop {
            let idle = self.0.work.wait_while(self.buffer(), |buffer| buffer.bytes.is_empty() && !buffer.ended);
            let first = idle.unwrap_or_else(PoisonError::into_inner);
            let more = |buffer: &mut Buffer| buffer.bytes.len() < MAX_BUFFERED_BYTES && !buffer.ended;
            let (mut buffer, _) =
                self.0.work.wait_timeout_while(first, BATCH_DELAY, more).unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut bytes, &mut buffer.bytes);
            match std::mem::take(&mut buffer.lost) {
                0 => {}
                lost => bytes.extend_from_slice(format!("{lost} log lines were lost: nobody read them\n").as_bytes()),
            }
            let ended = buffer.ended;
            drop(buffer);
            self.0.room.notify_all();
            // The result is ignored: if standard error is closed, the error cannot be reported anywhere.
            let _ = out.write_all(&bytes).and_then(|()| out.flush());
            if ended {
                return;
            }
            bytes.clear();
            bytes.shrink_to(KEPT_CAPACITY_BYTES);
        }
    }
}

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let has_no_room =
            |buffer: &mut Buffer| buffer.bytes.len() >= MAX_BUFFERED_BYTES && !buffer.ended && buffer.lost == 0;
        let waited = self.0.room.wait_timeout_while(self.buffer(), MAX_BLOCKED, has_no_room);
        let (mut buffer, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if buffer.ended {
            return io::stderr().write(line);
        }
        if buffer.bytes.len() >= MAX_BUFFERED_BYTES {
            buffer.lost += 1;
            return Ok(line.len());
        }
        let before = buffer.bytes.len();
        buffer.bytes.extend_from_slice(line);
        let (is_first, is_full) = (before == 0, buffer.bytes.len() >= MAX_BUFFERED_BYTES);
        drop(buffer);
        if is_first || is_full {
            self.0.work.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for FlushGuard {
    fn drop(&mut self) {
        self.writer.buffer().ended = true;
        self.writer.0.work.notify_one();
        self.writer.0.room.notify_all();
        if let Some(thread) = self.thread.take() {
            // The result is ignored: an error means that the writer thread panicked, so it writes no more lines.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const TEST_TIMEOUT: Duration = Duration::from_secs(10);

    /// Writer for tests: sends each written piece to a channel, and waits for a signal before the next piece.
    struct Slow(mpsc::Sender<Vec<u8>>, mpsc::Receiver<()>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
            self.1.recv_timeout(TEST_TIMEOUT).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (LogWriter, FlushGuard, mpsc::Receiver<Vec<u8>>, mpsc::Sender<()>) {
        let ((said, heard), (go, wait)) = (mpsc::channel(), mpsc::channel());
        let (writer, guard) = LogWriter::start(Slow(said, wait));
        (writer, guard, heard, go)
    }

    #[test]
    fn lines_are_written_in_order_and_together() {
        let (mut writer, guard, heard, go) = slow();
        writer.write_all(b"one\n").unwrap();
        assert_eq!(heard.recv_timeout(TEST_TIMEOUT).unwrap(), b"one\n");
        writer.write_all(b"two\n").unwrap();
        writer.write_all(b"three\n").unwrap();
        go.send(()).unwrap();
        assert_eq!(heard.recv_timeout(TEST_TIMEOUT).unwrap(), b"two\nthree\n");
        go.send(()).unwrap();
        drop(guard);
        assert!(heard.recv().is_err());
    }

    #[test]
    fn what_waits_is_written_at_the_end() {
        let (mut writer, guard, heard, go) = slow();
        writer.write_all(b"last words\n").unwrap();
        go.send(()).unwrap();
        drop(guard);
        assert_eq!(heard.recv().unwrap(), b"last words\n");
        // The writer thread has ended, so the line is written directly and the call returns.
        writer.write_all(b"after the end of a test's log\n").unwrap();
    }

    #[test]
    fn a_reader_that_has_stopped_holds_nobody_up_for_good() {
        let (mut writer, guard, heard, go) = slow();
        let line = vec![b'x'; 64 * 1024];
        let count = 4 * MAX_BUFFERED_BYTES / line.len();
        // All calls return although the writer thread cannot write.
        (0..count).for_each(|_| writer.write_all(&line).unwrap());
        let mut written = Vec::new();
        go.send(()).unwrap();
        written.extend(heard.recv_timeout(TEST_TIMEOUT).unwrap());
        go.send(()).unwrap();
        written.extend(heard.recv_timeout(TEST_TIMEOUT).unwrap());
        drop(guard);
        let text = String::from_utf8(written).unwrap();
        let kept = text.matches('x').count() / line.len();
        assert!(
            text.ends_with(&format!("{} log lines were lost: nobody read them\n", count - kept)),
            "{kept} of {count}"
        );
    }

    #[test]
    fn who_logs_more_than_can_be_written_waits_and_loses_nothing() {
        let (writer, guard, heard, go) = slow();
        let line = vec![b'x'; 64 * 1024];
        let count = 3 * MAX_BUFFERED_BYTES / line.len();
        let logging = thread::spawn({
            let (mut writer, line) = (writer.clone(), line.clone());
            move || (0..count).for_each(|_| writer.write_all(&line).unwrap())
        });
        let mut written = heard.recv_timeout(TEST_TIMEOUT).unwrap().len();
        assert!(!logging.is_finished());
        assert!(writer.buffer().bytes.len() <= MAX_BUFFERED_BYTES + line.len());
        while written < count * line.len() {
            go.send(()).unwrap();
            written += heard.recv_timeout(TEST_TIMEOUT).unwrap().len();
        }
        go.send(()).unwrap();
        logging.join().unwrap();
        drop(guard);
        assert_eq!(written, count * line.len());
    }
}
