//! The threads that hash passwords: one for each core, giving way to everything else that wants the processor.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// Jobs that may wait for each thread. A hash takes some 50 ms, and a request is given up after ten seconds: what is further behind
/// would not be waited for.
const QUEUE_PER_THREAD: usize = 200;

/// A bounded queue, and the threads that work it off. They end when it is dropped.
pub(super) struct Workers {
    queue: SyncSender<Job>,
}

/// Why nothing was computed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Undone {
    /// As many jobs as may are waiting.
    QueueFull,
    /// The work panicked, or the threads are gone.
    Lost,
}

impl Workers {
    /// Starts `count` threads.
    pub(super) fn start(count: usize) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::sync_channel(QUEUE_PER_THREAD.saturating_mul(count.max(1)));
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..count {
            let jobs = Arc::clone(&jobs);
            std::thread::Builder::new().name("password".into()).spawn(move || work_off(&jobs))?;
        }
        Ok(Self { queue })
    }

    /// What `work` comes to. Nobody's work is not done: whoever asked may have left while it was queued.
    pub(super) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Undone> {
        let (answer, result) = oneshot::channel();
        let job: Job = Box::new(move || {
            if !answer.is_closed() {
                let _ = answer.send(work());
            }
        });
        self.queue.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => Undone::QueueFull,
            TrySendError::Disconnected(_) => Undone::Lost,
        })?;
        result.await.map_err(|_| Undone::Lost)
    }
}

fn work_off(jobs: &Mutex<Receiver<Job>>) {
    give_way();
    loop {
        // One thread waits for a job, the others for their turn to wait.
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => {
                // The panic is reported by its hook; the thread is there for the next one.
                let _ = catch_unwind(AssertUnwindSafe(job));
            }
            Err(mpsc::RecvError) => return,
        }
    }
}

/// A burst of sign-ins uses every core that is idle, and a token refresh beside it does not wait for one: Linux gives a thread of
/// this priority a tenth of what another gets.
#[cfg(target_os = "linux")]
fn give_way() {
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 10);
}

#[cfg(not(target_os = "linux"))]
fn give_way() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_done() {
        let Ok(workers) = Workers::start(1) else { return };
        let (begun, has_begun) = oneshot::channel();
        let (release, released) = mpsc::channel::<()>();
        let (done, is_done) = mpsc::channel();
        let first = workers.run(move || {
            let _ = begun.send(());
            released.recv().is_ok()
        });
        let second = Box::pin(workers.run(move || done.send(())));
        let asked = async {
            let _ = has_begun.await;
            // Queued behind the first, and given up.
            drop(futures_util::future::select(second, std::future::ready(())).await);
            release.send(()).is_ok()
        };
        assert_eq!(tokio::join!(first, asked), (Ok(true), true));
        assert_eq!(workers.run(|| 1).await, Ok(1));
        assert!(is_done.try_recv().is_err());
    }

    #[tokio::test]
    async fn a_panic_takes_one_answer_and_no_thread() {
        let Ok(workers) = Workers::start(1) else { return };
        #[expect(clippy::panic, reason = "the case in question")]
        let lost: Result<(), Undone> = workers.run(|| panic!("a hash that cannot be")).await;
        assert_eq!(lost, Err(Undone::Lost));
        assert_eq!(workers.run(|| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn a_full_queue_takes_no_more() {
        let Ok(workers) = Workers::start(1) else { return };
        let (begun, has_begun) = oneshot::channel();
        let (release, released) = mpsc::channel::<()>();
        let mut first = Box::pin(workers.run(move || {
            let _ = begun.send(());
            released.recv().is_ok()
        }));
        // Polled once, each job is in the queue, or refused.
        let _ = futures_util::future::select(&mut first, std::future::ready(())).await;
        let _ = has_begun.await;
        let mut waiting: Vec<_> = (0..QUEUE_PER_THREAD).map(|n| Box::pin(workers.run(move || n))).collect();
        for job in &mut waiting {
            let polled = futures_util::future::select(job, std::future::ready(())).await;
            assert!(matches!(polled, futures_util::future::Either::Right(_)));
        }
        let refused = futures_util::FutureExt::now_or_never(workers.run(|| 1));
        assert_eq!(refused, Some(Err(Undone::QueueFull)));
        let _ = release.send(());
        assert_eq!(first.await, Ok(true));
        assert_eq!(futures_util::future::join_all(waiting).await.len(), QUEUE_PER_THREAD);
        assert_eq!(workers.run(|| 1).await, Ok(1));
    }
}
