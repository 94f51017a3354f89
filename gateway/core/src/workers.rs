//! Worker threads for CPU-intensive jobs, such as password hashes and untrusted HTML. They have a lower priority than the threads that serve
//! connections.
//!
//! A thread cannot be interrupted, so the input of each job and the number of queued jobs are limited.

use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, available_parallelism};

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// A bounded queue of jobs, and the threads that run them. The threads end when the last clone of this value is dropped.
#[derive(Clone)]
pub struct Workers {
    queue: SyncSender<Job>,
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workers").finish_non_exhaustive()
    }
}

/// Reasons why [`Workers::run`] returns an error instead of the result of a job.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The queue is full.
    #[error("too many jobs are waiting")]
    QueueFull,
    /// The job panicked, or the worker threads have ended.
    #[error("the job panicked")]
    Lost,
}

impl Workers {
    /// Starts one worker thread per processor core, named `name`. The queue holds at most `queue_per_thread` jobs per thread.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn for_each_core(name: &str, queue_per_thread: usize) -> io::Result<Self> {
        Self::start(name, available_parallelism().map_or(1, NonZero::get), queue_per_thread)
    }

    /// Starts `count` worker threads named `name`. The queue holds at most `queue_per_thread` jobs per thread.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn start(name: &str, count: usize, queue_per_thread: usize) -> io::Result<Self> {
        let (queue, jobs) = mpsc::sync_channel(queue_per_thread.saturating_mul(count));
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..count {
            let jobs = Arc::clone(&jobs);
            thread::Builder::new().name(name.to_owned()).spawn(move || run_jobs(&jobs))?;
        }
        Ok(Self { queue })
    }

    /// Runs a job and returns its result. If the future that waits for the result is dropped while the job is still in the queue, the job
    /// does not run.
    ///
    /// # Errors
    /// When the queue is full, the job panics, or the worker threads have ended.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, JobError> {
        let (answer, result) = oneshot::channel();
        let job: Job = Box::new(move || {
            if !answer.is_closed() {
                let _ = answer.send(work());
            }
        });
        self.queue.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => JobError::QueueFull,
            TrySendError::Disconnected(_) => JobError::Lost,
        })?;
        result.await.map_err(|_| JobError::Lost)
    }
}

fn run_jobs(jobs: &Mutex<Receiver<Job>>) {
    lower_priority();
    loop {
        // One idle thread waits for a job while it holds the lock of the queue. The other idle threads wait for the lock.
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => {
                // The panic hook logs the panic of a job. The thread continues with the next job.
                let _ = catch_unwind(AssertUnwindSafe(job));
            }
            Err(mpsc::RecvError) => return,
        }
    }
}

/// Lowers the priority of the calling thread, so that CPU-intensive jobs use idle processor time and requests do not wait for them. With the
/// niceness `NICENESS`, Linux gives the thread a tenth of the processor time of a normal thread.
#[cfg(target_os = "linux")]
pub fn lower_priority() {
    const NICENESS: i32 = 10;
    // If the operating system refuses the new priority, the thread keeps its priority.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS);
}

/// Does nothing, because this operating system has no priority for single threads.
#[cfg(not(target_os = "linux"))]
pub fn lower_priority() {}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUE: usize = 3;

    #[tokio::test]
    async fn what_nobody_waits_for_is_not_done() {
        let workers = Workers::start("test", 1, QUEUE).unwrap();
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
            // Queues the second job behind the first job, then cancels the second job.
            drop(futures_util::future::select(second, std::future::ready(())).await);
            release.send(()).is_ok()
        };
        assert_eq!(tokio::join!(first, asked), (Ok(true), true));
        assert_eq!(workers.run(|| 1).await, Ok(1));
        assert!(is_done.try_recv().is_err());
    }

    #[tokio::test]
    async fn a_panic_takes_one_answer_and_no_thread() {
        let workers = Workers::start("test", 1, QUEUE).unwrap();
        let lost: Result<(), JobError> = workers.run(|| panic!("a hash that cannot be")).await;
        assert_eq!(lost, Err(JobError::Lost));
        assert_eq!(workers.run(|| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn a_full_queue_takes_no_more() {
        let workers = Workers::start("test", 1, QUEUE).unwrap();
        let (begun, has_begun) = oneshot::channel();
        let (release, released) = mpsc::channel::<()>();
        let mut first = Box::pin(workers.run(move || {
            let _ = begun.send(());
            released.recv().is_ok()
        }));
        // After one poll of each future, each job is queued or refused.
        let _ = futures_util::future::select(&mut first, std::future::ready(())).await;
        let _ = has_begun.await;
        let mut waiting: Vec<_> = (0..QUEUE).map(|n| Box::pin(workers.run(move || n))).collect();
        for job in &mut waiting {
            let polled = futures_util::future::select(job, std::future::ready(())).await;
            assert!(matches!(polled, futures_util::future::Either::Right(_)));
        }
        let refused = futures_util::FutureExt::now_or_never(workers.run(|| 1));
        assert_eq!(refused, Some(Err(JobError::QueueFull)));
        let _ = release.send(());
        assert_eq!(first.await, Ok(true));
        assert_eq!(futures_util::future::join_all(waiting).await.len(), QUEUE);
        assert_eq!(workers.run(|| 1).await, Ok(1));
    }
}
