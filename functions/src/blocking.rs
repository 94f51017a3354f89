//! Long computations, off the threads that serve connections: one for each processor at a time.
//!
//! A thread cannot be interrupted, so what runs here is bounded by its input. A caller that leaves gives its place up only when its
//! computation has ended, so there are never more of them than permits.

use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;

use crate::Refusal;

/// Threads for computations, and the queue before them.
#[derive(Clone, Debug)]
pub(crate) struct Blocking {
    /// The computations at work and those that wait.
    places: Arc<Semaphore>,
    permits: Arc<Semaphore>,
}

impl Blocking {
    /// As many computations at once as there are processors, and as many waiting as are said.
    pub(crate) fn for_each_core(waiting: usize) -> Self {
        Self::new(available_parallelism().map_or(1, usize::from), waiting)
    }

    fn new(at_once: usize, waiting: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(at_once + waiting)), permits: Arc::new(Semaphore::new(at_once)) }
    }

    /// Computes on another thread.
    ///
    /// # Errors
    /// 503 when too many wait already, 500 when the computation panics.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| Refusal::unavailable())?;
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|error| Refusal::internal(&error))?;
        let work = move || {
            let _held = (place, permit);
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|error| Refusal::internal(&error))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

    use std::sync::mpsc;

    use axum::response::IntoResponse;
    use futures_util::future::poll_immediate;
    use http::StatusCode;

    use super::*;

    fn status(refusal: Refusal) -> StatusCode {
        refusal.into_response().status()
    }

    #[tokio::test]
    async fn connections_are_served_while_it_computes() {
        let blocking = Blocking::new(1, 3);
        let (release, released) = mpsc::channel();
        // The runtime has one thread: were it the one that computes, nobody could send.
        let (received, sent) = tokio::join!(blocking.run(move || released.recv()), async { release.send(1) });
        assert_eq!((received.unwrap(), sent), (Ok(1), Ok(())));
    }

    #[tokio::test]
    async fn the_number_at_work_and_the_number_waiting_are_bounded() {
        let blocking = Blocking::new(1, 3);
        let (release, released) = mpsc::channel::<()>();
        let mut first = Box::pin(blocking.run(move || released.recv().is_ok()));
        assert!(poll_immediate(&mut first).await.is_none());
        // Given up by its caller: it is at work all the same, and has its place.
        drop(first);
        let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(blocking.run(|| ()))).collect();
        for computation in &mut waiting {
            assert!(poll_immediate(computation).await.is_none());
        }
        assert_eq!(status(blocking.run(|| ()).await.unwrap_err()), StatusCode::SERVICE_UNAVAILABLE);
        release.send(()).unwrap();
        for computation in waiting {
            computation.await.unwrap();
        }
        blocking.run(|| ()).await.unwrap();
    }

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let blocking = Blocking::new(1, 3);
        let refusal = blocking.run(|| panic!("the case in question")).await.map(|(): ()| ()).unwrap_err();
        assert_eq!(status(refusal), StatusCode::INTERNAL_SERVER_ERROR);
        blocking.run(|| ()).await.unwrap();
    }
}
