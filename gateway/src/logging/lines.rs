//! Lines on their way out: gathered where they come from, written by a thread of its own.
//!
//! The thread waits a little after the first line before it writes all that have come. So a busy program wakes it some dozens of
//! times a second, not for every request: to wake a thread takes longer than to write a line, and takes the processor from the answer.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long lines wait for others.
const GATHERING: Duration = Duration::from_millis(20);
/// Bytes that may wait; more hold up who logs, so that none is lost.
const MOST: usize = 1024 * 1024;
/// For how long who logs is held up. After that whoever reads the lines has stopped reading: requests go on, and lines are lost.
const LONGEST_WAIT: Duration = Duration::from_secs(1);
/// Room that is kept between two writes.
const KEPT: usize = 64 * 1024;

/// Where lines are put. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// The thread has something to do.
    work: Condvar,
    /// Those who are held up may go on.
    room: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Lines that were lost since the last writing; where there are some nobody waits.
    lost: u64,
    /// There is no thread any more: lines are written where they come from.
    ended: bool,
}

/// The thread that writes lines. What still waits when this is dropped is written first.
#[derive(Debug)]
#[must_use = "the lines of a command are written until this is dropped"]
pub struct Writing {
    lines: Lines,
    /// None if the system gave none.
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    /// Starts the thread.
    pub(super) fn start(out: impl Write + Send + 'static) -> (Self, Writing) {
        let lines = Self::default();
        let shared = lines.clone();
        let thread = thread::Builder::new().name("log".to_owned()).spawn(move || shared.write_to(out)).ok();
        lines.waiting().ended = thread.is_none();
        (lines.clone(), Writing { lines, thread })
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_to(&self, mut out: impl Write) {
        let mut bytes = Vec::new();
        loop {
            let idle = self.0.work.wait_while(self.waiting(), |waiting| waiting.bytes.is_empty() && !waiting.ended);
            let first = idle.unwrap_or_else(PoisonError::into_inner);
            let more = |waiting: &mut Waiting| waiting.bytes.len() < MOST && !waiting.ended;
            let (mut waiting, _) =
                self.0.work.wait_timeout_while(first, GATHERING, more).unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut bytes, &mut waiting.bytes);
            match std::mem::take(&mut waiting.lost) {
                0 => {}
                lost => bytes.extend_from_slice(format!("{lost} log lines were lost: nobody read them\n").as_bytes()),
            }
            let ended = waiting.ended;
            drop(waiting);
            self.0.room.notify_all();
            // If nobody can read them there is nobody to tell.
            let _ = out.write_all(&bytes).and_then(|()| out.flush());
            if ended {
                return;
            }
            bytes.clear();
            bytes.shrink_to(KEPT);
        }
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let has_no_room = |waiting: &mut Waiting| waiting.bytes.len() >= MOST && !waiting.ended && waiting.lost == 0;
        let waited = self.0.room.wait_timeout_while(self.waiting(), LONGEST_WAIT, has_no_room);
        let (mut waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if waiting.ended {
            return io::stderr().write(line);
        }
        if waiting.bytes.len() >= MOST {
            waiting.lost += 1;
            return Ok(line.len());
        }
        let before = waiting.bytes.len();
        waiting.bytes.extend_from_slice(line);
        let (is_first, is_full) = (before == 0, waiting.bytes.len() >= MOST);
        drop(waiting);
        if is_first || is_full {
            self.0.work.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.lines.waiting().ended = true;
        self.lines.0.work.notify_one();
        self.lines.0.room.notify_all();
        if let Some(thread) = self.thread.take() {
            // It ended with a panic: there is nothing left to be written.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::mpsc;

    use super::*;

    const SOON: Duration = Duration::from_secs(10);

    /// Hands on what is written, piece by piece, and takes the next when it is told to.
    struct Slow(mpsc::Sender<Vec<u8>>, mpsc::Receiver<()>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
            self.1.recv_timeout(SOON).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (Lines, Writing, mpsc::Receiver<Vec<u8>>, mpsc::Sender<()>) {
        let ((said, heard), (go, wait)) = (mpsc::channel(), mpsc::channel());
        let (lines, writing) = Lines::start(Slow(said, wait));
        (lines, writing, heard, go)
    }

    #[test]
    fn lines_are_written_in_order_and_together() {
        let (mut lines, writing, heard, go) = slow();
        lines.write_all(b"one\n").unwrap();
        assert_eq!(heard.recv_timeout(SOON).unwrap(), b"one\n");
        lines.write_all(b"two\n").unwrap();
        lines.write_all(b"three\n").unwrap();
        go.send(()).unwrap();
        assert_eq!(heard.recv_timeout(SOON).unwrap(), b"two\nthree\n");
        go.send(()).unwrap();
        drop(writing);
        assert!(heard.recv().is_err());
    }

    #[test]
    fn what_waits_is_written_at_the_end() {
        let (mut lines, writing, heard, go) = slow();
        lines.write_all(b"last words\n").unwrap();
        go.send(()).unwrap();
        drop(writing);
        assert_eq!(heard.recv().unwrap(), b"last words\n");
        // Nobody writes any more, and nobody waits for that.
        lines.write_all(b"after the end of a test's log\n").unwrap();
    }

    #[test]
    fn a_reader_that_has_stopped_holds_nobody_up_for_good() {
        let (mut lines, writing, heard, go) = slow();
        let line = vec![b'x'; 64 * 1024];
        let count = 4 * MOST / line.len();
        // All of it returns although nothing is written.
        (0..count).for_each(|_| lines.write_all(&line).unwrap());
        let mut written = Vec::new();
        go.send(()).unwrap();
        written.extend(heard.recv_timeout(SOON).unwrap());
        go.send(()).unwrap();
        written.extend(heard.recv_timeout(SOON).unwrap());
        drop(writing);
        let text = String::from_utf8(written).unwrap();
        let kept = text.matches('x').count() / line.len();
        assert!(
            text.ends_with(&format!("{} log lines were lost: nobody read them\n", count - kept)),
            "{kept} of {count}"
        );
    }

    #[test]
    fn who_logs_more_than_can_be_written_waits_and_loses_nothing() {
        let (lines, writing, heard, go) = slow();
        let line = vec![b'x'; 64 * 1024];
        let count = 3 * MOST / line.len();
        let logging = thread::spawn({
            let (mut lines, line) = (lines.clone(), line.clone());
            move || (0..count).for_each(|_| lines.write_all(&line).unwrap())
        });
        let mut written = heard.recv_timeout(SOON).unwrap().len();
        assert!(!logging.is_finished());
        assert!(lines.waiting().bytes.len() <= MOST + line.len());
        while written < count * line.len() {
            go.send(()).unwrap();
            written += heard.recv_timeout(SOON).unwrap().len();
        }
        go.send(()).unwrap();
        logging.join().unwrap();
        drop(writing);
        assert_eq!(written, count * line.len());
    }
}
