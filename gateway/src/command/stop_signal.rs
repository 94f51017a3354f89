//! Handles SIGTERM, SIGINT and SIGHUP.

use std::fs::File;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::error::CommandError;

/// Signals of the server.
pub(super) struct ServerSignals {
    /// Cancelled by SIGTERM, by SIGINT, and by SIGHUP if the terminal was closed.
    pub(super) stop: CancellationToken,
    /// Notified by a SIGHUP that does not come from the closing of the terminal. The server then reads the settings again. A notification
    /// is kept until a task waits for it.
    pub(super) reload: Arc<Notify>,
}

/// Runs `work` until it finishes or a signal arrives. A signal drops the future of `work`, so that its guards can clean up, such as stopping
/// a PostgreSQL cluster.
///
/// # Errors
/// Returns the error of `work`, or "interrupted" after a signal.
pub(super) async fn interruptible<T>(work: impl Future<Output = Result<T, CommandError>>) -> Result<T, CommandError> {
    // `nohup` starts programs with SIGHUP ignored, so that they continue to run after the terminal is closed.
    let hangup = if is_ignored(SignalKind::hangup()) { None } else { Some(signal(SignalKind::hangup())?) };
    let stop = stop_signal(received(hangup))?;
    tokio::select! {
        outcome = work => outcome,
        () = stop.cancelled() => Err("interrupted".into()),
    }
}

/// Returns the signals of the server. SIGHUP has two senders: the kernel when the terminal of the server is closed, which ends the server,
/// and operators (`systemctl reload`, `kill -HUP`), who want the settings to be read again. A server that was started with `nohup`
/// continues to run after its terminal is closed.
pub(super) fn server_signals() -> Result<ServerSignals, CommandError> {
    let ends_with_terminal = !is_ignored(SignalKind::hangup()) && has_terminal();
    let mut hangup = signal(SignalKind::hangup())?;
    let reload = Arc::new(Notify::new());
    let reloading = Arc::clone(&reload);
    let terminal_closed = async move {
        while hangup.recv().await.is_some() {
            if ends_with_terminal && !has_terminal() {
                return;
            }
            reloading.notify_one();
        }
    };
    Ok(ServerSignals { stop: stop_signal(terminal_closed)?, reload })
}

/// Returns a token that is cancelled by the first SIGTERM or SIGINT, or when the future `hangup` completes.
fn stop_signal(hangup: impl Future<Output = ()> + Send + 'static) -> Result<CancellationToken, CommandError> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            () = hangup => {}
        }
        cancelled.cancel();
    });
    Ok(token)
}

async fn received(signal: Option<Signal>) {
    match signal {
        Some(mut signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

/// Whether this process has a controlling terminal. A process has no terminal if a service manager has started it, or after its terminal
/// was closed.
fn has_terminal() -> bool {
    File::open("/dev/tty").is_ok()
}

/// Whether a signal was ignored when this program was started, according to /proc/self/status.
fn is_ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (kind.as_raw_value() - 1)) != 0
}
