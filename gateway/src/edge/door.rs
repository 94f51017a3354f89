//! Who may open a connection: so many in all, and so many of one network, so that one client cannot take all file descriptors.

use std::io::Write;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::address::TrustedProxies;
use super::descriptors;
use super::network_count::{CountLimits, CountedPlace, LimitReached, NetworkCount};
use super::serve::Admission;

/// Between two log lines about the same.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// What a client is told for whom there is no place; it may not come to read it, for nobody waits until it has.
const REFUSAL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\ncontent-type: application/json\r\n\
content-length: 34\r\n\r\n{\"message\":\"Too many connections\"}";

/// Counts connections.
#[derive(Debug)]
pub(super) struct Door {
    connections: Arc<NetworkCount>,
    proxies: TrustedProxies,
    refusals: RareLog,
}

impl Door {
    /// Raises the limit of file descriptors, which bounds the total.
    pub(super) fn new(admission: Admission) -> Self {
        let CountLimits { total, per_network } = admission.limits;
        let possible = descriptors::connections_of(descriptors::raise_limit());
        let total = if total == 0 { possible } else { total.min(possible) };
        let connections = NetworkCount::new(CountLimits { total, per_network });
        Self { connections, proxies: admission.proxies, refusals: RareLog::default() }
    }

    /// A place for a connection, or its end.
    pub(super) fn admit(&self, stream: TcpStream, peer: IpAddr) -> Option<(CountedPlace, TcpStream)> {
        let place = match self.proxies.trusts(peer) {
            true => self.connections.take_for_proxy(peer),
            false => self.connections.take(peer),
        };
        match place {
            Ok(place) => Some((place, stream)),
            Err(reached) => {
                self.refuse(stream, peer, reached);
                None
            }
        }
    }

    fn refuse(&self, mut stream: TcpStream, peer: IpAddr, reached: LimitReached) {
        self.refusals.report(|count| {
            let limit = match reached {
                LimitReached::Total => "[limits.connections] total",
                LimitReached::PerNetwork => "[limits.connections] per_network",
            };
            tracing::warn!(%peer, limit, count, "connections are refused");
        });
        // It does not block: a new connection has room for so little.
        let _ = stream.write_all(REFUSAL);
        let _ = stream.shutdown(Shutdown::Write);
    }
}

/// Log lines about something that may happen many times a second: one now and then, with the number of times.
#[derive(Debug, Default)]
pub(super) struct RareLog {
    count: AtomicU64,
    last: Mutex<Option<Instant>>,
}

impl RareLog {
    /// Counts, and writes the line if the last one was long enough ago.
    pub(super) fn report(&self, write: impl FnOnce(u64)) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
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
        let log = RareLog::default();
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
