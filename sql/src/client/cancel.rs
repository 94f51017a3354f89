//! Cancel requests, which PostgreSQL accepts on a separate connection (PostgreSQL manual, "Canceling Requests in Progress").

use bytes::BytesMut;
use postgres_protocol::message::frontend;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::ClientError;
use super::socket::Socket;
use crate::login::Login;

/// Process ID and secret key that identify the server process of a connection (`BackendKeyData`).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct BackendKey {
    pub(super) process: i32,
    pub(super) secret: i32,
}

impl BackendKey {
    /// Cancels the running statement. Waits until the server has signalled the server process, because a signal that arrives later could
    /// cancel the next statement.
    pub(super) async fn cancel(self, login: &Login) -> Result<(), ClientError> {
        let mut socket = Socket::open(login).await?;
        let mut request = BytesMut::new();
        frontend::cancel_request(self.process, self.secret, &mut request);
        socket.write_all(&request).await?;
        socket.flush().await?;
        // The server sends no response, but closes the connection after signalling the server process.
        socket.read_to_end(&mut Vec::new()).await?;
        Ok(())
    }
}
