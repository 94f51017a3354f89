//! The signals that end a command in order.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::error::CommandError;

/// Runs work until it ends or a signal ends it. What it has opened is closed then: a cluster is stopped.
///
/// # Errors
/// Those of the work; that it was interrupted.
pub(super) async fn interruptible<T>(work: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    let stop = stop_signal()?;
    tokio::select! {
        outcome = work => outcome,
        () = stop.cancelled() => Err("interrupted".into()),
    }
}

/// A token that is cancelled by the first SIGTERM, SIGINT or SIGHUP.
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

/// Whether this program was started with a signal ignored, according to /proc.
fn is_ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (kind.as_raw_value() - 1)) != 0
}
