//! The trace that a client has begun: W3C Trace Context, header `traceparent`, which supabase-js and OpenTelemetry send.

use http::{HeaderMap, HeaderName};

const HEADER: HeaderName = HeaderName::from_static("traceparent");

/// Length of version 00: `00-` and a trace id, a span id and flags in hexadecimal digits.
const LENGTH: usize = 55;

/// A trace, by its id of 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext([u8; 32]);

impl TraceContext {
    /// The trace of a request; `None` without a valid header, as the standard demands (section 3.2.2).
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(HEADER).iter();
        let value = values.next()?.to_str().ok()?;
        if values.next().is_some() {
            return None;
        }
        Self::parse(value)
    }

    fn parse(value: &str) -> Option<Self> {
        let (known, rest) = value.split_at_checked(LENGTH)?;
        let mut parts = known.split('-');
        let version = parts.next().filter(|text| is_hex(text, 2) && *text != "ff")?;
        let trace = parts.next().filter(|text| is_hex(text, 32) && !is_zero(text))?;
        parts.next().filter(|text| is_hex(text, 16) && !is_zero(text))?;
        parts.next().filter(|text| is_hex(text, 2))?;
        // A later version may add fields.
        let is_whole = parts.next().is_none() && (rest.is_empty() || (version != "00" && rest.starts_with('-')));
        is_whole.then(|| trace.as_bytes().try_into().ok().map(Self)).flatten()
    }

    /// The trace's id.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Whether a text has that many lower-case hexadecimal digits.
fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'0')
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

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
}
