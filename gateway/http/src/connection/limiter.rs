//! Limits the number of open connections, in total and per network (an IPv4 address or an IPv6 /64), so that one client cannot use up the
//! file descriptors.

use std::io::Write;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::file_descriptors;
use super::network_count::{CountLimits, CountPermit, LimitReached, NetworkCount};
use crate::TrustedProxies;

/// Minimum interval between two log lines of a [`ThrottledLog`].
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// Response to a refused connection. The client may not receive it, because the server closes the connection without waiting for the client.
const REFUSAL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\ncontent-type: application/json\r\n\
content-length: 34\r\n\r\n{\"message\":\"Too many connections\"}";

#[derive(Debug)]
pub(crate) struct ConnectionLimiter {
    connections: Arc<NetworkCount>,
    trusted_proxies: TrustedProxies,
    refusals: ThrottledLog,
}

impl ConnectionLimiter {
    /// Creates the limiter. Raises the process's limit of file descriptors, and reduces the total limit of connections to the number that
    /// the file descriptors allow.
    pub(crate) fn new(limits: CountLimits, trusted_proxies: TrustedProxies) -> Self {
        let CountLimits { total, per_network } = limits;
        let possible = file_descriptors::max_connections(file_descriptors::raise_limit());
        let total = if total == 0 { possible } else { total.min(possible) };
        let connections = NetworkCount::new(CountLimits { total, per_network });
        Self { connections, trusted_proxies, refusals: ThrottledLog::default() }
    }

    /// Counts a new connection and returns it with its permit. If a limit is reached, sends the response [`REFUSAL`], closes the
    /// connection, and returns `None`.
    pub(crate) fn admit(&self, stream: TcpStream, peer: IpAddr) -> Option<(CountPermit, TcpStream)> {
        match self.acquire(peer) {
            Ok(permit) => Some((permit, stream)),
            Err(reached) => {
                self.report(peer, reached);
                refuse(stream);
                None
            }
        }
    }

    /// Counts a further concurrent request of an HTTP/2 connection as a connection. Returns `None` if a limit is reached.
    pub(crate) fn admit_request(&self, peer: IpAddr) -> Option<CountPermit> {
        self.acquire(peer).inspect_err(|reached| self.report(peer, *reached)).ok()
    }

    fn acquire(&self, peer: IpAddr) -> Result<CountPermit, LimitReached> {
        match self.trusted_proxies.trusts(peer) {
            true => self.connections.acquire_for_proxy(peer),
            false => self.connections.acquire(peer),
        }
    }

    fn report(&self, peer: IpAddr, reached: LimitReached) {
        self.refusals.report(|count| {
            let limit = match reached {
                LimitReached::Total => "[limits.connections] total",
                LimitReached::PerNetwork => "[limits.connections] per_network",
            };
            tracing::warn!(%peer, limit, count, "http: connections refused: limit of concurrent connections reached (count: connections refused since the last message)");
        });
    }
}

fn refuse(mut stream: TcpStream) {
    // `write_all` does not block: the send buffer of a new connection is large enough for this response.
    let _ = stream.write_all(REFUSAL);
    let _ = stream.shutdown(Shutdown::Write);
}

/// Writes at most one log line per [`LOG_INTERVAL`] about a frequent event, with the number of its occurrences.
#[derive(Debug, Default)]
pub(crate) struct ThrottledLog {
    count: AtomicU64,
    last_written: Mutex<Option<Instant>>,
}

impl ThrottledLog {
    /// Counts an occurrence of the event. Calls `write` with the number of occurrences if [`LOG_INTERVAL`] has passed since the last log
    /// line.
    pub(crate) fn report(&self, write: impl FnOnce(u64)) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut last = self.last_written.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= LOG_INTERVAL) {
            *last = Some(Instant::now());
            write(self.count.swap(0, Ordering::Relaxed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_often_is_logged_now_and_then() {
        let log = ThrottledLog::default();
        let mut lines = Vec::new();
        for _ in 0..1_000 {
            log.report(|count| lines.push(count));
        }
        assert_eq!(lines, [1]);
    }

    #[test]
    fn the_refusal_is_as_long_as_it_says() {
        let text = String::from_utf8_lossy(REFUSAL);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
        assert!(head.ends_with(&format!("content-length: {}", body.len())), "{} bytes", body.len());
    }
}
