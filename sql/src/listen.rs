//! Binds a port, and waits for one that is taken only as the local port of another connection.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};

/// How long a port is waited for on which nobody listens: longer than Linux keeps a closed connection (`TIME_WAIT`, 60 s).
const PORT_WAIT_TIMEOUT: Duration = Duration::from_secs(70);
/// Between two attempts to bind.
const BIND_RETRY_DELAY: Duration = Duration::from_millis(100);
/// How long a connection may take that probes for a listener.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// Listens on an address. Where another program listens there it fails at once, with `AddrInUse`.
///
/// # Errors
/// The system's.
pub async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let deadline = Instant::now() + PORT_WAIT_TIMEOUT;
    let mut is_warned = false;
    loop {
        match TcpListener::bind(address).await {
            Err(error)
                if error.kind() == io::ErrorKind::AddrInUse
                    && Instant::now() < deadline
                    && !somebody_listens(address).await =>
            {
                if !std::mem::replace(&mut is_warned, true) {
                    tracing::warn!("port {} is taken by a connection; waiting for it", address.port());
                }
                sleep(BIND_RETRY_DELAY).await;
            }
            result => return result,
        }
    }
}

async fn somebody_listens(address: SocketAddr) -> bool {
    let host = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    // A listener whose queue is full does not answer at all.
    timeout(PROBE_TIMEOUT, TcpStream::connect((host, address.port()))).await.map_or(true, |result| result.is_ok())
}
