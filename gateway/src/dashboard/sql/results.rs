//! What statements gave, bounded in bytes.

use std::sync::Arc;

use cloch_sql::client::{Column, Row, RowSink};
use serde::Serialize;

/// Bytes of the values of one answer.
pub(super) const MAX_BYTES: usize = 10 << 20;
/// Characters of one value.
const MAX_CHARS: usize = 20_000;

/// A column of a result.
#[derive(Debug, Serialize)]
pub(super) struct ResultColumn {
    name: String,
    /// As PostgreSQL writes it; known when all statements have run.
    #[serde(rename = "type")]
    pub(super) type_name: String,
    #[serde(skip)]
    pub(super) oid: u32,
}

/// What one statement gave.
#[derive(Debug, Default, Serialize)]
pub(super) struct StatementResult {
    /// Where it is in the text, in UTF-16 units, as browsers count.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The command tag; empty where there are more rows.
    pub(super) command: String,
    pub(super) columns: Vec<ResultColumn>,
    pub(super) rows: Vec<Vec<Option<String>>>,
    /// Whether there are more rows than these.
    pub(super) more: bool,
    /// Row and column of the values that are not whole.
    pub(super) cut: Vec<(usize, usize)>,
    /// Milliseconds.
    pub(super) ms: u64,
}

/// Collects the rows of one statement.
pub(super) struct Collector<'a> {
    pub(super) result: &'a mut StatementResult,
    /// Bytes that the answer may still take.
    pub(super) left: &'a mut usize,
    /// Whether values stay whole: a plan is one value.
    pub(super) whole: bool,
}

impl RowSink for Collector<'_> {
    fn start(&mut self, columns: &Arc<[Column]>) {
        let column = |column: &Column| ResultColumn {
            name: column.name.to_string(),
            type_name: String::new(),
            oid: column.type_oid,
        };
        self.result.columns = columns.iter().map(column).collect();
    }

    fn row(&mut self, row: Row) {
        if *self.left == 0 {
            self.result.more = true;
            return;
        }
        let place = self.result.rows.len();
        let mut values = Vec::with_capacity(self.result.columns.len());
        for (column, value) in row.values().enumerate() {
            let value = value.map(|bytes| {
                // A character has four bytes at most.
                let is_cut = !self.whole && bytes.len() > MAX_CHARS * 4;
                let kept = if is_cut { bytes.get(..MAX_CHARS * 4).unwrap_or(bytes) } else { bytes };
                let mut text = String::from_utf8_lossy(kept).into_owned();
                let end = if self.whole { None } else { text.char_indices().nth(MAX_CHARS).map(|(end, _)| end) };
                if let Some(end) = end {
                    text.truncate(end);
                }
                if is_cut || end.is_some() {
                    self.result.cut.push((place, column));
                }
                text
            });
            *self.left = self.left.saturating_sub(value.as_ref().map_or(4, String::len) + 4);
            values.push(value);
        }
        self.result.rows.push(values);
    }
}
