//! One statement of a person's own: its rows up to a number, its command tag, the server's notices. For SQL consoles, not for the hot path.

use std::sync::Arc;

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::cancel::BackendKey;
use super::connection::{Connection, Notification};
use super::{ClientError, Column, DbError, Row, RowSink, Rows};
use crate::login::Login;

/// Notices of one statement that are kept.
const MAX_NOTICES: usize = 100;

/// How a statement ended.
#[derive(Debug, Default)]
pub struct Outcome {
    /// PostgreSQL's command tag, such as `INSERT 0 1`; empty where not all rows were fetched.
    pub tag: String,
    /// Whether there are more rows than were asked for. A statement that writes has run to its end all the same.
    pub has_more: bool,
    /// Whether a transaction block is open after it.
    pub in_transaction: bool,
    /// Severity and message of what the server noted.
    pub notices: Vec<(String, String)>,
}

/// Cancels what a connection runs.
#[derive(Clone, Debug)]
pub struct Canceller {
    key: BackendKey,
    login: Login,
}

impl Canceller {
    /// Cancels the statement that runs now, if there is one.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn cancel(&self) -> Result<(), ClientError> {
        self.key.cancel(&self.login).await
    }
}

impl Connection {
    /// Cancels statements of this connection, which was opened with `login`.
    #[must_use]
    pub fn canceller(&self, login: &Login) -> Canceller {
        Canceller { key: self.key, login: login.clone() }
    }

    /// Ends the connection where the server sends a message, which is a row, of more bytes. Rows are read whole.
    pub fn limit_messages(&mut self, bytes: usize) {
        self.max_message_bytes = bytes;
    }

    /// The first column of a statement's rows, as texts.
    ///
    /// # Errors
    /// As [`run_single`](Self::run_single).
    pub async fn texts(&mut self, sql: &str) -> Result<Vec<String>, ClientError> {
        let mut rows = Rows::default();
        self.run_single(sql, 0, &mut rows, &mut Outcome::default()).await?;
        Ok(rows.rows().iter().filter_map(|row| row.text(0).map(str::to_owned)).collect())
    }

    /// Runs one statement, with no name and no parameters, and a `Sync` after it: PostgreSQL refuses a text with two statements. At most
    /// `max_rows` rows are fetched; 0 is all of them.
    ///
    /// # Errors
    /// The server's error, with `outcome` telling what came before it; or a broken connection.
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
                // `copy … from stdin`: there is nothing to copy. The server reads on at the next Sync.
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
