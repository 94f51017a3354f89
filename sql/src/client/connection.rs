//! A PostgreSQL connection: reads and writes protocol messages, and tracks whether the connection can be reused.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::{Buf, BytesMut};
use postgres_protocol::message::backend::{Message, NotificationResponseBody};
use postgres_protocol::message::frontend;
use tokio::time::timeout;

use super::cancel::BackendKey;
use super::keepalive::PING_TIMEOUT;
use super::prepared_statements::PreparedStatements;
use super::socket::Socket;
use super::write_buffer::WriteBuffer;
use super::{ClientError, DbError};

/// Number of bytes reserved in the read buffer before each read. If the next message is known to be larger, its full size is reserved.
const READ_BUFFER_BYTES: usize = 16 * 1024;

/// Size in bytes from which a message is received only if the [`MessageMeter`] admits it. A read buffer that has grown for such a message
/// is replaced by a small one before the connection returns to its pool.
const METERED_BYTES: usize = 64 * 1024;

/// Idle time after which a TCP connection is tested with a ping before it is used again.
const PING_AFTER_IDLE: Duration = Duration::from_secs(5);
const MAX_LIFETIME: Duration = Duration::from_secs(30 * 60);
/// Number of executed statements that are too large to stay prepared, after which a connection is replaced. The server process does not
/// free all memory that it used for planning such statements.
const MAX_LARGE_STATEMENTS: u32 = 200;

/// Notification (`NOTIFY`) received on a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// Name of the notification's channel.
    pub channel: String,
    /// Payload; empty if the notification has no payload.
    pub payload: String,
}

/// Decides whether a large message from the server may be received. The connection calls [`MessageMeter::admit`] before it allocates
/// memory for the message.
pub trait MessageMeter: std::fmt::Debug + Send + Sync {
    /// Whether enough memory is available for a message of this size. If not, the connection is closed.
    fn admit(&self, bytes: usize) -> bool;
}

/// Authenticated connection to PostgreSQL.
#[derive(Debug)]
pub struct Connection {
    pub(super) socket: Socket,
    pub(super) incoming: BytesMut,
    pub(super) write_buffer: WriteBuffer,
    pub(super) statements: PreparedStatements,
    pub(super) keep_statements: bool,
    pub(super) large_statements: u32,
    pub(super) opened: Instant,
    /// Time at which the connection was last returned to its pool.
    pub(super) idle_since: Instant,
    pub(super) key: BackendKey,
    /// Number of sent batches for which the server's `ReadyForQuery` message has not arrived yet.
    pub(super) awaited_ready: u32,
    /// Whether the connection is unusable, after a read error, a write error or a fatal error of the server.
    pub(super) broken: bool,
    /// Maximum size of a received message in bytes; a larger message ends the connection.
    pub(super) max_message_bytes: usize,
    /// Limits the memory of the messages that the current request receives; `None` for no limit.
    pub(super) meter: Option<Arc<dyn MessageMeter>>,
    /// Whether the read buffer has grown for a large message.
    pub(super) has_large_buffer: bool,
    /// Notifications that arrived between the responses of a batch.
    pub(super) notifications: VecDeque<Notification>,
}

/// Position of a complete message in the read buffer. `length` includes the tag and the length field.
pub(super) struct RawMessage {
    pub(super) tag: u8,
    pub(super) length: usize,
}

impl Connection {
    pub(super) fn new(socket: Socket, keep_statements: bool) -> Self {
        Self {
            socket,
            incoming: BytesMut::with_capacity(READ_BUFFER_BYTES),
            write_buffer: WriteBuffer::default(),
            statements: PreparedStatements::default(),
            keep_statements,
            large_statements: 0,
            opened: Instant::now(),
            idle_since: Instant::now(),
            key: BackendKey::default(),
            awaited_ready: 0,
            broken: false,
            max_message_bytes: usize::MAX,
            meter: None,
            has_large_buffer: false,
            notifications: VecDeque::new(),
        }
    }

    /// Waits until the read buffer `incoming` contains a complete message. Meanwhile, also sends pending bytes. Otherwise, client and
    /// server could each wait for the other to read.
    pub(super) async fn raw_message(&mut self) -> Result<RawMessage, ClientError> {
        let message = std::future::poll_fn(|cx| self.poll_raw_message(cx)).await;
        message.map_err(|error| {
            self.broken = true;
            error.into()
        })
    }

    fn poll_raw_message(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<RawMessage>> {
        loop {
            if let Some(message) = whole_message(&self.incoming) {
                return Poll::Ready(Ok(message));
            }
            let bytes = length(&self.incoming).unwrap_or_default();
            if bytes > self.max_message_bytes {
                return Poll::Ready(Err(io::ErrorKind::FileTooLarge.into()));
            }
            if bytes > METERED_BYTES {
                if self.meter.as_ref().is_some_and(|meter| !meter.admit(bytes)) {
                    return Poll::Ready(Err(io::ErrorKind::OutOfMemory.into()));
                }
                self.has_large_buffer = true;
            }
            if !self.write_buffer.is_empty()
                && let Poll::Ready(Err(error)) = self.write_buffer.poll_send(&mut self.socket, cx)
            {
                return Poll::Ready(Err(error));
            }
            if ready!(self.poll_fill(cx))? == 0 {
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
        }
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let wanted = length(&self.incoming).map_or(0, |total| total.saturating_sub(self.incoming.len()));
        // A large message is read into exactly its size. Otherwise its last bytes would move the whole message into a new, larger buffer.
        let is_large = wanted > 0 && wanted + self.incoming.len() > METERED_BYTES;
        let least = if is_large { wanted } else { wanted.max(READ_BUFFER_BYTES / 4) };
        if self.incoming.capacity() - self.incoming.len() < least {
            self.incoming.reserve(wanted.max(READ_BUFFER_BYTES));
        }
        tokio_util::io::poll_read_buf(Pin::new(&mut self.socket), cx, &mut self.incoming)
    }

    /// Replaces a read buffer that has grown for large messages by a small buffer, before the connection returns to its pool. Removes the
    /// message meter.
    pub(super) fn shrink(&mut self) {
        self.meter = None;
        if std::mem::take(&mut self.has_large_buffer) {
            let mut fresh = BytesMut::with_capacity(READ_BUFFER_BYTES.max(self.incoming.len()));
            fresh.extend_from_slice(&self.incoming);
            self.incoming = fresh;
        }
    }

    /// Reads and parses a message. Rows are read with [`Connection::raw_message`] instead, which is faster.
    pub(super) async fn message(&mut self) -> Result<Message, ClientError> {
        self.raw_message().await?;
        Message::parse(&mut self.incoming)?.ok_or_else(|| ClientError::Lost("a message was cut short".to_owned()))
    }

    /// Removes the message that [`Connection::raw_message`] found from the read buffer.
    pub(super) fn skip(&mut self, message: &RawMessage) {
        self.incoming.advance(message.length);
    }

    /// Whether the server has closed the idle connection. Makes a system call only if the socket is readable.
    pub(super) fn is_closed(&mut self) -> bool {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        match self.poll_fill(&mut cx) {
            Poll::Pending => self.broken,
            Poll::Ready(Ok(0) | Err(_)) => true,
            Poll::Ready(Ok(_)) => self.broken || self.has_fatal_error(),
        }
    }

    fn has_fatal_error(&self) -> bool {
        self.incoming.first() == Some(&b'E')
    }

    /// Whether the connection still works. Pings the server if the connection was idle so long that the network may have failed. Unix
    /// sockets need no ping.
    pub(super) async fn is_alive(&mut self) -> bool {
        matches!(self.socket, Socket::Unix(_))
            || self.idle_since.elapsed() < PING_AFTER_IDLE
            || self.ping().await.is_ok()
    }

    /// Sends an empty batch and waits for its response.
    ///
    /// # Errors
    /// Fails if the server does not respond within [`PING_TIMEOUT`].
    pub async fn ping(&mut self) -> Result<(), ClientError> {
        frontend::sync(self.write_buffer.buffer());
        self.awaited_ready = 1;
        match timeout(PING_TIMEOUT, self.drain()).await {
            Ok(outcome) => outcome,
            Err(_) => {
                self.broken = true;
                Err(ClientError::Lost("the server does not answer".to_owned()))
            }
        }
    }

    /// Whether the connection must be replaced, to free the memory that its server process has accumulated.
    pub(super) fn is_expired(&self) -> bool {
        self.opened.elapsed() >= MAX_LIFETIME || self.large_statements >= MAX_LARGE_STATEMENTS
    }

    pub(crate) fn opened_at(&self) -> Instant {
        self.opened
    }

    /// Whether the connection has failed and cannot be used again.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Waits for the next notification on any channel for which this connection has executed `LISTEN`.
    ///
    /// # Errors
    /// Fails if the connection breaks or the server reports an error.
    pub async fn notification(&mut self) -> Result<Notification, ClientError> {
        loop {
            if let Some(notification) = self.notifications.pop_front() {
                return Ok(notification);
            }
            match self.message().await? {
                Message::NotificationResponse(body) => self.notifications.push_back(Notification::read(&body)?),
                Message::ErrorResponse(body) => {
                    self.broken = true;
                    return Err(ClientError::Db(Box::new(DbError::read(body.fields())?)));
                }
                _ => {}
            }
        }
    }
}

impl Notification {
    pub(super) fn read(body: &NotificationResponseBody) -> io::Result<Self> {
        Ok(Self { channel: body.channel()?.to_owned(), payload: body.message()?.to_owned() })
    }
}

fn length(buffer: &BytesMut) -> Option<usize> {
    let length = buffer.get(1..5)?.try_into().ok().map(u32::from_be_bytes)?;
    usize::try_from(length).ok()?.checked_add(1)
}

fn whole_message(buffer: &BytesMut) -> Option<RawMessage> {
    let length = length(buffer)?;
    let tag = *buffer.first()?;
    (buffer.len() >= length).then_some(RawMessage { tag, length })
}
