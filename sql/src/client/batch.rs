//! Batches: statements of the extended query protocol bound and executed one after another, one `Sync`, and the responses read in order.

use std::sync::Arc;

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::connection::{Connection, Notification, RawMessage};
use super::prepared_statements::is_large;
use super::row::{Column, Row, RowSink};
use super::{ClientError, DbError, Param};
use crate::schema_version;

/// A statement of a batch.
pub struct BatchStatement<'a> {
    /// Its text, with `$1`, `$2`, … for the parameters.
    pub sql: &'a str,
    /// The parameter values.
    pub params: &'a [Param],
    /// Receives the rows; `None` discards them.
    pub sink: Option<&'a mut dyn RowSink>,
}

impl<'a> BatchStatement<'a> {
    /// A statement whose rows are discarded.
    #[must_use]
    pub fn silent(sql: &'a str, params: &'a [Param]) -> Self {
        Self { sql, params, sink: None }
    }
}

/// A statement of a batch as it was sent.
struct SentStatement {
    /// Its name on the connection; empty for the unnamed statement.
    name: Arc<str>,
    /// `None` until the statement is described in this batch; known at once if it was prepared before.
    columns: Option<Arc<[Column]>>,
    parsed: bool,
    /// Whether it was prepared by an earlier batch.
    is_kept: bool,
}

/// Whether a batch may use statements that were prepared earlier.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    Used,
    NotUsed,
}

/// The beginning of a statement that is prepared for each use.
pub const NOT_KEPT: &str = "/* not kept */ ";

/// Whether a statement may be kept prepared. PostgreSQL would not refuse an `EXPLAIN` after its parameters' types have changed, because its
/// result always has the same type.
fn may_be_kept(sql: &str) -> bool {
    !sql.starts_with("EXPLAIN ") && !sql.starts_with(NOT_KEPT)
}

/// How a batch ended.
struct Ended {
    failure: Option<DbError>,
    /// The index of the statement that failed, if it was prepared earlier and had not been bound.
    failed_at_kept: Option<usize>,
    /// Whether no transaction block is open.
    idle: bool,
}

impl Ended {
    /// The statement that failed, if the schema may have changed since it was prepared: its parameters have types that their columns no longer
    /// have (42883, 22P02, 22003, …) or that no longer exist (XX000), or its result has other types (0A000). It has not been executed.
    fn stale(&self) -> Option<(usize, &DbError)> {
        let error = self.failure.as_ref().filter(|error| error.may_be_stale_statement())?;
        Some((self.failed_at_kept?, error))
    }

    fn outcome(self) -> Result<(), ClientError> {
        self.failure.map_or(Ok(()), |error| Err(ClientError::Db(Box::new(error))))
    }
}

impl Connection {
    /// Runs the statements as one transaction. `role` selects the prepared statement: plans depend on the role.
    ///
    /// # Errors
    /// The server's first error, after which the whole batch is rolled back; or a broken connection.
    pub async fn run(&mut self, role: &str, steps: &mut [BatchStatement<'_>]) -> Result<(), ClientError> {
        self.run_then(role, steps, None).await
    }

    /// As [`Connection::run`], with a statement in a transaction of its own after it, in the same round trip. Whether that one fails does not
    /// matter to the batch: its sink gets no row then.
    ///
    /// # Errors
    /// As [`Connection::run`].
    pub async fn run_then(
        &mut self,
        role: &str,
        steps: &mut [BatchStatement<'_>],
        mut after: Option<&mut BatchStatement<'_>>,
    ) -> Result<(), ClientError> {
        for name in self.statements.outdated(schema_version::current()) {
            frontend::close(b'S', &name, self.write_buffer.buffer())?;
        }
        let ended = self.run_once(role, steps, after.as_deref_mut(), Kept::Used).await?;
        let Some((failed, error)) = ended.stale().filter(|_| !self.broken) else { return ended.outcome() };
        let failed: &str = steps.get(failed).map_or("", |step| step.sql);
        if self.statements.is_valid(role, failed) {
            return ended.outcome();
        }
        if error.is_unknown_statement() {
            self.forget(role, steps)?;
            return self.run_once(role, steps, after, Kept::Used).await?.outcome();
        }
        let again = self.run_once(role, steps, after, Kept::NotUsed).await?;
        if again.failure.is_none() || error.is_changed_result() {
            schema_version::found_changed();
        } else {
            self.statements.validate(role, failed);
        }
        again.outcome()
    }

    /// Closes the statements of a batch that are prepared.
    fn forget(&mut self, role: &str, steps: &[BatchStatement<'_>]) -> Result<(), ClientError> {
        for step in steps {
            if let Some(name) = self.statements.forget(role, step.sql) {
                frontend::close(b'S', &name, self.write_buffer.buffer())?;
            }
        }
        Ok(())
    }

    async fn run_once(
        &mut self,
        role: &str,
        steps: &mut [BatchStatement<'_>],
        after: Option<&mut BatchStatement<'_>>,
        kept: Kept,
    ) -> Result<Ended, ClientError> {
        let mut sent = self.send(role, steps, kept)?;
        let Some(after) = after.map(std::slice::from_mut) else {
            let ended = self.read_responses(role, steps, &mut sent).await?;
            return self.end(ended).await;
        };
        let mut sent_after = self.send(role, after, kept)?;
        let ended = self.read_responses(role, steps, &mut sent).await?;
        // The batch has ended, whatever becomes of this one: a connection that breaks now is marked as broken.
        let ended_after = self.read_responses(role, after, &mut sent_after).await;
        if ended_after.is_err() {
            return Ok(ended);
        }
        self.end(ended).await
    }

    /// Queues the statements and the `Sync` after them.
    fn send(
        &mut self,
        role: &str,
        steps: &[BatchStatement<'_>],
        kept: Kept,
    ) -> Result<Vec<SentStatement>, ClientError> {
        let mut sent = Vec::with_capacity(steps.len());
        for step in steps.iter() {
            match self.queue(role, step, kept) {
                Ok(statement) => sent.push(statement),
                Err(error) => {
                    // The connection cannot be used again: a partly written batch must not be continued.
                    self.broken = true;
                    return Err(error);
                }
            }
        }
        frontend::sync(self.write_buffer.buffer());
        self.awaited_ready += 1;
        Ok(sent)
    }

    /// Ends the transaction block that a failed batch left open, if it did. A connection that breaks meanwhile takes nothing from what failed.
    async fn end(&mut self, ended: Ended) -> Result<Ended, ClientError> {
        let rolled_back = if ended.idle { Ok(()) } else { self.roll_back().await };
        if ended.failure.is_none() {
            rolled_back?;
        }
        Ok(ended)
    }

    /// Reads the responses to a batch, and remembers the statements that it has prepared.
    async fn read_responses(
        &mut self,
        role: &str,
        steps: &mut [BatchStatement<'_>],
        sent: &mut [SentStatement],
    ) -> Result<Ended, ClientError> {
        let ended = self.read_to_ready(steps, sent).await;
        for (step, statement) in steps.iter().zip(sent) {
            if let (true, false, Some(columns)) =
                (statement.parsed, statement.name.is_empty(), statement.columns.take())
            {
                self.statements.insert(role, step.sql, Arc::clone(&statement.name), columns);
            }
        }
        ended
    }

    fn queue(&mut self, role: &str, step: &BatchStatement<'_>, kept: Kept) -> Result<SentStatement, ClientError> {
        if step.params.len() > usize::from(u16::MAX) {
            return Err(ClientError::TooManyParameters(step.params.len()));
        }
        let known = self.statements.get(role, step.sql);
        let statement = match known {
            Some(known) if kept == Kept::Used => {
                SentStatement { name: known.name, columns: Some(known.columns), parsed: false, is_kept: true }
            }
            _ => {
                while let Some(name) = self.statements.evict() {
                    frontend::close(b'S', &name, self.write_buffer.buffer())?;
                }
                let is_kept = self.keep_statements && kept == Kept::Used && may_be_kept(step.sql);
                let name = if is_kept { self.statements.name(role, step.sql) } else { "".into() };
                self.large_statements += u32::from(is_large(step.sql));
                let types = step.params.iter().map(|param| param.type_oid);
                frontend::parse(&name, step.sql, types, self.write_buffer.buffer())?;
                frontend::describe(b'S', &name, self.write_buffer.buffer())?;
                SentStatement { name, columns: None, parsed: false, is_kept: false }
            }
        };
        self.write_buffer.bind(&statement.name, step.params)?;
        frontend::execute("", 0, self.write_buffer.buffer())?;
        Ok(statement)
    }

    async fn read_to_ready(
        &mut self,
        steps: &mut [BatchStatement<'_>],
        sent: &mut [SentStatement],
    ) -> Result<Ended, ClientError> {
        let (mut current, mut is_bound) = (0, false);
        let mut failure: Option<DbError> = None;
        let mut failed_at_kept = None;
        loop {
            let message = match self.raw_message().await {
                Ok(message) => message,
                // The server has said what failed, and has rolled it back, before the connection broke.
                Err(lost) => return Err(failure.map_or(lost, |error| ClientError::Db(Box::new(error)))),
            };
            match message.tag {
                b'D' => {
                    let row = self.take_row(&message);
                    if let Some(sink) = steps.get_mut(current).and_then(|step| step.sink.as_mut()) {
                        sink.row(row);
                    }
                }
                b'2' => {
                    self.skip(&message);
                    is_bound = true;
                    let columns = sent.get(current).and_then(|statement| statement.columns.as_ref());
                    if let (Some(step), Some(columns)) = (steps.get_mut(current), columns)
                        && let Some(sink) = step.sink.as_mut()
                    {
                        sink.start(columns);
                    }
                }
                b'C' | b'I' => {
                    if let Some(sink) = steps.get_mut(current).and_then(|step| step.sink.as_mut()) {
                        sink.end(self.affected_rows(&message));
                    }
                    self.skip(&message);
                    current += 1;
                    is_bound = false;
                }
                b'1' => {
                    self.skip(&message);
                    if let Some(statement) = sent.get_mut(current) {
                        statement.parsed = true;
                    }
                }
                b'Z' => {
                    let idle = self.incoming.get(5) == Some(&b'I');
                    self.skip(&message);
                    self.awaited_ready = self.awaited_ready.saturating_sub(1);
                    return Ok(Ended { failure, failed_at_kept, idle });
                }
                _ => {
                    if let Some(error) = self.read_other(sent.get_mut(current))? {
                        self.broken |= error.fatal;
                        if error.fatal {
                            // The server ended the session after it had refused the batch, which is what its caller has to know.
                            return Err(ClientError::Db(Box::new(failure.unwrap_or(error))));
                        }
                        if failure.is_none() {
                            let is_kept = sent.get(current).is_some_and(|statement| statement.is_kept);
                            failed_at_kept = (is_kept && !is_bound).then_some(current);
                            failure = Some(error);
                        }
                    }
                }
            }
        }
    }

    fn take_row(&mut self, message: &RawMessage) -> Row {
        Row::new(self.incoming.split_to(message.length).freeze())
    }

    /// The row count at the end of a command tag such as `INSERT 0 1`; 0 for commands without one.
    fn affected_rows(&self, message: &RawMessage) -> i64 {
        let tag = self.incoming.get(5..message.length.saturating_sub(1)).unwrap_or_default();
        let number = tag.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
        std::str::from_utf8(number).ok().and_then(|number| number.parse().ok()).unwrap_or_default()
    }

    /// Handles the less frequent messages: descriptions, notices, errors.
    fn read_other(&mut self, statement: Option<&mut SentStatement>) -> Result<Option<DbError>, ClientError> {
        let columns: Arc<[Column]> = match Message::parse(&mut self.incoming)? {
            Some(Message::RowDescription(body)) => {
                let column = |field: postgres_protocol::message::backend::Field<'_>| {
                    Ok(Column { name: field.name().into(), type_oid: field.type_oid() })
                };
                body.fields().map(column).collect::<Vec<_>>()?.into()
            }
            Some(Message::NoData) => [].into(),
            Some(Message::ErrorResponse(body)) => return Ok(Some(DbError::read(body.fields())?)),
            Some(Message::NotificationResponse(body)) => {
                self.notifications.push_back(Notification::read(&body)?);
                return Ok(None);
            }
            _ => return Ok(None),
        };
        if let Some(statement) = statement {
            statement.columns = Some(columns);
        }
        Ok(None)
    }

    /// Ends a transaction block that a failed batch left open.
    async fn roll_back(&mut self) -> Result<(), ClientError> {
        self.awaited_ready += 1;
        frontend::query("rollback", self.write_buffer.buffer())?;
        self.drain().await
    }

    /// Reads and drops messages up to the last `ReadyForQuery`.
    pub(super) async fn drain(&mut self) -> Result<(), ClientError> {
        while self.awaited_ready > 0 {
            let message = self.raw_message().await?;
            match message.tag {
                b'A' => _ = self.read_other(None)?,
                b'Z' => {
                    let is_idle = self.incoming.get(5) == Some(&b'I');
                    self.skip(&message);
                    self.awaited_ready -= 1;
                    if self.awaited_ready == 0 && !is_idle {
                        // A failed or cancelled batch with an explicit transaction has left it open.
                        self.awaited_ready = 1;
                        frontend::query("rollback", self.write_buffer.buffer())?;
                    }
                }
                _ => self.skip(&message),
            }
        }
        Ok(())
    }
}
