//! Turns at making images. Decoding and encoding cannot be interrupted, so what bounds them is that few run at once, that the size
//! of each is bounded before it begins, and that nobody waits long.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use cloch_sql::workers::lower_priority;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::Transform;
use super::pixels::{self, Format};
use crate::error::{Error, Result};
use crate::settings::Images;

/// Requests that wait for a turn. They hold no image yet.
const MAX_WAITING: usize = 256;
/// How long a request waits for a turn.
const MAX_WAIT: Duration = Duration::from_secs(20);

/// The turns of this node.
#[derive(Debug)]
pub(super) struct Turns {
    free: Arc<Semaphore>,
    waiting: Semaphore,
    memory: Arc<Memory>,
}

/// The right to make an image.
#[derive(Debug)]
pub(crate) struct Turn {
    permit: OwnedSemaphorePermit,
    memory: Arc<Memory>,
}

fn busy() -> Error {
    Error::Busy("Too many images are being rendered. Please try again later.")
}

impl Turns {
    pub(super) fn new(settings: &Images) -> Self {
        Self {
            free: Arc::new(Semaphore::new(settings.threads.max(1))),
            waiting: Semaphore::new(MAX_WAITING),
            memory: Arc::new(Memory::new(settings.max_memory)),
        }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// [`Error::Busy`] when too many wait already, or for too long.
    pub(super) async fn wait(&self) -> Result<Turn> {
        let turn = |permit| Turn { permit, memory: self.memory.clone() };
        if let Ok(permit) = self.free.clone().try_acquire_owned() {
            return Ok(turn(permit));
        }
        let _place = self.waiting.try_acquire().map_err(|_| busy())?;
        let permit = timeout(MAX_WAIT, self.free.clone().acquire_owned()).await;
        permit.ok().and_then(Result::ok).map(turn).ok_or_else(busy)
    }
}

impl Turn {
    /// Makes an image on a thread of its own. The turn lasts as long as that thread works, also when nobody waits for it any more.
    ///
    /// # Errors
    /// As [`pixels::render`].
    pub(super) async fn render(
        self,
        source: Bytes,
        transform: Transform,
        accepts_webp: bool,
        limits: Images,
    ) -> Result<(Format, Bytes)> {
        let (done, outcome) = oneshot::channel();
        let work = move || {
            lower_priority();
            let is_wanted = || !done.is_closed();
            let rendered = pixels::Source::open(&source, &limits).and_then(|source| {
                let _memory = self.memory.take(source.memory());
                source.render(&transform, accepts_webp, is_wanted)
            });
            drop(self.permit);
            // Nobody waits when the client has left.
            let _ = done.send(rendered);
        };
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| Error::Internal {
            context: "rendering an image",
            source,
        };
        std::thread::Builder::new().name("image".to_owned()).spawn(work).map_err(|error| failed(error.into()))?;
        // A decoder that panics drops the sender.
        outcome.await.map_err(|error| failed(error.into()))?
    }
}

/// The bytes that all images being made take together.
#[derive(Debug)]
struct Memory {
    limit: u64,
    taken: Mutex<u64>,
    freed: Condvar,
}

/// A share of the memory, until it is dropped.
#[derive(Debug)]
struct Share<'a> {
    memory: &'a Memory,
    bytes: u64,
}

impl Memory {
    fn new(limit: u64) -> Self {
        Self { limit, taken: Mutex::new(0), freed: Condvar::new() }
    }

    /// An image that needs more than all of the memory is made alone.
    fn has_room(&self, taken: u64, bytes: u64) -> bool {
        taken == 0 || taken.saturating_add(bytes) <= self.limit
    }

    /// Waits for so many bytes.
    fn take(&self, bytes: u64) -> Share<'_> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.freed.wait_while(taken, |taken| !self.has_room(*taken, bytes));
        let mut taken = taken.unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_add(bytes);
        Share { memory: self, bytes }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut taken = self.memory.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(self.bytes);
        self.memory.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Poll;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_so_many_wait_and_none_for_long() {
        let turns = Arc::new(Turns::new(&Images { threads: 1, ..Images::default() }));
        let first = turns.wait().await.unwrap();
        let waiting: Vec<_> = (0..MAX_WAITING)
            .map(|_| {
                let turns = turns.clone();
                tokio::spawn(async move { turns.wait().await })
            })
            .collect();
        // All of them come to their wait.
        for _ in 0..MAX_WAITING {
            tokio::task::yield_now().await;
        }
        let one_more = Box::pin(turns.wait());
        assert!(
            matches!(futures_util::poll!(one_more), Poll::Ready(Err(Error::Busy(_)))),
            "it need not wait for its answer"
        );
        for waited in waiting {
            assert_eq!(waited.await.unwrap().unwrap_err().status(), 503);
        }
        drop(first);
        turns.wait().await.unwrap();
    }

    #[tokio::test]
    async fn a_turn_lasts_until_the_work_is_done_also_when_nobody_waits_for_it() {
        let turns = Arc::new(Turns::new(&Images { threads: 1, max_memory: 1, ..Images::default() }));
        // The work waits for memory, and so takes as long as this test wants.
        let memory = turns.memory.clone();
        let held = memory.take(1);
        let mut png = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(9, 9).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let (source, turn) = (Bytes::from(png.into_inner()), turns.wait().await.unwrap());
        let mut rendering = Box::pin(turn.render(source, Transform::default(), false, Images::default()));
        assert!(futures_util::poll!(&mut rendering).is_pending());
        drop(rendering);

        let is_done = Arc::new(AtomicBool::new(false));
        let (others, done) = (turns.clone(), is_done.clone());
        let next = tokio::spawn(async move {
            let _turn = others.wait().await.unwrap();
            done.load(Ordering::SeqCst)
        });
        // Time for the next one to come too early, if it may.
        tokio::time::sleep(Duration::from_millis(50)).await;
        is_done.store(true, Ordering::SeqCst);
        drop(held);
        assert!(next.await.unwrap(), "the next turn began while the work went on");
    }

    #[test]
    fn images_that_do_not_fit_together_are_made_one_after_the_other() {
        let memory = Memory::new(10);
        assert!(memory.has_room(0, 10) && memory.has_room(7, 3));
        assert!(!memory.has_room(7, 4) && !memory.has_room(1, u64::MAX));
        assert!(memory.has_room(0, 99), "one that is larger than the memory is made alone");
    }
}
