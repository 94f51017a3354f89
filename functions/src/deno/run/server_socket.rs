//! Forwards connections of Deno workers from Unix sockets to Cloch's own server and to the project's database, whose loopback addresses
//! workers cannot reach.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpStream, UnixListener};

/// Delay before the next attempt if a connection could not be accepted, for example because too many files are open.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Forwards connections from the Unix socket to `server` until the future is dropped.
///
/// # Errors
/// Never fails: accepting a connection is retried after an error.
pub(crate) async fn serve(listener: UnixListener, server: SocketAddr) -> std::io::Result<()> {
    loop {
        let Ok((mut connection, _)) = listener.accept().await else {
            tokio::time::sleep(RETRY_DELAY).await;
            continue;
        };
        tokio::spawn(async move {
            if let Ok(mut server) = TcpStream::connect(server).await {
                // Ignore errors, because both sides may close the connection at any time.
                let _ = copy_bidirectional(&mut connection, &mut server).await;
            }
        });
    }
}
