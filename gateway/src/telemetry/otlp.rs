//! Encodes export requests of OTLP in protobuf (opentelemetry-proto 1.x: `trace.proto`, `common.proto`, `resource.proto`). Supports only the
//! fields that Cloch uses.
//!
//! The encoder writes the bytes directly from the spans. If every request is traced, intermediate prost messages would take more time and
//! memory than the spans themselves. OpenTelemetry's own crates are not used: they would add a second exporter with a thread, and their queue
//! does not report dropped spans.

use std::time::{SystemTime, UNIX_EPOCH};

use cloch_core::spans::{Finished, Kind, Value};
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint};

/// Typical size of an encoded span in bytes: names, IDs, times, six attributes and a statement.
const SPAN_BYTES: usize = 768;

/// Encodes the OTLP request (`ExportTraceServiceRequest`) that exports spans of this program.
pub(super) fn request(spans: &[Finished], project: &str) -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let mut resource = Vec::new();
    for (key, value) in [("service.name", "cloch"), ("service.version", version), ("service.namespace", project)] {
        attribute(&mut resource, 1, key, &Value::Text(value.to_owned().into()));
    }
    let mut scope = Vec::new();
    bytes(&mut scope, 1, b"cloch");
    bytes(&mut scope, 2, version.as_bytes());

    // Encodes the message `ScopeSpans`.
    let mut scope_spans = Vec::with_capacity(spans.len() * SPAN_BYTES);
    bytes(&mut scope_spans, 1, &scope);
    let mut buffer = Vec::with_capacity(SPAN_BYTES);
    for span in spans {
        buffer.clear();
        write_span(&mut buffer, span);
        bytes(&mut scope_spans, 2, &buffer);
    }
    // Encodes the message `ResourceSpans`.
    let mut resource_spans = Vec::with_capacity(scope_spans.len() + resource.len() + 16);
    bytes(&mut resource_spans, 1, &resource);
    bytes(&mut resource_spans, 2, &scope_spans);
    let mut request = Vec::with_capacity(resource_spans.len() + 8);
    bytes(&mut request, 1, &resource_spans);
    request
}

fn write_span(into: &mut Vec<u8>, span: &Finished) {
    id::<16>(into, 1, span.context.trace_id());
    id::<8>(into, 2, span.context.span_id());
    if let Some(parent) = span.parent {
        id::<8>(into, 4, parent.span_id());
    }
    bytes(into, 5, span.name.as_bytes());
    // Values of OTLP's enum `SpanKind`.
    let kind = match span.kind {
        Kind::Server => 2,
        Kind::Client => 3,
        Kind::Producer => 4,
        Kind::Consumer => 5,
    };
    varint(into, 6, kind);
    fixed(into, 7, nanoseconds(span.started));
    fixed(into, 8, nanoseconds(span.started + span.duration));
    for (key, value) in &span.attributes {
        attribute(into, 9, key, value);
    }
    if span.failed {
        // Field 15 of a span is its `Status`, whose field 3 is the `StatusCode`; code 2 is an error.
        encode_key(15, WireType::LengthDelimited, into);
        encode_varint(2, into);
        varint(into, 3, 2);
    }
}

/// Encodes an attribute as a `KeyValue` with its `AnyValue`. The lengths are computed first, because protobuf writes each length before the
/// content.
fn attribute(into: &mut Vec<u8>, field: u32, key: &str, value: &Value) {
    let value_length = 1 + match value {
        Value::Text(text) => delimited_length(text.len()),
        Value::Number(number) => encoded_len_varint(number.cast_unsigned()),
    };
    encode_key(field, WireType::LengthDelimited, into);
    encode_varint((1 + delimited_length(key.len()) + 1 + delimited_length(value_length)) as u64, into);
    bytes(into, 1, key.as_bytes());
    encode_key(2, WireType::LengthDelimited, into);
    encode_varint(value_length as u64, into);
    match value {
        Value::Text(text) => bytes(into, 1, text.as_bytes()),
        Value::Number(number) => varint(into, 3, number.cast_unsigned()),
    }
}

/// Returns the size in bytes of a value of `length` bytes that is encoded with its length in front. Does not include the field's key.
fn delimited_length(length: usize) -> usize {
    encoded_len_varint(length as u64) + length
}

fn bytes(into: &mut Vec<u8>, field: u32, value: &[u8]) {
    encode_key(field, WireType::LengthDelimited, into);
    encode_varint(value.len() as u64, into);
    into.extend_from_slice(value);
}

/// Encodes an ID of `BYTES` bytes from its hexadecimal digits.
fn id<const BYTES: usize>(into: &mut Vec<u8>, field: u32, digits: &str) {
    let mut value = [0; BYTES];
    // Decoding always succeeds: the digits are hexadecimal, and their number is twice the number of bytes.
    if hex::decode_to_slice(digits, &mut value).is_ok() {
        bytes(into, field, &value);
    }
}

fn varint(into: &mut Vec<u8>, field: u32, value: u64) {
    encode_key(field, WireType::Varint, into);
    encode_varint(value, into);
}

fn fixed(into: &mut Vec<u8>, field: u32, value: u64) {
    encode_key(field, WireType::SixtyFourBit, into);
    into.extend_from_slice(&value.to_le_bytes());
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cloch_core::trace_context::TraceContext;
    use prost::Message;

    use super::*;

    /// Messages of the OTLP specification with their field numbers, to decode requests in tests.
    mod proto {
        use prost::{Message, Oneof};

        #[derive(Clone, PartialEq, Message)]
        pub(super) struct Request {
            #[prost(message, repeated, tag = "1")]
            pub(super) resource_spans: Vec<ResourceSpans>,
        }
        #[derive(Clone, PartialEq, Message)]
        pub(super) struct ResourceSpans {
            #[prost(message, optional, tag = "1")]
            pub(super) resource: Option<Resource>,
            #[prost(message, repeated, tag = "2")]
            pub(super) scope_spans: Vec<ScopeSpans>,
        }
        #[derive(Clone, PartialEq, Message)]
        pub(super) struct Resource {
            #[prost(message, repeated, tag = "1")]
            pub(super) attributes: Vec<KeyValue>,
        }
        #[derive(Clone, PartialEq, Message)]
        pub(super) struct ScopeSpans {
            #[prost(message, repeated, tag = "2")]
            pub(super) spans: Vec<Span>,
        }
        #[derive(Clone, PartialEq, Message)]
        pub(super) struct Span {
            #[prost(bytes = "vec", tag = "1")]
            pub(super) trace_id: Vec<u8>,
            #[prost(bytes = "vec", tag = "4")]
            pub(super) parent_span_id: Vec<u8>,
            #[prost(string, tag = "5")]
            pub(super) name: String,
            #[prost(int32, tag = "6")]
            pub(super) kind: i32,
            #[prost(fixed64, tag = "8")]
            pub(super) end_time_unix_nano: u64,
            #[prost(message, repeated, tag = "9")]
            pub(super) attributes: Vec<KeyValue>,
            #[prost(message, optional, tag = "15")]
            pub(super) status: Option<Status>,
        }
        #[derive(Clone, PartialEq, Message)]
        pub(super) struct Status {
            #[prost(int32, tag = "3")]
            pub(super) code: i32,
        }
        #[derive(Clone, PartialEq, Message)]
        pub(super) struct KeyValue {
            #[prost(string, tag = "1")]
            pub(super) key: String,
            #[prost(message, optional, tag = "2")]
            pub(super) value: Option<AnyValue>,
        }
        #[derive(Clone, PartialEq, Message)]
        pub(super) struct AnyValue {
            #[prost(oneof = "AnyOf", tags = "1, 3")]
            pub(super) value: Option<AnyOf>,
        }
        #[derive(Clone, PartialEq, Oneof)]
        pub(super) enum AnyOf {
            #[prost(string, tag = "1")]
            Text(String),
            #[prost(int64, tag = "3")]
            Number(i64),
        }
    }

    #[test]
    fn a_reader_of_protobuf_sees_what_was_recorded() {
        let context = TraceContext::begin();
        let texts = ["", "x", &"é".repeat(1000)].map(|text| ("text", Value::Text(text.to_owned().into())));
        let numbers = [0, 1, 200, -1, i64::MAX].map(|number| ("number", Value::Number(number)));
        let span = Finished {
            context,
            parent: Some(context),
            name: "GET /rest/v1".into(),
            kind: Kind::Server,
            started: UNIX_EPOCH + Duration::from_secs(2),
            duration: Duration::from_nanos(3),
            attributes: texts.into_iter().chain(numbers).collect(),
            failed: true,
        };
        let plain = Finished { parent: None, failed: false, attributes: Vec::new(), ..span.clone() };
        let read = proto::Request::decode(&*request(&[span, plain], "club")).unwrap_or_default();
        let [of_program] = &*read.resource_spans else { unreachable!("{read:?}") };
        let names = of_program.resource.iter().flat_map(|resource| &resource.attributes).map(|pair| &*pair.key);
        assert!(names.eq(["service.name", "service.version", "service.namespace"]));
        let spans: Vec<_> = of_program.scope_spans.iter().flat_map(|scope| &scope.spans).collect();
        let [full, plain] = *spans else { unreachable!("{read:?}") };
        assert_eq!(hex::encode(&full.trace_id), context.trace_id());
        assert_eq!(hex::encode(&full.parent_span_id), context.span_id());
        assert_eq!((&*full.name, full.kind, full.end_time_unix_nano), ("GET /rest/v1", 2, 2_000_000_003));
        assert_eq!(full.status.as_ref().map(|status| status.code), Some(2));
        let values = full.attributes.iter().filter_map(|pair| pair.value.as_ref()?.value.clone());
        let texts = ["", "x", &"é".repeat(1000)].map(|text| proto::AnyOf::Text(text.to_owned()));
        let numbers = [0, 1, 200, -1, i64::MAX].map(proto::AnyOf::Number);
        assert!(values.eq(texts.into_iter().chain(numbers)));
        assert!(plain.parent_span_id.is_empty() && plain.attributes.is_empty() && plain.status.is_none());
    }
}
