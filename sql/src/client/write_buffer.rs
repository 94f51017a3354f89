//! Write buffer of a connection: small messages are copied into one buffer, large values are sent without a copy.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio::io::AsyncWrite;

use super::ClientError;
use super::param::Param;
use super::socket::Socket;

/// Minimum size in bytes of a value that is sent without being copied into the buffer.
const MIN_UNCOPIED_BYTES: usize = 32 * 1024;

#[derive(Debug, Default)]
pub(super) struct WriteBuffer {
    /// Complete chunks, which are sent before `tail`.
    chunks: VecDeque<Bytes>,
    /// Buffer to which small messages are appended.
    tail: BytesMut,
}

impl WriteBuffer {
    pub(super) fn buffer(&mut self) -> &mut BytesMut {
        &mut self.tail
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty() && self.tail.is_empty()
    }

    /// Appends a `Bind` message that binds a statement to the unnamed portal and requests all results in text format.
    pub(super) fn bind(&mut self, statement: &str, params: &[Param]) -> Result<(), ClientError> {
        let count = u16::try_from(params.len()).map_err(|_| ClientError::TooManyParameters(params.len()))?;
        let binary = params.iter().any(|param| param.binary);
        let formats = if binary { 2 * params.len() } else { 0 };
        let values: usize = params.iter().map(|param| 4 + param.value.as_ref().map_or(0, Bytes::len)).sum();
        let length = 4 + 1 + statement.len() + 1 + 2 + formats + 2 + values + 2;
        self.tail.put_u8(b'B');
        self.tail.put_i32(wire_length(length)?);
        self.tail.put_u8(0);
        self.tail.put_slice(statement.as_bytes());
        self.tail.put_u8(0);
        self.tail.put_u16(if binary { count } else { 0 });
        if binary {
            params.iter().for_each(|param| self.tail.put_u16(u16::from(param.binary)));
        }
        self.tail.put_u16(count);
        for param in params {
            match &param.value {
                None => self.tail.put_i32(-1),
                Some(value) => {
                    self.tail.put_i32(wire_length(value.len())?);
                    self.put_value(value);
                }
            }
        }
        self.tail.put_u16(0);
        Ok(())
    }

    fn put_value(&mut self, value: &Bytes) {
        if value.len() < MIN_UNCOPIED_BYTES {
            self.tail.put_slice(value);
        } else {
            self.chunks.push_back(self.tail.split().freeze());
            self.chunks.push_back(value.clone());
        }
    }

    /// Writes as much data as the socket accepts. Returns `Ready` when all data is sent.
    pub(super) fn poll_send(&mut self, socket: &mut Socket, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            while self.chunks.front().is_some_and(Bytes::is_empty) {
                self.chunks.pop_front();
            }
            let (sent, from_tail) = match self.chunks.front() {
                Some(chunk) => (ready!(Pin::new(&mut *socket).poll_write(cx, chunk))?, false),
                None if self.tail.is_empty() => return Pin::new(socket).poll_flush(cx),
                None => (ready!(Pin::new(&mut *socket).poll_write(cx, &self.tail))?, true),
            };
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            if from_tail {
                self.tail.advance(sent);
            } else if let Some(chunk) = self.chunks.front_mut() {
                chunk.advance(sent);
            }
        }
    }
}

fn wire_length(length: usize) -> Result<i32, ClientError> {
    i32::try_from(length).map_err(|_| ClientError::Lost("a value is larger than the protocol allows".to_owned()))
}
