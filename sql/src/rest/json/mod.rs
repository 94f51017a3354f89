//! Converts result rows to JSON, byte for byte as PostgreSQL's `json_agg` does.
//!
//! PostgreSQL spends more time on converting a row to JSON than on finding it. The text form of the most common types is their JSON except
//! for quotes, so they are converted here. A statement that returns any other type is left to PostgreSQL.

mod array;
mod embed;

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use super::json_form::{Form, quote, write_value};
use super::plan::tree::EmbedSelect;
use super::response_memory::AnswerMeter;
use crate::client::{Column, Row, RowSink};
use crate::schema_cache::PlainTypes;
use embed::{Embed, Shape};

/// Size at which a chunk of the body is complete, so that a large body is never reallocated as a whole.
const MAX_CHUNK_BYTES: usize = 256 * 1024;
/// Size from which a chunk is counted row by row. (The body's other chunks are counted always.)
const METERED_CHUNK_BYTES: usize = 16 * 1024;
/// Initial capacity of a chunk.
const INITIAL_CHUNK_BYTES: usize = 1024;

/// The meaning of the last columns of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part<'a> {
    /// This many plain values.
    Values(usize),
    /// An embedded resource under its name.
    Embed(&'a str, Shape<'a>),
}

impl<'a> Part<'a> {
    /// The columns that an embed is returned as.
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

/// A row sink that builds a JSON array.
#[derive(Debug)]
pub(super) struct JsonRows<'a> {
    plain_types: &'a PlainTypes,
    parts: &'a [Part<'a>],
    /// Number of columns behind these, which are not shown.
    hidden: usize,
    /// All keys as they are written before their values, one after the other.
    keys: BytesMut,
    /// For each key, its end in `keys`, and the source of its value.
    values: Vec<(usize, Value)>,
    /// Whether a column has a type that cannot be converted here, or a value is malformed; then there is no body.
    pub(super) unsupported: bool,
    /// Whether the body would have more bytes than the limit; then there is none.
    pub(super) too_large: bool,
    /// Whether there is no memory for the body; then there is none.
    pub(super) no_room: bool,
    meter: &'a AnswerMeter,
    /// Number of rows.
    pub(super) count: i64,
    /// Bytes that the body may have.
    limit: usize,
    full: Vec<Bytes>,
    full_bytes: usize,
    chunk: BytesMut,
}

/// The source of a key's value.
#[derive(Debug)]
enum Value {
    /// One column.
    Column(Form),
    /// The columns of an embedded resource.
    Embed(Embed),
}

impl<'a> JsonRows<'a> {
    /// `parts` describes the last columns of each row before the `hidden` ones; `limit` is in bytes.
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

    /// The body as a JSON array.
    pub(super) fn array(mut self) -> Vec<Bytes> {
        if self.count == 0 {
            return vec![Bytes::from_static(b"[]")];
        }
        self.chunk.put_u8(b']');
        self.full.push(self.chunk.freeze());
        self.full
    }

    /// The first row as a JSON object.
    pub(super) fn object(mut self) -> Vec<Bytes> {
        self.full.push(self.chunk.freeze());
        match self.full.first_mut() {
            Some(first) if !first.is_empty() => _ = first.split_to(1),
            _ => {}
        }
        self.full
    }
}

impl JsonRows<'_> {
    /// Prepares the keys for rows of these columns; `None` if a column has a type that cannot be converted here.
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
        // PostgreSQL writes a row without columns in another form.
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

    /// Writes a row; `None` if a value is malformed.
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
            self.unsupported = self.write(&row).is_none();
            self.count += 1;
        }
        if self.chunk.len() >= MAX_CHUNK_BYTES {
            self.full_bytes += self.chunk.len();
            self.full.push(self.chunk.split().freeze());
            self.too_large = self.full_bytes > self.limit;
        }
        if self.too_large || self.no_room {
            self.full.clear();
            self.chunk = BytesMut::new();
        }
    }
}

/// A sink that converts a single value whose type [`is_written`].
#[derive(Debug, Default)]
pub(super) struct JsonValue {
    form: Option<Form>,
    /// The value.
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
