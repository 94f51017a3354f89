//! Permits to render images. Decoding and encoding cannot be interrupted. Therefore the number of concurrent renderings, the size of each
//! image and the waiting time are limited. Slow renderings may use at most half of the threads (at least one), so that the other threads
//! stay free for fast renderings.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use cloch_core::workers::lower_priority;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::pixels::{self, Format};
use super::svg;
use super::transform::Transform;
use crate::error::{Error, Result};
use crate::settings::Images;

/// Maximum number of requests that wait for a render permit. Waiting requests hold no image in memory.
const MAX_WAITING: usize = 256;
/// Maximum time for which a request waits for a render permit.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub(crate) struct RenderPermits {
    free: Arc<Semaphore>,
    /// Permits for slow renderings. A slow rendering needs a permit of `free_for_long` and a permit of `free`.
    free_for_long: Arc<Semaphore>,
    waiting: Semaphore,
    memory: Arc<MemoryBudget>,
}

#[derive(Debug)]
pub(crate) struct RenderPermit {
    permits: (OwnedSemaphorePermit, Option<OwnedSemaphorePermit>),
    memory: Arc<MemoryBudget>,
}

fn busy() -> Error {
    Error::Busy("Too many images are being rendered. Please try again later.")
}

impl RenderPermits {
    pub(crate) fn new(settings: &Images) -> Self {
        Self {
            free: Arc::new(Semaphore::new(settings.threads.max(1))),
            free_for_long: Arc::new(Semaphore::new((settings.threads / 2).max(1))),
            waiting: Semaphore::new(MAX_WAITING),
            memory: Arc::new(MemoryBudget::new(settings.max_memory)),
        }
    }

    /// Waits for a render permit. `takes_long` is the result of [`Transform::takes_long`].
    ///
    /// # Errors
    /// [`Error::Busy`] if too many requests are waiting, or after [`ACQUIRE_TIMEOUT`].
    pub(crate) async fn acquire(&self, takes_long: bool) -> Result<RenderPermit> {
        let _place = self.waiting.try_acquire().map_err(|_| busy())?;
        let acquired = async {
            // The permit for slow renderings is acquired first, so that a request that waits for it holds no general permit.
            let long = if takes_long { Some(self.free_for_long.clone().acquire_owned().await?) } else { None };
            Ok::<_, AcquireError>((self.free.clone().acquire_owned().await?, long))
        };
        let permits =
            timeout(ACQUIRE_TIMEOUT, acquired).await.ok().and_then(std::result::Result::ok).ok_or_else(busy)?;
        Ok(RenderPermit { permits, memory: self.memory.clone() })
    }
}

impl RenderPermit {
    /// Renders an image on a new thread. The thread holds the permit until it finishes, even if the client has disconnected.
    ///
    /// # Errors
    /// The same errors as [`pixels::Source::render`].
    pub(crate) async fn render(
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
            let rendered = self.render_here(&source, &transform, accepts_webp, &limits, is_wanted);
            drop(self.permits);
            // The receiver is dropped if the client has disconnected.
            let _ = done.send(rendered);
        };
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| Error::Internal {
            context: "rendering an image",
            source,
        };
        std::thread::Builder::new().name("image".to_owned()).spawn(work).map_err(|error| failed(error.into()))?;
        // If a decoder panics, the sender is dropped and this wait fails.
        outcome.await.map_err(|error| failed(error.into()))?
    }

    /// Renders an image on the current thread. First waits until the memory that the rendering needs is available.
    fn render_here(
        &self,
        source: &[u8],
        transform: &Transform,
        accepts_webp: bool,
        limits: &Images,
        is_wanted: impl Fn() -> bool,
    ) -> Result<(Format, Bytes)> {
        if svg::is_svg(source) {
            let _memory = self.memory.reserve(svg::memory(source))?;
            return Ok((Format::Svg, svg::sanitised(source)?));
        }
        let source = pixels::Source::open(source, limits)?;
        let _memory = self.memory.reserve(source.memory(transform, accepts_webp)?)?;
        source.render(transform, accepts_webp, is_wanted)
    }
}

/// Limits the total memory of all images being rendered.
#[derive(Debug)]
struct MemoryBudget {
    limit: u64,
    taken: Mutex<u64>,
    freed: Condvar,
}

/// Memory reserved in a [`MemoryBudget`], released on drop.
#[derive(Debug)]
struct MemoryReservation<'a> {
    memory: &'a MemoryBudget,
    bytes: u64,
}

impl MemoryBudget {
    fn new(limit: u64) -> Self {
        Self { limit, taken: Mutex::new(0), freed: Condvar::new() }
    }

    fn has_room(&self, taken: u64, bytes: u64) -> bool {
        taken.saturating_add(bytes) <= self.limit
    }

    /// Waits until `bytes` bytes are available and reserves them.
    ///
    /// # Errors
    /// [`Error::Image`] if `bytes` exceeds the limit of the budget.
    fn reserve(&self, bytes: u64) -> Result<MemoryReservation<'_>> {
        if bytes > self.limit {
            return Err(Error::Image("The image takes more memory than there is: ask for a smaller width or height"));
        }
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = self.freed.wait_while(taken, |taken| !self.has_room(*taken, bytes));
        let mut taken = taken.unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_add(bytes);
        Ok(MemoryReservation { memory: self, bytes })
    }
}

impl Drop for MemoryReservation<'_> {
    fn drop(&mut self) {
        let mut taken = self.memory.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(self.bytes);
        self.memory.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Poll;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_so_many_wait_and_none_for_long() {
        let permits = Arc::new(RenderPermits::new(&Images { threads: 1, ..Images::default() }));
        let (first, begun) = (permits.acquire(false).await.unwrap(), tokio::time::Instant::now());
        let waiting: Vec<_> = (0..MAX_WAITING)
            .map(|_| {
                let permits = permits.clone();
                tokio::spawn(async move { permits.acquire(false).await })
            })
            .collect();
        // Lets all spawned tasks start waiting for a permit.
        for _ in 0..MAX_WAITING {
            tokio::task::yield_now().await;
        }
        let one_more = Box::pin(permits.acquire(false));
        assert!(
            matches!(futures_util::poll!(one_more), Poll::Ready(Err(Error::Busy(_)))),
            "it need not wait for its answer"
        );
        for waited in waiting {
            assert_eq!(waited.await.unwrap().unwrap_err().status(), 503);
        }
        // Tokio's paused clock advances only while all tasks are idle.
        assert!(begun.elapsed() < 2 * ACQUIRE_TIMEOUT);
        drop(first);
        permits.acquire(false).await.unwrap();
    }

    #[tokio::test]
    async fn images_that_take_long_leave_threads_for_others() {
        let permits = RenderPermits::new(&Images { threads: 2, ..Images::default() });
        let first = permits.acquire(true).await.unwrap();
        let mut second = Box::pin(permits.acquire(true));
        assert!(futures_util::poll!(&mut second).is_pending());
        drop(permits.acquire(false).await.unwrap());
        drop(first);
        second.await.unwrap();
    }

    #[tokio::test]
    async fn a_permit_is_held_until_the_work_is_done_also_when_nobody_waits_for_it() {
        let permits = Arc::new(RenderPermits::new(&Images { threads: 1, ..Images::default() }));
        // The rendering waits for memory, so the test controls the duration of the rendering.
        let memory = permits.memory.clone();
        let held = memory.reserve(memory.limit).unwrap();
        let mut png = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(9, 9).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let (source, permit) = (Bytes::from(png.into_inner()), permits.acquire(false).await.unwrap());
        let mut rendering = Box::pin(permit.render(source, Transform::default(), false, Images::default()));
        assert!(futures_util::poll!(&mut rendering).is_pending());
        drop(rendering);

        let is_done = Arc::new(AtomicBool::new(false));
        let (others, done) = (permits.clone(), is_done.clone());
        let next = tokio::spawn(async move {
            let _permit = others.acquire(false).await.unwrap();
            done.load(Ordering::SeqCst)
        });
        // Give the next task enough time to acquire a render permit. The test then shows that the task did not get a permit.
        tokio::time::sleep(Duration::from_millis(50)).await;
        is_done.store(true, Ordering::SeqCst);
        drop(held);
        assert!(next.await.unwrap(), "the next one was acquired while the work went on");
    }

    #[test]
    fn images_that_do_not_fit_together_are_made_one_after_the_other() {
        let memory = MemoryBudget::new(10);
        assert!(memory.has_room(0, 10) && memory.has_room(7, 3));
        assert!(!memory.has_room(7, 4) && !memory.has_room(1, u64::MAX));
        assert!(memory.reserve(11).is_err(), "one that is larger than the memory is not made");
        drop(memory.reserve(10).unwrap());
        assert!(memory.reserve(10).is_ok(), "what was reserved is free again");
    }
}
