//! Result rows of SQL statements, and sinks that receive the rows.

use std::sync::Arc;

use bytes::Bytes;

/// Column of a query result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name of the column in the result.
    pub name: Box<str>,
    /// OID of the column's type; for a domain, OID of the base type.
    pub type_oid: u32,
}

/// Receives each row of a statement when the row arrives.
pub trait RowSink: Send + Sync {
    /// Called before the first row. Called again if the batch is repeated; rows received before must then be discarded.
    fn start(&mut self, columns: &Arc<[Column]>);
    /// Called for each row, in order.
    fn row(&mut self, row: Row);
    /// Called after the last row with the row count of the command tag.
    fn end(&mut self, _rows: i64) {}
}

/// Result row with values in text format.
#[derive(Debug, Clone)]
pub struct Row {
    message: Bytes,
}

impl Row {
    pub(super) fn new(message: Bytes) -> Self {
        Self { message }
    }

    /// Returns the values in column order; `None` for NULL.
    pub fn values(&self) -> impl Iterator<Item = Option<&[u8]>> {
        // Skips the tag, the length and the number of columns.
        let mut rest = self.message.get(7..).unwrap_or_default();
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

    /// Returns the size of the row's message in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.message.len()
    }

    /// Returns the value at `index`, which shares the row's memory; `None` for NULL.
    #[must_use]
    pub fn value(&self, index: usize) -> Option<Bytes> {
        self.values().nth(index).flatten().map(|value| self.message.slice_ref(value))
    }

    /// Returns the value at `index` as text; `None` for NULL or invalid UTF-8.
    #[must_use]
    pub fn text(&self, index: usize) -> Option<&str> {
        self.values().nth(index).flatten().and_then(|value| std::str::from_utf8(value).ok())
    }
}

/// Sink that collects all rows.
#[derive(Debug, Default)]
pub struct Rows {
    columns: Option<Arc<[Column]>>,
    rows: Vec<Row>,
}

impl Rows {
    /// Returns the collected rows.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the columns of the collected rows.
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
