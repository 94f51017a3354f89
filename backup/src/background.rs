//! Runs long background work (base backups, restore drills) on separate threads with a lower priority, so that the work slows neither requests nor
//! WAL shipping.

use std::future::Future;

use tokio::task::JoinHandle;

use crate::error::{BackupError, Result};

/// `nice` value of background threads. While request threads use all processor cores, a background thread gets about a tenth of a core.
const NICE: i32 = 10;

/// Starts `work` on a separate thread with the priority [`NICE`]. File operations and child processes of the work inherit this priority.
/// The work is dropped when the returned handle is aborted.
pub(crate) fn start<T, F>(name: &'static str, work: impl FnOnce() -> F + Send + 'static) -> JoinHandle<Result<T>>
where
    T: Send + 'static,
    F: Future<Output = Result<T>>,
{
    tokio::spawn(async move {
        let (mut outcome, ended) = tokio::sync::oneshot::channel();
        let thread = move || {
            // On Linux, a call without a process id sets the priority of this thread only. Threads and processes that this thread starts
            // inherit it. On other systems, the call would slow down the whole program.
            if cfg!(target_os = "linux") {
                let _ = rustix::process::setpriority_process(None, NICE);
            }
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = outcome.send(Err(BackupError::io(name)(error)));
                    return;
                }
            };
            let done = runtime.block_on(async {
                tokio::select! {
                    done = work() => Some(done),
                    () = outcome.closed() => None,
                }
            });
            if let Some(done) = done {
                let _ = outcome.send(done);
            }
        };
        std::thread::Builder::new().name(name.to_owned()).spawn(thread).map_err(BackupError::io(name))?;
        ended.await.map_err(|_| BackupError::Stopped)?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_has_its_priority_and_ends_when_it_is_aborted() -> Result<()> {
        let priority =
            || async { rustix::process::getpriority_process(None).map_err(|e| BackupError::io("nice")(e.into())) };
        let before = priority().await?;
        let nice = start("test", priority).await.map_err(|_| BackupError::Stopped)??;
        assert_eq!((nice, priority().await?), (NICE, before));

        let (held, dropped) = tokio::sync::oneshot::channel::<()>();
        let endless = start("test", move || async move {
            let _held = held;
            std::future::pending::<Result<()>>().await
        });
        tokio::task::yield_now().await;
        endless.abort();
        assert!(dropped.await.is_err(), "the work was dropped");
        Ok(())
    }
}
