//! Handles SIGTERM, SIGINT and SIGHUP.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::error::CommandError;

/// Runs `work` until it finishes or a signal arrives. A signal drops the future of `work`, so that its guards can clean up, such as stopping
/// a PostgreSQL cluster.
///
/// # Errors
/// Returns the error of `work`, or "interrupted" after a signal.
pub(super) async fn interruptible<T>(work: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    let stop = stop_signal()?;
    tokio::select! {
        outcome = work => outcome,
        () = stop.cancelled() => Err("interrupted".into()),
    }
}

/// Returns a token that is cancelled by the first SIGTERM, SIGINT or SIGHUP.
pub(super) fn stop_signal() -> Result<CancellationToken, CommandError> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    // `nohup` starts programs with SIGHUP ignored, so that they outlive their terminal.
    let mut hangup = if is_ignored(SignalKind::hangup()) { None } else { Some(signal(SignalKind::hangup())?) };
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            () = received(&mut hangup) => {}
        }
        cancelled.cancel();
    });
    Ok(token)
}

async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether a signal was ignored when this program was started, according to /proc/self/status.
fn is_ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (kind.as_raw_value() - 1)) != 0
}
