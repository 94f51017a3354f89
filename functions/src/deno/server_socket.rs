//! The sockets by which workers reach this server and its database, whose addresses on the loopback interface are closed to them.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpStream, UnixListener};

/// After a failure to accept, such as too many open files.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Passes connections on to `server` until it is dropped.
///
/// # Errors
/// None: a connection that cannot be accepted is tried again.
pub(crate) async fn serve(listener: UnixListener, server: SocketAddr) -> std::io::Result<()> {
    loop {
        let Ok((mut connection, _)) = listener.accept().await else {
            tokio::time::sleep(RETRY_DELAY).await;
            continue;
        };
        tokio::spawn(async move {
            if let Ok(mut server) = TcpStream::connect(server).await {
                // Either side may end it.
                let _ = copy_bidirectional(&mut connection, &mut server).await;
            }
        });
    }
}
