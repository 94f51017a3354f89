//! Format of log lines: text for terminals, or JSON objects. Lines are written directly into the output buffer without allocations, because
//! every request logs a line.

use std::fmt::{self, Debug, Display, Write};

use chrono::{SecondsFormat, Utc};
use cloch_core::request_ids;
use cloch_core::request_ids::RequestIds;
use cloch_core::trace_context::TraceContext;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text { colours: bool },
    Json,
}

impl<S, N> FormatEvent<S, N> for Format
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let now = Utc::now().to_rfc3339_opts(SecondsFormat::Micros, true);
        let ids = request_ids::current();
        let mut fields = Fields { writer, format: *self, outcome: Ok(()) };
        fields.begin(&now, *event.metadata().level(), ids.as_ref())?;
        event.record(&mut fields);
        fields.outcome?;
        writer = fields.writer;
        writer.write_str(if *self == Self::Json { "}\n" } else { "\n" })
    }
}

/// Visitor that writes the fields of a log event. After the first write error, it stores this error and writes no more fields.
struct Fields<'a> {
    writer: Writer<'a>,
    format: Format,
    outcome: fmt::Result,
}

impl Fields<'_> {
    fn begin(&mut self, now: &str, level: Level, ids: Option<&RequestIds>) -> fmt::Result {
        let id = ids.and_then(|ids| ids.id.to_str().ok());
        let trace = ids.and_then(|ids| ids.trace.as_ref()).map(TraceContext::trace_id);
        let writer = &mut self.writer;
        match self.format {
            Format::Json => {
                write!(writer, r#"{{"timestamp":"{now}","level":"{level}""#)?;
                id.map_or(Ok(()), |id| write!(writer, r#","id":{}"#, Quoted(id)))?;
                trace.map_or(Ok(()), |trace| write!(writer, r#","trace_id":"{trace}""#))
            }
            Format::Text { colours } => {
                write!(writer, "{now} ")?;
                match colours {
                    true => write!(writer, "\x1b[{}m{level:>5}\x1b[0m", colour(level))?,
                    false => write!(writer, "{level:>5}")?,
                }
                match (id, trace) {
                    (Some(id), Some(trace)) => write!(writer, " request{{id={id:?} trace={trace}}}:"),
                    (Some(id), None) => write!(writer, " request{{id={id:?}}}:"),
                    (None, _) => Ok(()),
                }
            }
        }
    }

    fn add(&mut self, field: &Field, value: impl Display) {
        let name = field.name();
        // Skips the source file and line that libraries add through the `log` crate.
        if self.outcome.is_err() || name.starts_with("log.") {
            return;
        }
        self.outcome = match (self.format, name) {
            (Format::Json, _) => write!(self.writer, r#","{name}":{value}"#),
            (Format::Text { .. }, "message") => write!(OneLine(&mut self.writer), " {value}"),
            (Format::Text { .. }, _) => write!(OneLine(&mut self.writer), " {name}={value}"),
        };
    }
}

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        match self.format {
            Format::Json => self.add(field, Quoted(&format!("{value:?}"))),
            Format::Text { .. } => self.add(field, format_args!("{value:?}")),
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match self.format {
            Format::Json => self.add(field, Quoted(value)),
            Format::Text { .. } if field.name() == "message" => self.add(field, value),
            Format::Text { .. } => self.add(field, format_args!("{value:?}")),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_u128(&mut self, field: &Field, value: u128) {
        self.add(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        match value.is_finite() {
            true => self.add(field, value),
            false => self.add(field, "null"),
        }
    }
}

/// Writer that escapes control characters as Rust's string literals do, so that data from clients cannot forge a log line or control a
/// terminal.
struct OneLine<'a, 'b>(&'a mut Writer<'b>);

impl Write for OneLine<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !text.contains(char::is_control) {
            return self.0.write_str(text);
        }
        text.chars().try_for_each(|character| match character.is_control() {
            true => write!(self.0, "{}", character.escape_default()),
            false => self.0.write_char(character),
        })
    }
}

/// Text that is displayed as a JSON string.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self.0).map_err(|_| fmt::Error)?)
    }
}

fn colour(level: Level) -> u8 {
    match level {
        Level::ERROR => 31,
        Level::WARN => 33,
        Level::INFO => 32,
        Level::DEBUG => 34,
        Level::TRACE => 35,
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use chrono::DateTime;
    use http::HeaderValue;

    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            io::Write::write(&mut *self.0.lock().unwrap(), bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns the lines that `log` logs, without their timestamps.
    fn written(format: Format, log: impl FnOnce()) -> String {
        let page = Page::default();
        let writer = page.clone();
        let lines = tracing_subscriber::fmt().event_format(format).with_writer(move || writer.clone());
        tracing::subscriber::with_default(lines.finish(), log);
        String::from_utf8(page.0.lock().unwrap().clone()).unwrap()
    }

    fn lines() {
        tracing::info!(method = %"GET", route = "/rest/v1", status = 200, duration_ms = 0.5, wait_ms = 7_u128, "answered");
        let ids = RequestIds { id: HeaderValue::from_static("a \"b\""), trace: None };
        request_ids::in_scope_sync(&ids, || tracing::warn!(found = ?Some("x"), is = true, "a {}\n\u{1b}b", 1));
    }

    #[test]
    fn a_line_of_text() {
        let text = written(Format::Text { colours: false }, lines);
        let lines: Vec<_> = text.split_inclusive('\n').map(|line| line.split_at(27)).collect();
        assert!(lines.iter().take(2).all(|(time, _)| DateTime::parse_from_rfc3339(time).is_ok()));
        let rest: String = lines.iter().map(|(_, rest)| *rest).collect();
        let expected = "  INFO answered method=GET route=\"/rest/v1\" status=200 duration_ms=0.5 wait_ms=7\n  \
                        WARN request{id=\"a \\\"b\\\"\"}: a 1\\n\\u{1b}b found=Some(\"x\") is=true\n";
        assert_eq!(rest, expected);
    }

    #[test]
    fn a_line_of_json() {
        let text = written(Format::Json, lines);
        let mut lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let mut next = || {
            let mut line = lines.next().unwrap();
            let time = line.as_object_mut().unwrap().remove("timestamp").unwrap();
            assert!(DateTime::parse_from_rfc3339(time.as_str().unwrap()).is_ok());
            line
        };
        let answered = serde_json::json!({
            "level": "INFO", "message": "answered", "method": "GET", "route": "/rest/v1", "status": 200, "duration_ms": 0.5, "wait_ms": 7
        });
        assert_eq!(next(), answered);
        let warned = serde_json::json!({
            "level": "WARN", "id": "a \"b\"", "message": "a 1\n\u{1b}b", "found": "Some(\"x\")", "is": true
        });
        assert_eq!(next(), warned);
    }

    #[test]
    fn a_clients_trace_is_in_the_line() {
        let header = HeaderValue::from_static("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
        let trace = TraceContext::of(&[("traceparent".parse().unwrap(), header)].into_iter().collect());
        let ids = RequestIds { id: HeaderValue::from_static("a"), trace };
        let log = || request_ids::in_scope_sync(&ids, || tracing::info!("x"));
        assert!(
            written(Format::Text { colours: false }, log)
                .ends_with(" request{id=\"a\" trace=4bf92f3577b34da6a3ce929d0e0e4736}: x\n")
        );
        let line: serde_json::Value = serde_json::from_str(&written(Format::Json, log)).unwrap();
        assert_eq!(line["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
    }

    #[test]
    fn colours_are_for_terminals() {
        assert!(written(Format::Text { colours: true }, lines).contains("\x1b[33m WARN\x1b[0m"));
    }
}
