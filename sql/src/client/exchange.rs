//! One batch: statements bound and executed one after another, one `Sync`, and the answers read in order.

use std::sync::Arc;

use bytes::Bytes;
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;

use super::connection::{Connection, Frame, Notification};
use super::statements::is_large;
use super::{ClientError, DbError, Param};

/// A statement of a batch.
pub struct Step<'a> {
    /// Its text, with `$1`, `$2`, … for the parameters.
    pub sql: &'a str,
    /// The parameters' values.
    pub params: &'a [Param],
    /// Who takes its rows; none drops them.
    pub sink: Option<&'a mut dyn RowSink>,
}

impl<'a> Step<'a> {
    /// A statement whose rows nobody needs.
    #[must_use]
    pub fn silent(sql: &'a str, params: &'a [Param]) -> Self {
        Self { sql, params, sink: None }
    }
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name in the result.
    pub name: Box<str>,
    /// Its type's OID; for a domain the type below it.
    pub type_oid: u32,
}

/// Takes the rows of a statement as they arrive.
pub trait RowSink: Send {
    /// Before the first row. Called again, for a fresh start, when the batch has to be repeated.
    fn start(&mut self, columns: &Arc<[Column]>);
    /// One row.
    fn row(&mut self, row: Row);
    /// After the last row: how many the statement read or changed.
    fn end(&mut self, _rows: i64) {}
}

/// A row: its values in text form.
#[derive(Debug, Clone)]
pub struct Row {
    frame: Bytes,
}

impl Row {
    /// The values from left to right; `None` is NULL.
    pub fn values(&self) -> impl Iterator<Item = Option<&[u8]>> {
        // After tag, length and the number of columns.
        let mut rest = self.frame.get(7..).unwrap_or_default();
        std::iter::from_fn(move || {
            let (length, tail) = rest.split_at_checked(4)?;
            let length = i32::from_be_bytes(length.try_into().ok()?);
            let Ok(length) = usize::try_from(length) else {
                rest = tail;
                return Some(None);
            };
            let (value, tail) = tail.split_at_checked(length)?;
            rest = tail;
            Some(Some(value))
        })
    }

    /// The value at `index`, sharing the row's memory; `None` for NULL.
    #[must_use]
    pub fn value(&self, index: usize) -> Option<Bytes> {
        self.values().nth(index).flatten().map(|value| self.frame.slice_ref(value))
    }

    /// The value at `index` as text; `None` for NULL.
    #[must_use]
    pub fn text(&self, index: usize) -> Option<&str> {
        self.values().nth(index).flatten().and_then(|value| std::str::from_utf8(value).ok())
    }
}

/// A sink that keeps every row.
#[derive(Debug, Default)]
pub struct Rows {
    columns: Option<Arc<[Column]>>,
    rows: Vec<Row>,
}

impl Rows {
    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Their columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        self.columns.as_deref().unwrap_or_default()
    }
}

impl RowSink for Rows {
    fn start(&mut self, columns: &Arc<[Column]>) {
        self.columns = Some(Arc::clone(columns));
        self.rows.clear();
    }

    fn row(&mut self, row: Row) {
        self.rows.push(row);
    }
}

/// How a step's statement is known to the server.
struct Sent {
    name: Arc<str>,
    /// Known when the statement was prepared before this batch, or described in it.
    columns: Option<Arc<[Column]>>,
    parsed: bool,
}

impl Connection {
    /// Runs the steps as one transaction. `role` tells apart statements with one text and different plans.
    ///
    /// # Errors
    /// The first error of the server, after which nothing of the batch has an effect, or a broken connection.
    pub async fn run(&mut self, role: &str, steps: &mut [Step<'_>]) -> Result<(), ClientError> {
        match self.run_once(role, steps).await {
            Err(ClientError::Db(error)) if error.is_stale_statement() && !self.broken => {
                for step in steps.iter() {
                    if let Some(name) = self.statements.forget(role, step.sql) {
                        frontend::close(b'S', &name, self.outgoing.buffer())?;
                    }
                }
                self.run_once(role, steps).await
            }
            outcome => outcome,
        }
    }

    async fn run_once(&mut self, role: &str, steps: &mut [Step<'_>]) -> Result<(), ClientError> {
        let mut sent = Vec::with_capacity(steps.len());
        for step in steps.iter() {
            match self.queue(role, step) {
                Ok(statement) => sent.push(statement),
                Err(error) => {
                    // A half-written batch must not reach the server.
                    self.broken = true;
                    return Err(error);
                }
            }
        }
        frontend::sync(self.outgoing.buffer());
        self.unanswered = true;
        let outcome = self.answers(steps, &mut sent).await;
        for (step, statement) in steps.iter().zip(sent) {
            if let (true, false, Some(columns)) = (statement.parsed, statement.name.is_empty(), statement.columns) {
                self.statements.insert(role, step.sql, statement.name, columns);
            }
        }
        outcome
    }

    fn queue(&mut self, role: &str, step: &Step<'_>) -> Result<Sent, ClientError> {
        if step.params.len() > usize::from(u16::MAX) {
            return Err(ClientError::TooManyParameters(step.params.len()));
        }
        let statement = match self.statements.get(role, step.sql) {
            Some(known) => Sent { name: known.name, columns: Some(known.columns), parsed: false },
            None => {
                while let Some(name) = self.statements.evict() {
                    frontend::close(b'S', &name, self.outgoing.buffer())?;
                }
                let name = if self.keep_statements { self.statements.name(role, step.sql) } else { "".into() };
                self.large_statements += u32::from(is_large(step.sql));
                let types = step.params.iter().map(|param| param.type_oid);
                frontend::parse(&name, step.sql, types, self.outgoing.buffer())?;
                frontend::describe(b'S', &name, self.outgoing.buffer())?;
                Sent { name, columns: None, parsed: false }
            }
        };
        self.outgoing.bind(&statement.name, step.params)?;
        frontend::execute("", 0, self.outgoing.buffer())?;
        Ok(statement)
    }

    async fn answers(&mut self, steps: &mut [Step<'_>], sent: &mut [Sent]) -> Result<(), ClientError> {
        let mut current = 0;
        let mut failure: Option<DbError> = None;
        loop {
            let frame = self.frame().await?;
            match frame.tag {
                b'D' => {
                    let row = self.row(&frame);
                    if let Some(sink) = steps.get_mut(current).and_then(|step| step.sink.as_mut()) {
                        sink.row(row);
                    }
                }
                b'2' => {
                    self.skip(&frame);
                    let columns = sent.get(current).and_then(|statement| statement.columns.as_ref());
                    if let (Some(step), Some(columns)) = (steps.get_mut(current), columns)
                        && let Some(sink) = step.sink.as_mut()
                    {
                        sink.start(columns);
                    }
                }
                b'C' | b'I' => {
                    if let Some(sink) = steps.get_mut(current).and_then(|step| step.sink.as_mut()) {
                        sink.end(self.affected(&frame));
                    }
                    self.skip(&frame);
                    current += 1;
                }
                b'1' => {
                    self.skip(&frame);
                    if let Some(statement) = sent.get_mut(current) {
                        statement.parsed = true;
                    }
                }
                b'Z' => {
                    let idle = self.incoming.get(5) == Some(&b'I');
                    self.skip(&frame);
                    self.unanswered = false;
                    if !idle {
                        self.roll_back().await?;
                    }
                    return failure.map_or(Ok(()), |error| Err(ClientError::Db(Box::new(error))));
                }
                _ => {
                    if let Some(error) = self.other(sent.get_mut(current))? {
                        self.broken |= error.fatal;
                        if error.fatal {
                            return Err(ClientError::Db(Box::new(error)));
                        }
                        failure.get_or_insert(error);
                    }
                }
            }
        }
    }

    fn row(&mut self, frame: &Frame) -> Row {
        Row { frame: self.incoming.split_to(frame.length).freeze() }
    }

    /// The number at the end of a command's tag, `INSERT 0 1`; 0 for those that have none.
    fn affected(&self, frame: &Frame) -> i64 {
        let tag = self.incoming.get(5..frame.length.saturating_sub(1)).unwrap_or_default();
        let number = tag.rsplit(|&byte| byte == b' ').next().unwrap_or_default();
        std::str::from_utf8(number).ok().and_then(|number| number.parse().ok()).unwrap_or_default()
    }

    /// The rarer messages: descriptions, notices, errors.
    fn other(&mut self, statement: Option<&mut Sent>) -> Result<Option<DbError>, ClientError> {
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
        self.unanswered = true;
        frontend::query("rollback", self.outgoing.buffer())?;
        self.drain().await
    }

    /// Reads what is still to come, up to the server's readiness.
    pub(super) async fn drain(&mut self) -> Result<(), ClientError> {
        while self.unanswered {
            let frame = self.frame().await?;
            match frame.tag {
                b'A' => _ = self.other(None)?,
                b'Z' => {
                    let is_idle = self.incoming.get(5) == Some(&b'I');
                    self.skip(&frame);
                    self.unanswered = !is_idle;
                    if !is_idle {
                        // A batch with a transaction of its own that failed, or was cancelled.
                        frontend::query("rollback", self.outgoing.buffer())?;
                    }
                }
                _ => self.skip(&frame),
            }
        }
        Ok(())
    }
}
