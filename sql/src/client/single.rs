//! Executes a single statement entered by a user, and returns a limited number of rows, the command tag and the server's notices. Used by
//! SQL consoles.

use std::sync::Arc;

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::cancel::BackendKey;
use super::connection::{Connection, Notification};
use super::{ClientError, Column, DbError, Row, RowSink, Rows};
use crate::login::Login;

const MAX_NOTICES: usize = 100;

/// Result of a statement entered by a user.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Command tag, such as `INSERT 0 1`; empty if not all rows were fetched.
    pub tag: String,
    /// Whether the statement has more rows than the requested maximum. A writing statement was executed completely nevertheless.
    pub has_more: bool,
    /// Whether a transaction block is open after the statement.
    pub in_transaction: bool,
    /// Severity and message of the server's notices.
    pub notices: Vec<(String, String)>,
}

/// Cancels running statements of a connection.
#[derive(Clone, Debug)]
pub struct Canceller {
    key: BackendKey,
    login: Login,
}

impl Canceller {
    /// Cancels the running statement, if any.
    ///
    /// # Errors
    /// Fails if the server cannot be reached.
    pub async fn cancel(&self) -> Result<(), ClientError> {
        self.key.cancel(&self.login).await
    }
}

impl Connection {
    /// Returns a canceller for this connection, which must have been opened with `login`.
    #[must_use]
    pub fn canceller(&self, login: &Login) -> Canceller {
        Canceller { key: self.key, login: login.clone() }
    }

    /// Limits the size of received messages in bytes: a larger message, usually a row, ends the connection. Rows are always read whole.
    pub fn limit_messages(&mut self, bytes: usize) {
        self.max_message_bytes = bytes;
    }

    /// Executes a statement and returns the values of the first column as texts. NULL values are skipped.
    ///
    /// # Errors
    /// See [`run_single`](Self::run_single).
    pub async fn texts(&mut self, sql: &str) -> Result<Vec<String>, ClientError> {
        let mut rows = Rows::default();
        self.run_single(sql, 0, &mut rows, &mut Outcome::default()).await?;
        Ok(rows.rows().iter().filter_map(|row| row.text(0).map(str::to_owned)).collect())
    }

    /// Executes one statement without parameters as an unnamed statement; PostgreSQL refuses a text with several statements. At most
    /// `max_rows` rows are fetched; with 0, all rows are fetched.
    ///
    /// # Errors
    /// Returns the server's error, with `outcome` filled up to the error, or a connection error.
    pub async fn run_single(
        &mut self,
        sql: &str,
        max_rows: i32,
        sink: &mut dyn RowSink,
        outcome: &mut Outcome,
    ) -> Result<(), ClientError> {
        frontend::parse("", sql, [], self.write_buffer.buffer())?;
        self.write_buffer.bind("", &[])?;
        frontend::describe(b'P', "", self.write_buffer.buffer())?;
        frontend::execute("", max_rows, self.write_buffer.buffer())?;
        frontend::sync(self.write_buffer.buffer());
        self.awaited_ready = 1;
        let mut failure = None;
        loop {
            let message = self.raw_message().await?;
            match message.tag {
                b'D' => sink.row(Row::new(self.incoming.split_to(message.length).freeze())),
                b'C' => {
                    let tag = self.incoming.get(5..message.length.saturating_sub(1)).unwrap_or_default();
                    outcome.tag = String::from_utf8_lossy(tag).into_owned();
                    self.skip(&message);
                }
                b's' => {
                    outcome.has_more = true;
                    self.skip(&message);
                }
                // Let `copy … from stdin` fail, because no rows are available. After this failure the server needs another `Sync`.
                b'G' => {
                    self.skip(&message);
                    frontend::copy_fail("a console has no data to copy", self.write_buffer.buffer())?;
                    frontend::sync(self.write_buffer.buffer());
                }
                b'Z' => {
                    outcome.in_transaction = self.incoming.get(5) != Some(&b'I');
                    self.skip(&message);
                    self.awaited_ready = 0;
                    return failure.map_or(Ok(()), |error| Err(ClientError::Db(Box::new(error))));
                }
                b'T' | b'E' | b'N' | b'A' => {
                    if let Some(error) = self.read_single(sink, outcome)? {
                        if error.fatal {
                            self.broken = true;
                            return Err(ClientError::Db(Box::new(error)));
                        }
                        failure.get_or_insert(error);
                    }
                }
                _ => self.skip(&message),
            }
        }
    }

    fn read_single(&mut self, sink: &mut dyn RowSink, outcome: &mut Outcome) -> Result<Option<DbError>, ClientError> {
        match Message::parse(&mut self.incoming)? {
            Some(Message::RowDescription(body)) => {
                let column = |field: postgres_protocol::message::backend::Field<'_>| {
                    Ok(Column { name: field.name().into(), type_oid: field.type_oid() })
                };
                let columns: Arc<[Column]> = body.fields().map(column).collect::<Vec<_>>()?.into();
                sink.start(&columns);
            }
            Some(Message::ErrorResponse(body)) => return Ok(Some(DbError::read(body.fields())?)),
            Some(Message::NoticeResponse(body)) if outcome.notices.len() < MAX_NOTICES => {
                outcome.notices.push(notice(body.fields())?);
            }
            Some(Message::NotificationResponse(body)) if outcome.notices.len() < MAX_NOTICES => {
                let Notification { channel, payload } = Notification::read(&body)?;
                outcome.notices.push(("NOTIFY".to_owned(), format!("{channel}: {payload}")));
            }
            _ => {}
        }
        Ok(None)
    }
}

pub(super) fn notice(
    mut fields: postgres_protocol::message::backend::ErrorFields<'_>,
) -> std::io::Result<(String, String)> {
    let mut notice = (String::new(), String::new());
    while let Some(field) = fields.next()? {
        match field.type_() {
            b'S' => notice.0 = String::from_utf8_lossy(field.value_bytes()).into_owned(),
            b'M' => notice.1 = String::from_utf8_lossy(field.value_bytes()).into_owned(),
            _ => {}
        }
    }
    Ok(notice)
}
