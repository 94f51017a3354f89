//! Noticing that the network to the server broke without a word: packets that are dropped, a machine that is gone.
//!
//! The system probes idle connections and gives up those whose data nobody acknowledges; without this it would wait two hours, and a
//! quarter of one. The server is told to do the same, or it would keep the processes of such connections. Where something in between
//! acknowledges what it swallows, nothing but a question that is not answered tells: see [`PING_TIMEOUT`].

use std::io;
use std::time::Duration;

use rustix::net::sockopt;
use tokio::net::TcpStream;

use crate::database::{Address, Login};

/// A connection on which nothing has come for this long is probed.
const IDLE: Duration = Duration::from_secs(10);
/// The time between probes.
const INTERVAL: Duration = Duration::from_secs(5);
/// Probes without an answer after which it is given up.
const PROBES: u32 = 2;
/// It is given up, too, when what was sent is not acknowledged for this long.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNACKNOWLEDGED: Duration = Duration::from_secs(20);

/// How long the answer to an empty question may take.
pub const PING_TIMEOUT: Duration = Duration::from_secs(5);

/// Sets a socket up.
pub(super) fn watch(stream: &TcpStream) -> io::Result<()> {
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, IDLE)?;
    sockopt::set_tcp_keepintvl(stream, INTERVAL)?;
    sockopt::set_tcp_keepcnt(stream, PROBES)?;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    sockopt::set_tcp_user_timeout(stream, u32::try_from(UNACKNOWLEDGED.as_millis()).unwrap_or(u32::MAX))?;
    Ok(())
}

/// The same for the server's end, as settings of a session. Poolers in transaction mode refuse settings that they do not know.
pub(crate) fn server_settings(login: &Login) -> &'static [(&'static str, &'static str)] {
    match login.address {
        Address::Host(_) if login.keep_statements => &[
            ("tcp_keepalives_idle", "10"),
            ("tcp_keepalives_interval", "5"),
            ("tcp_keepalives_count", "2"),
            ("tcp_user_timeout", "20s"),
        ],
        _ => &[],
    }
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
        watch(&stream).unwrap();
        assert!(sockopt::socket_keepalive(&stream).unwrap());
        let (idle, interval) = (sockopt::tcp_keepidle(&stream).unwrap(), sockopt::tcp_keepintvl(&stream).unwrap());
        assert!(idle + interval * sockopt::tcp_keepcnt(&stream).unwrap() <= Duration::from_secs(25));
        #[cfg(target_os = "linux")]
        assert_eq!(sockopt::tcp_user_timeout(&stream).unwrap(), 20_000);
    }
}
