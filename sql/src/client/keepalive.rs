//! TCP keepalive of database connections: detects network failures that do not close the connection, such as dropped packets or a
//! powered-off machine.
//!
//! The kernel probes idle connections, and closes connections whose data is not acknowledged. The kernel's default times are two hours for
//! idle connections and a quarter of an hour for unacknowledged data. The server gets the same settings as the client, so that it does not
//! keep the processes of broken connections. If a middlebox acknowledges data and drops it, only a ping timeout detects the failure: see
//! [`PING_TIMEOUT`].

use std::io;
use std::time::Duration;

use rustix::net::sockopt;
use tokio::net::TcpStream;

const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
/// Number of unanswered keepalive probes after which the connection is closed.
const KEEPALIVE_PROBES: u32 = 2;
/// Time after which a connection with unacknowledged data is closed (`TCP_USER_TIMEOUT`).
#[cfg(any(target_os = "linux", target_os = "android"))]
const USER_TIMEOUT: Duration = Duration::from_secs(20);

/// Timeout for the response to a ping, an empty batch that checks a connection.
pub const PING_TIMEOUT: Duration = Duration::from_secs(5);

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
