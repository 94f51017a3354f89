//! Spans of requests: operations with their durations. They are sent to an OpenTelemetry collector (`[telemetry] otlp_endpoint`).
//!
//! A [`Span`] that is dropped is added to a bounded queue ([`queue`]), which the exporter empties. Without an exporter, or in a trace that
//! the client does not sample, a span costs one atomic load and no allocation. The spans of the crate tracing are not used, because its
//! registry would store a span for each request, even if the span is not exported.

mod queue;

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

pub use queue::Queue;

use crate::request_ids;
use crate::trace_context::TraceContext;

/// Maximum length of an attribute's text in bytes. Limits the memory of the queued spans, together with the maximum number of queued spans.
const MAX_TEXT_BYTES: usize = 2048;

static EXPORT: OnceLock<Export> = OnceLock::new();

#[derive(Debug)]
struct Export {
    queue: Queue,
    /// Share of new traces that are recorded, from 0 to 1. It applies only to traces that this process begins: for a client's trace, the
    /// client decides.
    sample: f64,
}

/// Kind of a span, as in OpenTelemetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Span of a request that this server handles.
    Server,
    /// Span of a request that this server sends to another program.
    Client,
    /// Span of queueing work that is processed later, such as a mail.
    Producer,
    /// Span of processing work that was queued earlier.
    Consumer,
}

/// Value of a span's attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(Cow<'static, str>),
    /// An integer.
    Number(i64),
}

impl From<&'static str> for Value {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        if text.len() > MAX_TEXT_BYTES { Self::excerpt(&text) } else { Self::Text(text.into()) }
    }
}

impl Value {
    /// Creates a text value. Truncates a text that may be long, such as an SQL statement.
    #[must_use]
    pub fn excerpt(text: &str) -> Self {
        let end = text.floor_char_boundary(MAX_TEXT_BYTES);
        Self::Text(text.get(..end).unwrap_or_default().to_owned().into())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// A span that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Trace id and span id.
    pub context: TraceContext,
    /// Parent span. `None` for the first span of a trace.
    pub parent: Option<TraceContext>,
    /// Name of the span. The number of different names is small, and a name never contains a value from a request.
    pub name: Cow<'static, str>,
    /// Kind of the span.
    pub kind: Kind,
    /// Start time.
    pub started: SystemTime,
    /// Duration.
    pub duration: Duration,
    /// Attributes of the span, named by OpenTelemetry's semantic conventions.
    pub attributes: Vec<(&'static str, Value)>,
    /// Whether the operation failed.
    pub failed: bool,
}

/// A running span. `None` if the span is not recorded.
#[derive(Debug)]
#[must_use = "a span ends when it is dropped"]
pub struct Span(Option<Box<Open>>);

#[derive(Debug)]
struct Open {
    begun: Instant,
    span: Finished,
}

/// Starts to record spans, and returns the queue of finished spans. The caller of this function has to empty the queue. `sample` is the
/// share of new traces that are recorded, from 0 to 1; for a client's trace, the client decides. Must be called only once.
pub fn start(sample: f64) -> &'static Queue {
    &EXPORT.get_or_init(|| Export { queue: Queue::default(), sample }).queue
}

/// Whether the process records spans.
#[must_use]
pub fn are_recorded() -> bool {
    EXPORT.get().is_some()
}

impl Span {
    /// Begins the span of a request. If the client sent a trace context (`client`), the span belongs to the client's trace, otherwise to a
    /// new trace.
    pub fn of_request(client: Option<TraceContext>) -> Self {
        let Some(export) = EXPORT.get() else { return Self(None) };
        match client {
            Some(client) if !client.is_sampled() => Self(None),
            None if rand::random::<f64>() >= export.sample => Self(None),
            Some(client) => Self::open("request", Kind::Server, client.child(), Some(client)),
            None => Self::open("request", Kind::Server, TraceContext::begin(), None),
        }
    }

    /// Begins a span as part of the current request.
    pub fn begin(name: &'static str, kind: Kind) -> Self {
        match EXPORT.get().and_then(|_| request_ids::current_trace()) {
            Some(parent) => Self::of(parent, name, kind),
            None => Self(None),
        }
    }

    /// Begins a child span of `parent`, which is a span of a request. The request may have ended already.
    pub fn of(parent: TraceContext, name: &'static str, kind: Kind) -> Self {
        match EXPORT.get() {
            Some(_) if parent.is_sampled() => Self::open(name, kind, parent.child(), Some(parent)),
            _ => Self(None),
        }
    }

    /// Records an operation of the current request that has just ended after `duration`.
    pub fn ended(name: &'static str, kind: Kind, duration: Duration, attributes: Vec<(&'static str, Value)>) {
        let mut span = Self::begin(name, kind);
        if let Some(open) = &mut span.0 {
            open.span.started = SystemTime::now().checked_sub(duration).unwrap_or(open.span.started);
            open.begun = Instant::now().checked_sub(duration).unwrap_or(open.begun);
            open.span.attributes = attributes;
        }
    }

    fn open(name: &'static str, kind: Kind, context: TraceContext, parent: Option<TraceContext>) -> Self {
        let span = Finished {
            context,
            parent,
            name: name.into(),
            kind,
            started: SystemTime::now(),
            duration: Duration::ZERO,
            attributes: Vec::new(),
            failed: false,
        };
        Self(Some(Box::new(Open { begun: Instant::now(), span })))
    }

    /// Returns the trace id and span id, for child spans. `None` if the span is not recorded.
    #[must_use]
    pub fn context(&self) -> Option<TraceContext> {
        self.0.as_ref().map(|open| open.span.context)
    }

    /// Replaces the name of the span. The closure is called only if the span is recorded.
    pub fn rename(&mut self, name: impl FnOnce() -> String) {
        if let Some(open) = &mut self.0 {
            open.span.name = name().into();
        }
    }

    /// Adds attributes to the span. The closure is called only if the span is recorded.
    pub fn add<const N: usize>(&mut self, attributes: impl FnOnce() -> [(&'static str, Value); N]) {
        if let Some(open) = &mut self.0 {
            open.span.attributes.extend(attributes());
        }
    }

    /// Marks the span as failed.
    pub fn fail(&mut self) {
        if let Some(open) = &mut self.0 {
            open.span.failed = true;
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let (Some(open), Some(export)) = (self.0.take(), EXPORT.get()) {
            let Open { begun, mut span } = *open;
            span.duration = begun.elapsed();
            export.queue.push(span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // No test of this crate starts the exporter, so this process does not record spans.
    #[test]
    fn without_an_exporter_a_span_is_nothing() {
        let mut span = Span::of_request(Some(TraceContext::begin()));
        span.add(|| [("never", unreachable_value())]);
        span.fail();
        assert!(span.context().is_none() && !are_recorded());
    }

    #[test]
    fn long_texts_are_cut_at_a_letter() {
        let long = format!("a{}", "é".repeat(MAX_TEXT_BYTES));
        let cut = Value::from(long.clone());
        assert_eq!(cut, Value::excerpt(&long));
        assert!(matches!(cut, Value::Text(text) if text.len() == MAX_TEXT_BYTES - 1 && long.starts_with(&*text)));
    }

    fn unreachable_value() -> Value {
        unreachable!("attributes are made for spans that are recorded")
    }
}
