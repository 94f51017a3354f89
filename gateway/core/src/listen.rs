//! Binds a TCP port. If no program listens on the port, but an outgoing connection uses it as its local port, waits until the port is free.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};

/// Maximum time to wait for a port that a connection uses as its local port. Longer than Linux keeps a closed connection (`TIME_WAIT`, 60 s).
pub const PORT_WAIT_TIMEOUT: Duration = Duration::from_secs(70);
const BIND_RETRY_DELAY: Duration = Duration::from_millis(100);
/// Timeout of the test connection that detects another program listening on the port.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// Binds a TCP address. If another program listens on the address, fails immediately with `AddrInUse`. If a connection uses the port as its
/// local port, waits until the port is free, and fails with `TimedOut` after [`PORT_WAIT_TIMEOUT`].
///
/// # Errors
/// Returns the error of the operating system, or `TimedOut`.
pub async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let deadline = Instant::now() + PORT_WAIT_TIMEOUT;
    let mut is_warned = false;
    loop {
        match TcpListener::bind(address).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && !somebody_listens(address).await => {
                if Instant::now() >= deadline {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, error));
                }
                if !std::mem::replace(&mut is_warned, true) {
                    tracing::warn!(
                        %address,
                        "start: port {} is used by another connection, waiting up to {} s for the port; if it is still used then, the start fails",
                        address.port(),
                        PORT_WAIT_TIMEOUT.as_secs()
                    );
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
    // A timeout also means that a program listens: if its queue of new connections (backlog) is full, it does not respond to connection
    // attempts.
    timeout(PROBE_TIMEOUT, TcpStream::connect((host, address.port()))).await.map_or(true, |result| result.is_ok())
}
