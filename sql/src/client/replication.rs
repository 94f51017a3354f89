//! Streaming logical replication: reads the messages of a temporary replication slot in the format of its output plugin
//! (<https://www.postgresql.org/docs/current/protocol-replication.html>).

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::{Buf, BufMut, Bytes};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::connection::Connection;
use super::{ClientError, DbError};
use crate::login::Login;

/// Tag of `CopyBothResponse`, which postgres-protocol does not parse.
const COPY_BOTH_TAG: u8 = b'W';
/// Seconds from 1970 to 2000, the epoch of PostgreSQL's timestamps.
const POSTGRES_EPOCH_SECONDS: u64 = 946_684_800;

/// Connection of the replication protocol (`replication=database`). The connection executes SQL statements, then streams a replication
/// slot.
#[derive(Debug)]
pub struct Replication {
    connection: Connection,
    /// Highest WAL position (LSN) received from the server.
    received: u64,
}

impl Replication {
    /// Opens a replication connection. The login requires the attribute REPLICATION; the connection occupies one of the server's
    /// `max_wal_senders`.
    ///
    /// # Errors
    /// Fails if the server cannot be reached or refuses the login.
    pub async fn open(login: &Login) -> Result<Self, ClientError> {
        let connection = Connection::open_with(login, &[("replication", "database")]).await?;
        Ok(Self { connection, received: 0 })
    }

    /// Executes a statement with the simple query protocol and discards its rows.
    ///
    /// # Errors
    /// Returns PostgreSQL's error or a connection error.
    pub async fn execute(&mut self, statement: &str) -> Result<(), ClientError> {
        frontend::query(statement, self.connection.write_buffer.buffer())?;
        let mut refusal = None;
        loop {
            match self.connection.message().await? {
                Message::ErrorResponse(body) => refusal = Some(DbError::read(body.fields())?),
                Message::ReadyForQuery(_) => {
                    return refusal.map_or(Ok(()), |error| Err(ClientError::Db(Box::new(error))));
                }
                _ => {}
            }
        }
    }

    /// Starts streaming a replication slot of the plugin pgoutput (protocol version 1). The names of slot and publication may contain only
    /// letters, digits and `_`.
    ///
    /// # Errors
    /// Returns PostgreSQL's error or a connection error, or fails if a name has other characters.
    pub async fn start(&mut self, slot: &str, publication: &str) -> Result<(), ClientError> {
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_name(slot) || !is_name(publication) {
            return Err(ClientError::Connect("a slot's or publication's name has other characters".to_owned()));
        }
        let command =
            format!("START_REPLICATION SLOT {slot} LOGICAL 0/0 (proto_version '1', publication_names '{publication}')");
        frontend::query(&command, self.connection.write_buffer.buffer())?;
        loop {
            let message = self.connection.raw_message().await?;
            if message.tag == COPY_BOTH_TAG {
                self.connection.skip(&message);
                return Ok(());
            }
            if let Message::ErrorResponse(body) = self.connection.message().await? {
                return Err(ClientError::Db(Box::new(DbError::read(body.fields())?)));
            }
        }
    }

    /// Returns the next message of the slot's output plugin. Cancel safe: no message is lost if the returned future is dropped.
    ///
    /// # Errors
    /// Fails if the server ends the stream or the connection breaks.
    pub async fn next(&mut self) -> Result<Bytes, ClientError> {
        loop {
            match self.connection.message().await? {
                Message::CopyData(body) => {
                    if let Some(message) = self.take(body.into_bytes()).await? {
                        return Ok(message);
                    }
                }
                Message::ErrorResponse(body) => {
                    return Err(ClientError::Db(Box::new(DbError::read(body.fields())?)));
                }
                Message::CopyDone | Message::ReadyForQuery(_) => {
                    return Err(ClientError::Lost("the server ended the stream".to_owned()));
                }
                _ => {}
            }
        }
    }

    /// Returns the WAL data of a message. For a keepalive message returns `None`, after confirming the received LSN if the server requests
    /// this.
    async fn take(&mut self, mut message: Bytes) -> Result<Option<Bytes>, ClientError> {
        let malformed = || ClientError::Lost("a message of the replication stream is malformed".to_owned());
        let (kind, end) = match (message.try_get_u8(), message.try_get_u64()) {
            (Ok(kind), Ok(end)) => (kind, end),
            _ => return Err(malformed()),
        };
        self.received = self.received.max(end);
        match kind {
            b'w' if message.len() >= 16 => Ok(Some(message.split_off(16))),
            b'k' if message.len() >= 9 => {
                if message.last() == Some(&1) {
                    self.confirm().await?;
                }
                Ok(None)
            }
            _ => Err(malformed()),
        }
    }

    /// Confirms the received LSN to the server, so that the server can remove older WAL. Cancel safe.
    ///
    /// # Errors
    /// Fails if the connection breaks.
    pub async fn confirm(&mut self) -> Result<(), ClientError> {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let micros = since_1970.as_micros().saturating_sub(u128::from(POSTGRES_EPOCH_SECONDS) * 1_000_000);
        let buffer = self.connection.write_buffer.buffer();
        buffer.put_u8(b'd');
        buffer.put_i32(4 + 1 + 4 * 8 + 1);
        buffer.put_u8(b'r');
        // The message contains the LSN three times: as written, flushed and applied.
        for _ in 0..3 {
            buffer.put_u64(self.received);
        }
        buffer.put_u64(u64::try_from(micros).unwrap_or_default());
        buffer.put_u8(0);
        let Connection { write_buffer, socket, .. } = &mut self.connection;
        std::future::poll_fn(|cx| write_buffer.poll_send(socket, cx)).await?;
        Ok(())
    }
}
