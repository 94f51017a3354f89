//! Results of SQL statements. Their size is limited, because they are held in memory.

use std::sync::Arc;

use cloch_sql::client::{Column, Row, RowSink};
use serde::Serialize;

/// Maximum length of a value in a result, in characters.
const MAX_CHARS: usize = 20_000;

#[derive(Debug, Serialize)]
pub(super) struct ResultColumn {
    name: String,
    /// Name of the column's type in PostgreSQL's format, set after all statements have run.
    #[serde(rename = "type")]
    pub(super) type_name: String,
    #[serde(skip)]
    pub(super) oid: u32,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct StatementResult {
    /// Start of the statement in the script in UTF-16 code units, the unit of JavaScript strings.
    pub(super) start: usize,
    pub(super) end: usize,
    /// PostgreSQL's command tag. Empty if the statement has returned more rows than `rows` contains.
    pub(super) command: String,
    pub(super) columns: Vec<ResultColumn>,
    pub(super) rows: Vec<Vec<Option<String>>>,
    /// Whether the statement has returned more rows than `rows` contains.
    pub(super) more: bool,
    /// Row and column indexes of truncated values.
    pub(super) cut: Vec<(usize, usize)>,
    /// Duration of the statement in milliseconds.
    pub(super) ms: u64,
}

pub(super) struct Collector<'a> {
    pub(super) result: &'a mut StatementResult,
    /// Remaining number of bytes by which the response may grow.
    pub(super) left: &'a mut usize,
    /// Whether values are kept complete. Set for query plans, because a plan is one long value.
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
                // Longer values are cut by bytes first, because a character has at most four bytes in UTF-8.
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
