//! Spans: what a request did, and how long each part took, for an OpenTelemetry collector (`[telemetry] otlp_endpoint`).
//!
//! A span is recorded when it is dropped, into a bounded queue ([`queue`]) that the exporter empties. Without an exporter, or in a trace that
//! its beginner does not record, a span is nothing: one atomic load, no allocation. (tracing's spans are not used: its registry would keep
//! one for each request, whether it is exported or not.)

mod queue;

use std::borrow::Cow;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

pub use queue::Queue;

use crate::request_ids;
use crate::trace_context::TraceContext;

/// Longest text of an attribute. With the number of spans that wait it bounds their memory.
const MAX_TEXT_BYTES: usize = 2048;

static EXPORT: OnceLock<Export> = OnceLock::new();

#[derive(Debug)]
struct Export {
    queue: Queue,
    /// The share of traces recorded of those that begin here.
    sample: f64,
}

/// What a span is in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It answers a request.
    Server,
    /// It asks another program.
    Client,
    /// It hands something over that is worked on later.
    Producer,
    /// It works on what was handed over.
    Consumer,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Text.
    Text(Cow<'static, str>),
    /// A number.
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
    /// The beginning of a text that may be long: of a statement.
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
    /// Its trace and its own id.
    pub context: TraceContext,
    /// The span that it is part of.
    pub parent: Option<TraceContext>,
    /// Its name: one of few, never with a value of a user.
    pub name: Cow<'static, str>,
    /// Its kind.
    pub kind: Kind,
    /// When it began.
    pub started: SystemTime,
    /// How long it took.
    pub duration: Duration,
    /// Its attributes, by the names of OpenTelemetry's semantic conventions.
    pub attributes: Vec<(&'static str, Value)>,
    /// Whether it failed.
    pub failed: bool,
}

/// A span that runs; nothing where none is recorded.
#[derive(Debug)]
#[must_use = "a span ends when it is dropped"]
pub struct Span(Option<Box<Open>>);

#[derive(Debug)]
struct Open {
    begun: Instant,
    span: Finished,
}

/// Begins to record spans; of traces that begin here the share `sample`. The queue has to be emptied. Once for a program.
pub fn start(sample: f64) -> &'static Queue {
    &EXPORT.get_or_init(|| Export { queue: Queue::default(), sample }).queue
}

/// Whether spans are recorded.
#[must_use]
pub fn are_recorded() -> bool {
    EXPORT.get().is_some()
}

impl Span {
    /// The span of a request: it continues the client's trace, or begins one.
    pub fn of_request(client: Option<TraceContext>) -> Self {
        let Some(export) = EXPORT.get() else { return Self(None) };
        match client {
            Some(client) if !client.is_sampled() => Self(None),
            None if rand::random::<f64>() >= export.sample => Self(None),
            Some(client) => Self::open("request", Kind::Server, client.child(), Some(client)),
            None => Self::open("request", Kind::Server, TraceContext::begin(), None),
        }
    }

    /// A part of the current request.
    pub fn begin(name: &'static str, kind: Kind) -> Self {
        match EXPORT.get().and_then(|_| request_ids::current_trace()) {
            Some(parent) => Self::of(parent, name, kind),
            None => Self(None),
        }
    }

    /// A part of a request that has perhaps ended.
    pub fn of(parent: TraceContext, name: &'static str, kind: Kind) -> Self {
        match EXPORT.get() {
            Some(_) if parent.is_sampled() => Self::open(name, kind, parent.child(), Some(parent)),
            _ => Self(None),
        }
    }

    /// Records a part of the current request that has ended just now.
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

    /// Its trace and id, of which others are children; `None` where it is not recorded.
    #[must_use]
    pub fn context(&self) -> Option<TraceContext> {
        self.0.as_ref().map(|open| open.span.context)
    }

    /// Gives it another name.
    pub fn rename(&mut self, name: impl FnOnce() -> String) {
        if let Some(open) = &mut self.0 {
            open.span.name = name().into();
        }
    }

    /// Adds attributes, which are only made where the span is recorded.
    pub fn add<const N: usize>(&mut self, attributes: impl FnOnce() -> [(&'static str, Value); N]) {
        if let Some(open) = &mut self.0 {
            open.span.attributes.extend(attributes());
        }
    }

    /// Marks it as failed.
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

    // No test of this crate starts the export: spans of this process are those of a program without one.
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
