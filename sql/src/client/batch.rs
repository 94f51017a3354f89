//! Batches of SQL statements in the extended query protocol: several statements are sent with one `Sync`, and their responses are read in
//! order.

use std::sync::Arc;

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::connection::{Connection, Notification, RawMessage};
use super::prepared_statements::is_large;
use super::row::{Column, Row, RowSink};
use super::{ClientError, DbError, Param};
use crate::schema_version;

/// SQL statement of a batch.
pub struct BatchStatement<'a> {
    /// SQL text, with `$1`, `$2`, … for the parameters.
    pub sql: &'a str,
    /// Values of the statement's parameters.
    pub params: &'a [Param],
    /// Sink that receives the statement's rows; `None` to discard the rows.
    pub sink: Option<&'a mut dyn RowSink>,
}

impl<'a> BatchStatement<'a> {
    /// Creates a statement whose rows are discarded.
    #[must_use]
    pub fn silent(sql: &'a str, params: &'a [Param]) -> Self {
        Self { sql, params, sink: None }
    }
}

struct SentStatement {
    /// Name of the prepared statement on the connection; empty for PostgreSQL's unnamed statement.
    name: Arc<str>,
    /// Columns of the statement's result. If an earlier batch prepared the statement, the columns are known from the beginning; otherwise
    /// `None` until the server has described the statement.
    columns: Option<Arc<[Column]>>,
    parsed: bool,
    /// Whether an earlier batch prepared the statement.
    is_kept: bool,
}

/// Whether a batch may execute the prepared statements that earlier batches left on the connection.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    Used,
    NotUsed,
}

/// Prefix of the SQL text of statements that must not stay prepared on the connection.
pub const NOT_KEPT: &str = "/* not kept */ ";

/// Whether a statement may stay prepared. `EXPLAIN` is excluded: its result always has the same type, so PostgreSQL would not report an
/// error after a change of the parameter types.
fn may_be_kept(sql: &str) -> bool {
    !sql.starts_with("EXPLAIN ") && !sql.starts_with(NOT_KEPT)
}

struct Ended {
    failure: Option<DbError>,
    /// Index of the failed statement in the batch, if an earlier batch prepared this statement and the server failed to bind its
    /// parameters; otherwise `None`.
    failed_at_kept: Option<usize>,
    idle: bool,
}

impl Ended {
    /// Returns the index and error of the failed statement if a schema change may have invalidated the prepared statement. In this case,
    /// the statement was not executed. The SQLSTATE shows the cause: the types of the columns differ from those of the parameters (42883,
    /// 22P02, 22003, …), a type of a parameter no longer exists (XX000), or the types of the result have changed (0A000).
    fn stale(&self) -> Option<(usize, &DbError)> {
        let error = self.failure.as_ref().filter(|error| error.may_be_stale_statement())?;
        Some((self.failed_at_kept?, error))
    }

    fn outcome(self) -> Result<(), ClientError> {
        self.failure.map_or(Ok(()), |error| Err(ClientError::Db(Box::new(error))))
    }
}

impl Connection {
    /// Executes the statements as one transaction. Prepared statements are cached separately for each `role`, because plans depend on the
    /// role.
    ///
    /// # Errors
    /// Returns the server's first error, after which the whole batch is rolled back, or a connection error.
    pub async fn run(&mut self, role: &str, steps: &mut [BatchStatement<'_>]) -> Result<(), ClientError> {
        self.run_then(role, steps, None).await
    }

    /// Executes the statements of `steps` in one transaction, and the statement `after` in a separate transaction. Both need only one
    /// network round trip. If `after` fails, its sink receives no row and the batch is not affected.
    ///
    /// # Errors
    /// See [`Connection::run`].
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

    /// Closes the prepared statements of a batch and removes them from the cache.
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
        // The batch has succeeded or failed regardless of the result of `after`. If the connection breaks while this result is read, the
        // connection is marked as broken.
        let ended_after = self.read_responses(role, after, &mut sent_after).await;
        if ended_after.is_err() {
            return Ok(ended);
        }
        self.end(ended).await
    }

    /// Writes the statements of a batch and a `Sync` to the connection's write buffer.
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
                    // A partly written batch must not be continued, so the connection cannot be used again.
                    self.broken = true;
                    return Err(error);
                }
            }
        }
        frontend::sync(self.write_buffer.buffer());
        self.awaited_ready += 1;
        Ok(sent)
    }

    /// Rolls back a transaction block that a failed batch left open, and returns the outcome of the batch. If the rollback fails too, the
    /// error of the batch is returned.
    async fn end(&mut self, ended: Ended) -> Result<Ended, ClientError> {
        let rolled_back = if ended.idle { Ok(()) } else { self.roll_back().await };
        if ended.failure.is_none() {
            rolled_back?;
        }
        Ok(ended)
    }

    /// Reads the responses to a batch, and registers the statements that it prepared.
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
                // If the server reported a failure before the connection broke, the server has rolled the batch back. Return that failure
                // instead of the connection error.
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
                            // The server refused the batch and then ended the session: return the first error.
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

    /// Returns the number of affected rows from the end of a command tag such as `INSERT 0 1`; 0 for commands without a row count.
    fn affected_rows(&self, message: &RawMessage) -> i64 {
        let tag = self.incoming.get(5..message.length.saturating_sub(1)).unwrap_or_default();
        let number = tag.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
        std::str::from_utf8(number).ok().and_then(|number| number.parse().ok()).unwrap_or_default()
    }

    /// Handles the less frequent protocol messages: descriptions, notices, notifications and errors.
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

    /// Rolls back a transaction block that a failed batch left open.
    async fn roll_back(&mut self) -> Result<(), ClientError> {
        self.awaited_ready += 1;
        frontend::query("rollback", self.write_buffer.buffer())?;
        self.drain().await
    }

    /// Reads and discards messages up to the last expected `ReadyForQuery`.
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
                        // A failed or cancelled batch that began an explicit transaction has left its transaction block open.
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
