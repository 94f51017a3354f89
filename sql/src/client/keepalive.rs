//! TCP keepalive: notices that the network to the server is silently gone (dropped packets, a machine that is off).
//!
//! The kernel probes idle connections and closes those whose data is not acknowledged; by default it would wait two hours, and a quarter
//! of one. The server is given the same settings, or it would keep the processes of such connections. Where a middlebox acknowledges
//! what it drops, only an unanswered ping tells: see [`PING_TIMEOUT`].

use std::io;
use std::time::Duration;

use rustix::net::sockopt;
use tokio::net::TcpStream;

/// A connection on which nothing has come for this long is probed.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
/// The time between probes.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// Unanswered probes after which it is closed.
const KEEPALIVE_PROBES: u32 = 2;
/// It is closed, too, when sent data is not acknowledged for this long (`TCP_USER_TIMEOUT`).
#[cfg(any(target_os = "linux", target_os = "android"))]
const USER_TIMEOUT: Duration = Duration::from_secs(20);

/// How long the response to a ping may take.
pub const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// Enables keepalive on a socket.
pub(super) fn enable(stream: &TcpStream) -> io::Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, KEEPALIVE_IDLE)?;
    sockopt::set_tcp_keepintvl(stream, KEEPALIVE_INTERVAL)?;
    sockopt::set_tcp_keepcnt(stream, KEEPALIVE_PROBES)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    sockopt::set_tcp_user_timeout(stream, u32::try_from(USER_TIMEOUT.as_millis()).unwrap_or(u32::MAX))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn the_system_gives_up_a_silent_connection_within_half_a_minute() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        enable(&stream).unwrap();
        assert!(sockopt::socket_keepalive(&stream).unwrap());
        let (idle, interval) = (sockopt::tcp_keepidle(&stream).unwrap(), sockopt::tcp_keepintvl(&stream).unwrap());
        assert!(idle + interval * sockopt::tcp_keepcnt(&stream).unwrap() <= Duration::from_secs(25));
        #[cfg(target_os = "linux")]
        assert_eq!(sockopt::tcp_user_timeout(&stream).unwrap(), 20_000);
    }
}
