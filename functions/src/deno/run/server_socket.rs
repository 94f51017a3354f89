//! Forwards workers' connections from Unix sockets to this server and its database, whose loopback addresses workers cannot reach.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpStream, UnixListener};

/// Delay after a failed accept, for example because of too many open files.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Forwards connections to `server` until the future is dropped.
///
/// # Errors
/// Never: a failed accept is retried.
pub(crate) async fn serve(listener: UnixListener, server: SocketAddr) -> std::io::Result<()> {
    loop {
        let Ok((mut connection, _)) = listener.accept().await else {
            tokio::time::sleep(RETRY_DELAY).await;
            continue;
        };
        tokio::spawn(async move {
            if let Ok(mut server) = TcpStream::connect(server).await {
                // Each side may close the connection.
                let _ = copy_bidirectional(&mut connection, &mut server).await;
            }
        });
    }
}
