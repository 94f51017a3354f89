//! SQL scripts: all statements of a file are sent with a single `Sync`, as the Supabase CLI sends a migration. The statements form one
//! implicit transaction. If the script contains `begin`, `commit` or `rollback`, PostgreSQL executes these statements as written.
//! [`Connection::run_text`] sends a text with any number of statements in the simple query protocol, as pg_cron does.

use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::connection::Connection;
use super::single::notice;
use super::{BatchStatement, ClientError, DbError};

/// Result of executing an SQL script.
#[derive(Debug, Default)]
pub struct ScriptOutcome {
    /// Command tags of the executed statements in order, such as `INSERT 0 1`; an empty text for an empty statement.
    pub tags: Vec<String>,
    /// Error of the first failed statement; `None` if all statements succeeded. PostgreSQL has rolled back uncommitted changes.
    pub failure: Option<DbError>,
    /// Whether the script left a transaction open. In this case, the transaction has been rolled back.
    pub left_open: bool,
    /// Number of rows that the last statement returned; `None` if it was a statement without a result set.
    pub rows: Option<u64>,
    /// Messages of the warnings that the server sent.
    pub warnings: Vec<String>,
}

const MAX_WARNINGS: usize = 100;

/// The protocol in which the statements were sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Simple,
    Extended,
}

impl Connection {
    /// Executes the statements of a script and discards their rows. Each element of `steps` must be a single statement; the server refuses
    /// an element with several statements. No statement is retried, because the script may have committed a part.
    ///
    /// # Errors
    /// Fails if the connection breaks.
    pub async fn run_script(&mut self, steps: &[BatchStatement<'_>]) -> Result<ScriptOutcome, ClientError> {
        for step in steps {
            let types = step.params.iter().map(|param| param.type_oid);
            let queued = frontend::parse("", step.sql, types, self.write_buffer.buffer())
                .map_err(ClientError::from)
                .and_then(|()| self.write_buffer.bind("", step.params))
                .and_then(|()| Ok(frontend::execute("", 0, self.write_buffer.buffer())?));
            if let Err(error) = queued {
                // A partly written script must not be continued, so the connection cannot be used again.
                self.broken = true;
                return Err(error);
            }
        }
        frontend::sync(self.write_buffer.buffer());
        self.awaited_ready += 1;
        self.read_script(Protocol::Extended).await
    }

    /// Executes a text in the simple query protocol and discards its rows. PostgreSQL splits the text into statements.
    ///
    /// # Errors
    /// Fails if the connection breaks.
    pub async fn run_text(&mut self, text: &str) -> Result<ScriptOutcome, ClientError> {
        frontend::query(text, self.write_buffer.buffer())?;
        self.awaited_ready += 1;
        self.read_script(Protocol::Simple).await
    }

    async fn read_script(&mut self, protocol: Protocol) -> Result<ScriptOutcome, ClientError> {
        let mut outcome = ScriptOutcome::default();
        let mut rows = None;
        loop {
            let message = self.raw_message().await?;
            match message.tag {
                b'T' => {
                    rows = Some(0);
                    self.skip(&message);
                }
                b'D' => {
                    rows = Some(rows.unwrap_or(0) + 1);
                    self.skip(&message);
                }
                b'C' => {
                    outcome.rows = rows.take();
                    let tag = self.incoming.get(5..message.length.saturating_sub(1)).unwrap_or_default();
                    outcome.tags.push(String::from_utf8_lossy(tag).into_owned());
                    self.skip(&message);
                }
                b'I' => {
                    outcome.tags.push(String::new());
                    self.skip(&message);
                }
                // `copy … from stdin`: the server waits for rows. Let the copy fail. In the extended protocol, the server has discarded the
                // script's `Sync`, so another one is sent.
                b'G' => {
                    self.skip(&message);
                    frontend::copy_fail("a script has no rows to copy", self.write_buffer.buffer())?;
                    if protocol == Protocol::Extended {
                        frontend::sync(self.write_buffer.buffer());
                    }
                }
                b'Z' => {
                    outcome.left_open = self.incoming.get(5) != Some(&b'I');
                    self.skip(&message);
                    self.awaited_ready = self.awaited_ready.saturating_sub(1);
                    if outcome.left_open {
                        self.awaited_ready += 1;
                        frontend::query("rollback", self.write_buffer.buffer())?;
                        self.drain().await?;
                    }
                    return Ok(outcome);
                }
                b'E' | b'N' => self.note(&mut outcome)?,
                _ => self.skip(&message),
            }
        }
    }

    fn note(&mut self, outcome: &mut ScriptOutcome) -> Result<(), ClientError> {
        match Message::parse(&mut self.incoming)? {
            Some(Message::ErrorResponse(body)) => {
                let error = DbError::read(body.fields())?;
                if error.fatal {
                    self.broken = true;
                    return Err(ClientError::Db(Box::new(outcome.failure.take().unwrap_or(error))));
                }
                outcome.failure.get_or_insert(error);
            }
            Some(Message::NoticeResponse(body)) => {
                let (severity, message) = notice(body.fields())?;
                if severity == "WARNING" && outcome.warnings.len() < MAX_WARNINGS {
                    outcome.warnings.push(message);
                }
            }
            _ => {}
        }
        Ok(())
    }
}
