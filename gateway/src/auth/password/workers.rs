//! The threads that hash passwords: one for each core, giving way to everything else that wants the processor.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// A queue, and the threads that work it off. They end when it is dropped.
pub(super) struct Workers {
    queue: Sender<Job>,
}

impl Workers {
    /// Starts `count` threads.
    pub(super) fn start(count: usize) -> std::io::Result<Self> {
        let (queue, jobs) = mpsc::channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..count {
            let jobs = Arc::clone(&jobs);
            std::thread::Builder::new().name("password".into()).spawn(move || work_off(&jobs))?;
        }
        Ok(Self { queue })
    }

    /// What `work` comes to; none when it panicked. Nobody's work is not done: whoever asked may have left while it was queued.
    pub(super) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (answer, result) = oneshot::channel();
        let job: Job = Box::new(move || {
            if !answer.is_closed() {
                let _ = answer.send(work());
            }
        });
        self.queue.send(job).ok()?;
        result.await.ok()
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
        assert_eq!(tokio::join!(first, asked), (Some(true), true));
        assert_eq!(workers.run(|| 1).await, Some(1));
        assert!(is_done.try_recv().is_err());
    }

    #[tokio::test]
    async fn a_panic_takes_one_answer_and_no_thread() {
        let Ok(workers) = Workers::start(1) else { return };
        #[expect(clippy::panic, reason = "the case in question")]
        let lost: Option<()> = workers.run(|| panic!("a hash that cannot be")).await;
        assert_eq!(lost, None);
        assert_eq!(workers.run(|| 1).await, Some(1));
    }
}
