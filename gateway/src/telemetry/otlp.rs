//! The messages of OTLP (opentelemetry-proto 1.x, `trace.proto`, `common.proto`, `resource.proto`), as far as they are sent.
//!
//! prost encodes them. OpenTelemetry's own crates would bring a second exporter with a thread, whose queue does not tell what it drops, and
//! an API that is not used here; these are the fields, with their numbers.

use std::time::{SystemTime, UNIX_EPOCH};

use cloch_sql::spans::{Finished, Kind, Value};
use prost::{Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub(super) struct ExportTraceServiceRequest {
    #[prost(message, repeated, tag = "1")]
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct ScopeSpans {
    #[prost(message, optional, tag = "1")]
    scope: Option<InstrumentationScope>,
    #[prost(message, repeated, tag = "2")]
    spans: Vec<Span>,
}

#[derive(Clone, PartialEq, Message)]
struct InstrumentationScope {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    version: String,
}

#[derive(Clone, PartialEq, Message)]
struct Span {
    #[prost(bytes = "vec", tag = "1")]
    trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    name: String,
    /// `SpanKind`.
    #[prost(int32, tag = "6")]
    kind: i32,
    #[prost(fixed64, tag = "7")]
    start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    attributes: Vec<KeyValue>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
struct Status {
    /// `StatusCode`; 2 is an error.
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<AnyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct AnyValue {
    #[prost(oneof = "AnyOf", tags = "1, 3")]
    value: Option<AnyOf>,
}

#[derive(Clone, PartialEq, Oneof)]
enum AnyOf {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(int64, tag = "3")]
    Number(i64),
}

/// The request that exports some spans of this program.
pub(super) fn request(spans: Vec<Finished>, project: &str) -> ExportTraceServiceRequest {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [("service.name", "cloch"), ("service.version", version), ("service.namespace", project)];
    let attributes = resource.into_iter().map(|(key, value)| attribute(key, Value::Text(value.to_owned().into())));
    let scope = InstrumentationScope { name: "cloch".to_owned(), version: version.to_owned() };
    let spans = spans.into_iter().map(span).collect();
    ExportTraceServiceRequest {
        resource_spans: vec![ResourceSpans {
            resource: Some(Resource { attributes: attributes.collect() }),
            scope_spans: vec![ScopeSpans { scope: Some(scope), spans }],
        }],
    }
}

fn span(span: Finished) -> Span {
    let bytes = |digits: &str| hex::decode(digits).unwrap_or_default();
    Span {
        trace_id: bytes(span.context.trace_id()),
        span_id: bytes(span.context.span_id()),
        parent_span_id: span.parent.map(|parent| bytes(parent.span_id())).unwrap_or_default(),
        name: span.name.into_owned(),
        kind: match span.kind {
            Kind::Server => 2,
            Kind::Client => 3,
            Kind::Producer => 4,
            Kind::Consumer => 5,
        },
        start_time_unix_nano: nanoseconds(span.started),
        end_time_unix_nano: nanoseconds(span.started + span.duration),
        attributes: span.attributes.into_iter().map(|(key, value)| attribute(key, value)).collect(),
        status: span.failed.then_some(Status { code: 2 }),
    }
}

fn attribute(key: &str, value: Value) -> KeyValue {
    let value = match value {
        Value::Text(text) => AnyOf::Text(text.into_owned()),
        Value::Number(number) => AnyOf::Number(number),
    };
    KeyValue { key: key.to_owned(), value: Some(AnyValue { value: Some(value) }) }
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
