//! Converts result rows to JSON, with the same bytes as PostgreSQL's `json_agg`.
//!
//! PostgreSQL spends more time on converting a row to JSON than on finding the row. For the most common types, the text format equals the
//! JSON except for quotes, so this module converts values of these types. If a result contains a column of any other type, PostgreSQL
//! converts all rows.

mod array;
mod embed;

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use super::json_form::{Form, quote, write_value};
use super::plan::tree::EmbedSelect;
use super::response_memory::AnswerMeter;
use cloch_sql::client::{Column, Row, RowSink};
use cloch_sql::schema_cache::PlainTypes;
use embed::{Embed, Shape};

/// Maximum size in bytes of a chunk of the response body, except for a chunk that consists of one larger row. Chunks avoid the reallocation of a
/// large response body as a whole.
const MAX_CHUNK_BYTES: usize = 256 * 1024;
/// Size in bytes from which an incomplete chunk of the response body counts towards the memory budget. The size is checked before each row.
/// Complete chunks always count.
const METERED_CHUNK_BYTES: usize = 16 * 1024;
/// Initial capacity of a chunk of the response body in bytes.
const INITIAL_CHUNK_BYTES: usize = 1024;

/// Columns of one part of a result row: columns with one JSON value each, or the columns of an embedded resource.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'a> {
    /// Number of columns, each of which contains the value of one JSON key.
    Values(usize),
    /// Name and columns of an embedded resource.
    Embed(&'a str, Shape<'a>),
}

impl<'a> Part<'a> {
    /// Returns the part of a result row that an embed occupies. `columns` contains the names of the embed's columns, or `None` if
    /// PostgreSQL builds the embed as JSON.
    pub(super) fn of(select: &'a EmbedSelect, columns: Option<&'a [String]>) -> Self {
        match (select, columns) {
            (EmbedSelect::Json { name, is_object, .. }, Some(names)) => {
                Self::Embed(name, Shape { is_object: *is_object, names })
            }
            (EmbedSelect::Json { is_empty, .. }, None) => Self::Values(usize::from(!is_empty)),
            (EmbedSelect::Spread { columns, .. }, _) => Self::Values(columns.len()),
        }
    }

    fn width(self) -> usize {
        match self {
            Self::Values(width) => width,
            Self::Embed(_, shape) => shape.width(),
        }
    }
}

/// Receives result rows and builds a JSON array.
#[derive(Debug)]
pub(super) struct JsonRows<'a> {
    plain_types: &'a PlainTypes,
    parts: &'a [Part<'a>],
    /// Number of columns at the end of a row that are not part of the response body. These columns are always NULL. Their only purpose is
    /// that PostgreSQL rejects a prepared statement if the types of table columns have changed (`sql/column_types.rs`).
    hidden: usize,
    /// All JSON keys with quotes and punctuation, concatenated.
    keys: BytesMut,
    /// For each JSON key, the end of the key's text in `keys`, and the source of the key's value.
    values: Vec<(usize, Value)>,
    /// Whether a column has a type that only PostgreSQL can convert to JSON, or a value is malformed. The response body is then incomplete.
    pub(super) unsupported: bool,
    /// Whether the response body would exceed `limit` bytes. The body is then empty.
    pub(super) too_large: bool,
    /// Whether the memory budget of responses is exhausted. The response body is then empty.
    pub(super) no_room: bool,
    meter: &'a AnswerMeter,
    pub(super) count: i64,
    /// Maximum size of the response body in bytes.
    limit: usize,
    full: Vec<Bytes>,
    full_bytes: usize,
    chunk: BytesMut,
}

/// Source of the value of a JSON key.
#[derive(Debug)]
enum Value {
    Column(Form),
    Embed(Embed),
}

impl<'a> JsonRows<'a> {
    /// Creates a receiver of result rows. `parts` describes the columns of embeds. In each row, these columns precede the last `hidden`
    /// columns. `limit` is the maximum size of the response body in bytes.
    pub(super) fn new(
        plain_types: &'a PlainTypes,
        parts: &'a [Part<'a>],
        hidden: usize,
        (meter, limit): (&'a AnswerMeter, usize),
    ) -> Self {
        Self {
            plain_types,
            parts,
            hidden,
            keys: BytesMut::new(),
            values: Vec::new(),
            unsupported: false,
            too_large: false,
            no_room: false,
            meter,
            count: 0,
            limit,
            full: Vec::new(),
            full_bytes: 0,
            chunk: BytesMut::new(),
        }
    }

    pub(super) fn array(mut self) -> Vec<Bytes> {
        if self.count == 0 {
            return vec![Bytes::from_static(b"[]")];
        }
        self.chunk.put_u8(b']');
        self.complete_chunk();
        self.full
    }

    /// Returns the first row as a JSON object.
    pub(super) fn object(mut self) -> Vec<Bytes> {
        self.complete_chunk();
        match self.full.first_mut() {
            Some(first) if !first.is_empty() => _ = first.split_to(1),
            _ => {}
        }
        self.full
    }
}

impl JsonRows<'_> {
    /// Completes the chunk before a row that does not fit into it, and reserves memory for the row, so that the capacity of a chunk is hardly larger
    /// than its content.
    fn reserve(&mut self, row: &Row) {
        // The keys, and for each value two quotation marks and a comma.
        let bytes = row.size() + self.keys.len() + 3 * self.values.len() + "[{}]".len();
        if !self.chunk.is_empty() && self.chunk.len() + bytes > MAX_CHUNK_BYTES {
            self.complete_chunk();
        }
        self.chunk.reserve(bytes);
    }

    fn complete_chunk(&mut self) {
        let chunk = std::mem::take(&mut self.chunk);
        self.full_bytes += chunk.len();
        // Only the content counts towards the memory budget, but the whole capacity is kept until the response is sent. Escaped characters can double
        // the capacity after it was reserved.
        let is_loose = chunk.len() > METERED_CHUNK_BYTES && chunk.capacity() - chunk.len() > chunk.len() / 4;
        self.full.push(if is_loose { Bytes::copy_from_slice(&chunk) } else { chunk.freeze() });
    }

    /// Prepares the JSON keys for rows with the given columns. Returns `None` if a column has a type that only PostgreSQL can convert to
    /// JSON.
    fn prepare(&mut self, columns: &[Column]) -> Option<()> {
        let (columns, _) = columns.split_at_checked(columns.len().checked_sub(self.hidden)?)?;
        let tail: usize = self.parts.iter().map(|part| part.width()).sum();
        let (head, mut rest) = columns.split_at_checked(columns.len().checked_sub(tail)?)?;
        head.iter().try_for_each(|column| self.prepare_column(column))?;
        for part in self.parts {
            let (own, others) = rest.split_at_checked(part.width())?;
            rest = others;
            match part {
                Part::Values(_) => own.iter().try_for_each(|column| self.prepare_column(column))?,
                Part::Embed(name, shape) => {
                    self.prepare_value(name, Value::Embed(Embed::of(*shape, own, self.plain_types)?));
                }
            }
        }
        // Leave rows without columns to PostgreSQL, because it formats such rows differently.
        (!columns.is_empty()).then_some(())
    }

    fn prepare_column(&mut self, column: &Column) -> Option<()> {
        let form = Form::of(column.type_oid, self.plain_types)?;
        self.prepare_value(&column.name, Value::Column(form));
        Some(())
    }

    fn prepare_value(&mut self, key: &str, value: Value) {
        self.keys.put_u8(if self.values.is_empty() { b'{' } else { b',' });
        quote(&mut self.keys, key.as_bytes());
        self.keys.put_u8(b':');
        self.values.push((self.keys.len(), value));
    }

    /// Writes a result row as a JSON object. Returns `None` if a value is malformed.
    fn write(&mut self, row: &Row) -> Option<()> {
        self.chunk.put_slice(if self.count == 0 { b"[" } else { b", \n " });
        let mut begin = 0;
        let mut columns = row.values();
        for (end, value) in &self.values {
            self.chunk.put_slice(self.keys.get(begin..*end).unwrap_or_default());
            begin = *end;
            match value {
                Value::Column(form) => match columns.next()? {
                    None => self.chunk.put_slice(b"null"),
                    Some(value) => write_value(&mut self.chunk, *form, value),
                },
                Value::Embed(embed) => embed.write(&mut self.chunk, &mut columns)?,
            }
        }
        self.chunk.put_u8(b'}');
        Some(())
    }
}

impl RowSink for JsonRows<'_> {
    fn start(&mut self, columns: &Arc<[Column]>) {
        *self = Self::new(self.plain_types, self.parts, self.hidden, (self.meter, self.limit));
        self.keys.reserve(columns.iter().map(|column| column.name.len() + "{\"\":".len()).sum());
        self.values.reserve_exact(columns.len());
        self.chunk.reserve(INITIAL_CHUNK_BYTES);
        self.unsupported = self.prepare(columns).is_none();
    }

    fn row(&mut self, row: Row) {
        if self.unsupported || self.too_large || self.no_room {
            return;
        }
        if self.chunk.len() + row.size() > METERED_CHUNK_BYTES {
            let chunk = self.chunk.capacity().max(self.chunk.len() + row.size());
            self.no_room = !self.meter.body(self.full_bytes + chunk);
        }
        if !self.no_room {
            self.reserve(&row);
            self.unsupported = self.write(&row).is_none();
            self.count += 1;
            self.too_large = self.full_bytes > self.limit;
        }
        if self.too_large || self.no_room {
            self.full.clear();
            self.chunk = BytesMut::new();
        }
    }
}

/// Receives a single value and converts it to JSON. Must be used only for types that Cloch can convert ([`crate::json_form::is_written`]).
#[derive(Debug, Default)]
pub(super) struct JsonValue {
    form: Option<Form>,
    pub(super) body: Bytes,
}

impl RowSink for JsonValue {
    fn start(&mut self, columns: &Arc<[Column]>) {
        let form = |column: &Column| Form::of(column.type_oid, &PlainTypes::default());
        *self = Self { form: columns.first().and_then(form), body: Bytes::from_static(b"null") };
    }

    fn row(&mut self, row: Row) {
        if let Some(value) = row.values().next().flatten() {
            let form = self.form.unwrap_or(Form::Text);
            let value = if form == Form::Json { value.trim_ascii() } else { value };
            let mut body = BytesMut::with_capacity(value.len() + 2);
            write_value(&mut body, form, value);
            self.body = body.freeze();
        }
    }
}
