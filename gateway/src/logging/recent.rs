//! Stores recent log lines in memory, for the dashboard. The lines are stored with their fields as JSON; number and size of the lines are
//! limited.

use std::collections::VecDeque;
use std::fmt::{Debug, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use cloch_core::request_ids;
use http::HeaderValue;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Maximum number of stored log lines.
const MAX_LINES: usize = 20_000;
/// Maximum size in bytes of the fields of all stored log lines.
const MAX_BYTES: usize = 8 << 20;
/// Maximum size of the value of a log line's field in bytes. Longer values are truncated.
const MAX_VALUE_BYTES: usize = 4096;

static RECENT: LazyLock<Recent> = LazyLock::new(Recent::default);

/// A stored log line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Sequence number, which increases by one with each line.
    pub seq: u64,
    /// Time of the line.
    pub at: DateTime<Utc>,
    /// Level of the line.
    pub level: Level,
    /// Module that logged the line.
    pub target: &'static str,
    /// Id of the request during which the line was logged; `None` outside of requests.
    pub request: Option<HeaderValue>,
    /// JSON object with the fields, including `message`.
    pub fields: Box<str>,
}

#[derive(Debug, Default)]
struct Recent {
    is_kept: AtomicBool,
    lines: Mutex<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<Line>,
    bytes: usize,
    /// Sequence number of the newest stored log line; 0 before the first line.
    last: u64,
}

/// Enables the storage of log lines in memory.
pub fn keep() {
    RECENT.is_kept.store(true, Ordering::Relaxed);
}

/// Returns stored log lines, newest first, and the sequence number of the oldest stored line. Only lines that `wanted` accepts and whose
/// sequence number is below `before` are returned, at most `limit`.
pub fn newest(before: Option<u64>, limit: usize, mut wanted: impl FnMut(&Line) -> bool) -> (Vec<Line>, u64) {
    let lines = RECENT.lines();
    let oldest = lines.lines.front().map_or(lines.last + 1, |line| line.seq);
    let candidates = lines.lines.iter().rev().filter(|line| before.is_none_or(|before| line.seq < before));
    (candidates.filter(|line| wanted(line)).take(limit).cloned().collect(), oldest)
}

/// Returns stored log lines, oldest first. Only lines with a sequence number above `seq` that `wanted` accepts are returned, at most `limit`.
/// The second value is the sequence number for the next call. The third value is `true` if lines were evicted before they could be read.
pub fn after(seq: u64, limit: usize, mut wanted: impl FnMut(&Line) -> bool) -> (Vec<Line>, u64, bool) {
    let lines = RECENT.lines();
    let oldest = lines.lines.front().map_or(lines.last + 1, |line| line.seq);
    let (mut found, mut last) = (Vec::new(), seq.max(oldest.saturating_sub(1)));
    for line in lines.lines.iter().skip_while(|line| line.seq <= seq) {
        if found.len() == limit {
            break;
        }
        last = line.seq;
        if wanted(line) {
            found.push(line.clone());
        }
    }
    (found, last, oldest > seq + 1)
}

/// Returns the sequence number of the newest line.
pub fn last_seq() -> u64 {
    RECENT.lines().last
}

impl Recent {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn push(&mut self, line: Line) {
        self.bytes += line.fields.len();
        self.last += 1;
        self.lines.push_back(Line { seq: self.last, ..line });
        while self.lines.len() > MAX_LINES || self.bytes > MAX_BYTES {
            let Some(oldest) = self.lines.pop_front() else { return };
            self.bytes -= oldest.fields.len();
        }
    }
}

/// Layer that stores each log line in memory.
pub(super) struct Keeper;

impl<S: Subscriber> Layer<S> for Keeper {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if !RECENT.is_kept.load(Ordering::Relaxed) {
            return;
        }
        let mut fields = Fields { text: String::with_capacity(160) };
        fields.text.push('{');
        event.record(&mut fields);
        fields.text.push('}');
        let metadata = event.metadata();
        let line = Line {
            seq: 0,
            at: Utc::now(),
            level: *metadata.level(),
            target: metadata.target(),
            request: request_ids::current().map(|ids| ids.id),
            fields: fields.text.into_boxed_str(),
        };
        RECENT.lines().push(line);
    }
}

struct Fields {
    text: String,
}

impl Fields {
    fn name(&mut self, field: &Field) -> bool {
        let name = field.name();
        if name.starts_with("log.") {
            return false;
        }
        if self.text.len() > 1 {
            self.text.push(',');
        }
        // Field names need no escaping: they are identifiers, possibly with dots.
        let _ = write!(self.text, "\"{name}\":");
        true
    }

    /// Writes a value as a JSON string.
    fn text(&mut self, value: std::fmt::Arguments<'_>) {
        self.text.push('"');
        let _ = Escaped { text: &mut self.text, left: MAX_VALUE_BYTES }.write_fmt(value);
        self.text.push('"');
    }
}

/// Escapes text for a JSON string without an allocation, because every request has a line.
struct Escaped<'a> {
    text: &'a mut String,
    /// Remaining number of bytes that the escaped value may have.
    left: usize,
}

impl Write for Escaped<'_> {
    fn write_str(&mut self, value: &str) -> std::fmt::Result {
        let is_plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
        if value.len() <= self.left && value.bytes().all(is_plain) {
            self.left -= value.len();
            self.text.push_str(value);
            return Ok(());
        }
        for letter in value.chars() {
            if letter.len_utf8() > self.left {
                self.left = 0;
                return Ok(());
            }
            self.left -= letter.len_utf8();
            match letter {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                letter if u32::from(letter) < 0x20 => write!(self.text, "\\u{:04x}", u32::from(letter))?,
                letter => self.text.push(letter),
            }
        }
        Ok(())
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if self.name(field) {
            self.text(format_args!("{value:?}"));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if self.name(field) {
            self.text(format_args!("{value}"));
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if self.name(field) {
            let _ = write!(self.text, "{value}");
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        if self.name(field) {
            let _ = write!(self.text, "{value}");
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        if self.name(field) {
            let _ = write!(self.text, "{value}");
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if self.name(field) {
            let _ = if value.is_finite() { write!(self.text, "{value}") } else { write!(self.text, "null") };
        }
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    fn line(bytes: usize) -> Line {
        let fields = "x".repeat(bytes).into_boxed_str();
        Line { seq: 0, at: Utc::now(), level: Level::INFO, target: "t", request: None, fields }
    }

    #[test]
    fn the_oldest_lines_go_first() {
        let mut lines = Lines::default();
        (0..MAX_LINES + 5).for_each(|_| lines.push(line(1)));
        assert_eq!((lines.lines.len(), lines.lines.front().unwrap().seq), (MAX_LINES, 6));
        (0..9).for_each(|_| lines.push(line(1 << 20)));
        assert!(lines.bytes <= MAX_BYTES && lines.lines.len() == 8);
    }

    #[test]
    fn a_line_keeps_its_fields_and_request() {
        keep();
        let subscriber = tracing_subscriber::registry().with(Keeper);
        let id = HeaderValue::from_static("req-of-this-test");
        let of_test = |line: &Line| line.request.as_ref() == Some(&id);
        let before = last_seq();
        tracing::subscriber::with_default(subscriber, || {
            let ids = request_ids::RequestIds { id: id.clone(), trace: None };
            request_ids::in_scope_sync(&ids, || {
                tracing::warn!(status = 404, role = %"anon", missing = None::<&str>, long = "é".repeat(3000), "said \"no\"\n\u{1b}\\");
            });
        });
        let (lines, _) = newest(None, 10, of_test);
        let fields: serde_json::Value = serde_json::from_str(&lines[0].fields).unwrap();
        assert_eq!((&fields["status"], &fields["role"]), (&404.into(), &"anon".into()));
        assert_eq!(fields["message"], "said \"no\"\n\u{1b}\\");
        assert!(fields["long"].as_str().unwrap().len() <= MAX_VALUE_BYTES && fields.get("missing").is_none());
        let (live, last, _) = after(before, 10, of_test);
        assert_eq!((live.len(), last >= lines[0].seq), (1, true));
        assert!(newest(Some(lines[0].seq), 10, of_test).0.is_empty());
    }
}
