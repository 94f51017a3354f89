//! One connection: framing, and whether it may serve another request.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::{Buf, BytesMut};
use postgres_protocol::message::backend::{Message, NotificationResponseBody};
use postgres_protocol::message::frontend;
use tokio::time::timeout;

use super::cancel::BackendKey;
use super::keepalive::PING_TIMEOUT;
use super::outgoing::Outgoing;
use super::socket::Socket;
use super::statements::Statements;
use super::{ClientError, DbError};

/// Room made for each read; a frame known to be larger gets what it needs.
const READ: usize = 16 * 1024;

/// A connection over the network that lay idle for longer is tested before it is used again.
const UNTESTED: Duration = Duration::from_secs(5);
/// A connection is renewed after this.
const LIFETIME: Duration = Duration::from_secs(30 * 60);
/// Or after so many statements that are too large to be kept: memory that planning them took is not all given back.
const MAX_LARGE_STATEMENTS: u32 = 200;

/// What a `NOTIFY` carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// The channel.
    pub channel: String,
    /// The payload; empty without one.
    pub payload: String,
}

/// A connection that is logged in.
#[derive(Debug)]
pub struct Connection {
    pub(super) socket: Socket,
    pub(super) incoming: BytesMut,
    pub(super) outgoing: Outgoing,
    pub(super) statements: Statements,
    pub(super) keep_statements: bool,
    /// Large statements it has run.
    pub(super) large_statements: u32,
    pub(super) opened: Instant,
    /// Since when nobody uses it.
    pub(super) idle_since: Instant,
    pub(super) key: BackendKey,
    /// Batches sent and not yet answered to their `ReadyForQuery`.
    pub(super) unanswered: bool,
    /// After a read or write error, or a fatal one from the server.
    pub(super) broken: bool,
    /// Notifications that arrived between a batch's answers.
    pub(super) notifications: VecDeque<Notification>,
}

/// A frame: its tag and where its payload ends.
pub(super) struct Frame {
    pub(super) tag: u8,
    pub(super) length: usize,
}

impl Connection {
    pub(super) fn new(socket: Socket, keep_statements: bool) -> Self {
        Self {
            socket,
            incoming: BytesMut::with_capacity(READ),
            outgoing: Outgoing::default(),
            statements: Statements::default(),
            keep_statements,
            large_statements: 0,
            opened: Instant::now(),
            idle_since: Instant::now(),
            key: BackendKey::default(),
            unanswered: false,
            broken: false,
            notifications: VecDeque::new(),
        }
    }

    /// Waits until a whole frame lies in `incoming`, sending what is to be sent meanwhile: were sending to wait for room and
    /// the server likewise, neither would move.
    pub(super) async fn frame(&mut self) -> Result<Frame, ClientError> {
        let frame = std::future::poll_fn(|cx| self.poll_frame(cx)).await;
        frame.map_err(|error| {
            self.broken = true;
            error.into()
        })
    }

    fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Frame>> {
        loop {
            if let Some(frame) = complete(&self.incoming) {
                return Poll::Ready(Ok(frame));
            }
            if !self.outgoing.is_empty()
                && let Poll::Ready(Err(error)) = self.outgoing.poll_send(&mut self.socket, cx)
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
        if self.incoming.capacity() - self.incoming.len() < wanted.max(READ / 4) {
            self.incoming.reserve(wanted.max(READ));
        }
        tokio_util::io::poll_read_buf(Pin::new(&mut self.socket), cx, &mut self.incoming)
    }

    /// Reads one message that is not a row.
    pub(super) async fn message(&mut self) -> Result<Message, ClientError> {
        self.frame().await?;
        Message::parse(&mut self.incoming)?.ok_or_else(|| ClientError::Lost("a message was cut short".to_owned()))
    }

    /// Skips the frame that [`Connection::frame`] found.
    pub(super) fn skip(&mut self, frame: &Frame) {
        self.incoming.advance(frame.length);
    }

    /// Whether the server has hung up while the connection lay idle. Costs no system call while nothing has arrived.
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

    /// Whether it answers, if that is in doubt: after a while without use the network may be gone. (Nothing is between two ends of a unix
    /// socket.)
    pub(super) async fn is_alive(&mut self) -> bool {
        matches!(self.socket, Socket::Unix(_)) || self.idle_since.elapsed() < UNTESTED || self.ping().await.is_ok()
    }

    /// Asks nothing.
    ///
    /// # Errors
    /// When the server does not answer in time.
    pub async fn ping(&mut self) -> Result<(), ClientError> {
        frontend::sync(self.outgoing.buffer());
        self.unanswered = true;
        match timeout(PING_TIMEOUT, self.drain()).await {
            Ok(outcome) => outcome,
            Err(_) => {
                self.broken = true;
                Err(ClientError::Lost("the server does not answer".to_owned()))
            }
        }
    }

    /// Whether it has served long enough: what its process has piled up in the server goes with it.
    pub(super) fn is_worn(&self) -> bool {
        self.opened.elapsed() >= LIFETIME || self.large_statements >= MAX_LARGE_STATEMENTS
    }

    /// Whether the connection can serve no more.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Waits for the next notification of a channel this connection listens to.
    ///
    /// # Errors
    /// When the connection breaks.
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

fn complete(buffer: &BytesMut) -> Option<Frame> {
    let length = length(buffer)?;
    let tag = *buffer.first()?;
    (buffer.len() >= length).then_some(Frame { tag, length })
}
