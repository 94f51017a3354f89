//! Trace to which a request belongs, as W3C Trace Context. Clients such as supabase-js and OpenTelemetry send it in the header `traceparent`.

use http::{HeaderMap, HeaderName, HeaderValue};

/// Request header that contains the ids of a trace.
pub const HEADER: HeaderName = HeaderName::from_static("traceparent");

/// Length of the `traceparent` header's value in version 00: `00-`, then trace id, span id and flags in hexadecimal digits.
const LENGTH: usize = 55;

/// Ids of a trace and of one span in this trace, as hexadecimal digits. A new span that is created from this value becomes a child of this
/// span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    trace: [u8; 32],
    span: [u8; 16],
    is_sampled: bool,
}

impl TraceContext {
    /// Parses the `traceparent` header of a request. `None` if the request does not have exactly one valid `traceparent` header, as W3C Trace
    /// Context requires (section 3.2.2).
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(HEADER).iter();
        let value = values.next()?.to_str().ok()?;
        if values.next().is_some() {
            return None;
        }
        Self::parse(value)
    }

    /// Creates a new trace whose spans are recorded.
    #[must_use]
    pub fn begin() -> Self {
        Self { trace: random_digits::<16, 32>(), span: random_digits::<8, 16>(), is_sampled: true }
    }

    /// Creates the ids of a new span in the same trace.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { span: random_digits::<8, 16>(), ..*self }
    }

    fn parse(value: &str) -> Option<Self> {
        let (known, rest) = value.split_at_checked(LENGTH)?;
        let mut parts = known.split('-');
        let version = parts.next().filter(|text| is_hex(text, 2) && *text != "ff")?;
        let trace = parts.next().filter(|text| is_hex(text, 32) && !is_zero(text))?;
        let span = parts.next().filter(|text| is_hex(text, 16) && !is_zero(text))?;
        let flags = parts.next().filter(|text| is_hex(text, 2))?;
        // A later version of the header may append fields after the flags.
        let is_whole = parts.next().is_none() && (rest.is_empty() || (version != "00" && rest.starts_with('-')));
        if !is_whole {
            return None;
        }
        Some(Self {
            trace: trace.as_bytes().try_into().ok()?,
            span: span.as_bytes().try_into().ok()?,
            is_sampled: u8::from_str_radix(flags, 16).ok()? & 1 == 1,
        })
    }

    /// Returns the trace id: 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        std::str::from_utf8(&self.trace).unwrap_or_default()
    }

    /// Returns the span id: 16 hexadecimal digits.
    #[must_use]
    pub fn span_id(&self) -> &str {
        std::str::from_utf8(&self.span).unwrap_or_default()
    }

    /// Whether the spans of the trace are recorded, as the program that began the trace has decided (the flag `sampled`).
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.is_sampled
    }

    /// Returns the `traceparent` header value with which another program continues the trace.
    #[must_use]
    pub fn header(&self) -> Option<HeaderValue> {
        let flags = if self.is_sampled { "01" } else { "00" };
        HeaderValue::from_str(&format!("00-{}-{}-{flags}", self.trace_id(), self.span_id())).ok()
    }
}

/// Returns random hexadecimal digits. An id that consists only of zeros would be invalid, but is practically impossible.
fn random_digits<const BYTES: usize, const DIGITS: usize>() -> [u8; DIGITS] {
    let mut digits = [b'0'; DIGITS];
    let bytes: [u8; BYTES] = rand::random();
    // Encoding cannot fail, because `digits` is twice as long as `bytes`.
    let _ = hex::encode_to_slice(bytes, &mut digits);
    digits
}

/// Whether a text consists of exactly `digits` lower-case hexadecimal digits.
fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    fn of(values: &[&'static str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(HEADER, HeaderValue::from_static(value));
        }
        TraceContext::of(&headers).map(|trace| trace.trace_id().to_owned())
    }

    #[test]
    fn what_is_no_traceparent_is_ignored() {
        for value in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more",
            "00-4bf92f3577b34da6a3ce929d0e0e473\"-00f067aa0ba902b7-01",
        ] {
            assert_eq!(of(&[value]), None, "{value}");
        }
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(of(&[good, good]), None, "which one?");
    }

    #[test]
    fn a_trace_is_continued() {
        assert_eq!(of(&["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]).as_deref(), Some(TRACE));
        assert_eq!(of(&["01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-later"]).as_deref(), Some(TRACE));
    }

    #[test]
    fn a_child_has_the_same_trace_and_the_same_decision() {
        for flags in ["01", "00", "03"] {
            let header = HeaderValue::from_str(&format!("00-{TRACE}-00f067aa0ba902b7-{flags}")).unwrap();
            let parent = TraceContext::of(&[(HEADER, header)].into_iter().collect()).unwrap();
            let child = parent.child();
            assert_eq!((child.trace_id(), child.is_sampled()), (TRACE, flags != "00"));
            assert_ne!(child.span_id(), parent.span_id());
            assert_eq!(TraceContext::of(&[(HEADER, child.header().unwrap())].into_iter().collect()), Some(child));
        }
        assert_ne!(TraceContext::begin().trace_id(), TraceContext::begin().trace_id());
    }
}
