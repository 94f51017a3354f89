//! Supervision of background tasks: a task that panics is logged and restarted.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;

/// Delay between a panic of a background task and its restart, so that repeated panics do not use up the processor.
pub const RESTART_DELAY: Duration = Duration::from_secs(1);

/// Runs a background task until it ends by itself. If the task panics, logs the panic and restarts the task, unless `shutdown` is cancelled.
///
/// When `shutdown` is cancelled, the task has to end by itself, because this function does not abort the task.
///
/// ```ignore
/// work.spawn(supervise("mail worker", shutdown.clone(), move || worker::run(mailer.clone(), shutdown.clone())));
/// ```
pub async fn supervise<F: Future<Output = ()>>(name: &str, shutdown: CancellationToken, mut start: impl FnMut() -> F) {
    loop {
        // `start` may panic before it returns its future, so it is called inside the future that catches panics.
        let run = AssertUnwindSafe(async { start().await }).catch_unwind();
        let Err(panic) = run.await else { return };
        tracing::error!(
            task = name,
            panic = panic_text(&*panic),
            "server: background task panicked, restarting the task in 1 s"
        );
        if shutdown.run_until_cancelled(tokio::time::sleep(RESTART_DELAY)).await.is_none() {
            return;
        }
    }
}

/// Returns the message of a panic, for the log.
#[must_use]
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_task_that_panics_is_started_again_until_it_ends() {
        let starts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&starts);
        let task = supervise("test", CancellationToken::new(), move || {
            let start = counted.fetch_add(1, Ordering::Relaxed);
            async move { assert!(start > 0, "the first start fails") }
        });
        tokio::spawn(task).await.unwrap();
        assert_eq!(starts.load(Ordering::Relaxed), 2);
    }

    #[tokio::test]
    async fn a_task_that_panics_is_not_started_again_after_shutdown() {
        let shutdown = CancellationToken::new();
        shutdown.cancel();
        let mut starts = 0;
        supervise("test", shutdown, || {
            starts += 1;
            async { panic!("always") }
        })
        .await;
        assert_eq!(starts, 1);
    }

    #[test]
    fn both_kinds_of_panic_have_a_text() {
        let text = |panic: Box<dyn Any + Send>| panic_text(&*panic).to_owned();
        assert_eq!(text(Box::new("literal")), "literal");
        assert_eq!(text(Box::new("formatted".to_owned())), "formatted");
        assert_eq!(text(Box::new(1)), "no text");
    }
}
