//! Text frames: a JSON object in serializer version 1.0.0, a JSON array in version 2.0.0.

use axum::extract::ws::Message;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{FrameError, Payload, Push, RawJson, Version};

const MAX_JSON_DEPTH: usize = 128;

#[derive(Deserialize)]
struct Object<'a> {
    topic: String,
    event: String,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "ref")]
    reference: Option<&'a RawValue>,
    #[serde(borrow, default)]
    join_ref: Option<&'a RawValue>,
}

/// Parses a text frame of serializer version 1.0.0: `{topic, event, payload, ref, join_ref}`.
pub(super) fn read_object(text: &str) -> Result<Push, FrameError> {
    check_depth(text.as_bytes())?;
    let object: Object<'_> = serde_json::from_str(text).map_err(|_| FrameError("no object with topic and event"))?;
    Ok(Push {
        join_ref: reference(object.join_ref),
        reference: reference(object.reference),
        topic: object.topic,
        event: object.event,
        payload: Payload::Json(RawJson::of(object.payload)),
    })
}

type Array<'a> = (Option<&'a RawValue>, Option<&'a RawValue>, String, String, Option<&'a RawValue>);

/// Parses a text frame of serializer version 2.0.0: `[join_ref, ref, topic, event, payload]`.
pub(super) fn read_array(text: &str) -> Result<Push, FrameError> {
    check_depth(text.as_bytes())?;
    // serde does not apply `borrow` attributes inside a tuple, so the elements of the array stay raw JSON and are parsed below.
    let (join_ref, own, topic, event, payload): Array<'_> =
        serde_json::from_str(text).map_err(|_| FrameError("no array of five"))?;
    let payload = Payload::Json(RawJson::of(payload));
    Ok(Push { join_ref: reference(join_ref), reference: reference(own), topic, event, payload })
}

/// Parses `ref` or `join_ref`: a string, or a number from older clients. `None` if the value is absent or of another type.
fn reference(value: Option<&RawValue>) -> Option<String> {
    let text = value?.get();
    match text.as_bytes().first()? {
        b'"' => serde_json::from_str(text).ok(),
        b'-' | b'0'..=b'9' => Some(text.to_owned()),
        _ => None,
    }
}

/// Refuses JSON that is nested more than [`MAX_JSON_DEPTH`] levels deep. Deeper JSON could overflow the stack of a recursive parser, here or
/// in a client.
pub(super) fn check_depth(json: &[u8]) -> Result<(), FrameError> {
    if is_too_deep(json) { Err(FrameError("its JSON is nested too deeply")) } else { Ok(()) }
}

/// Whether JSON is nested more than [`MAX_JSON_DEPTH`] levels deep. The result for invalid JSON is unspecified.
pub(crate) fn is_too_deep(json: &[u8]) -> bool {
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => depth += 1,
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_JSON_DEPTH {
            return true;
        }
    }
    false
}

#[derive(Serialize)]
struct Written<'a, P> {
    topic: &'a str,
    event: &'a str,
    payload: &'a P,
    #[serde(rename = "ref")]
    reference: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    join_ref: Option<&'a str>,
}

/// Serialises a message to a client as a text frame.
pub(super) fn write(
    version: Version,
    join_ref: Option<&str>,
    reference: Option<&str>,
    topic: &str,
    event: &str,
    payload: &impl Serialize,
) -> Message {
    let text = match version {
        Version::V2 | Version::V2Text => serde_json::to_string(&(join_ref, reference, topic, event, payload)),
        Version::V1 => serde_json::to_string(&Written { topic, event, payload, reference, join_ref }),
    };
    // Serialisation fails only for map keys that are not strings. The payloads of messages have only string keys.
    Message::Text(text.unwrap_or_default().into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn deep_nesting_is_refused() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let array = |payload: &str| format!(r#"[null,null,"t","e",{payload}]"#);
        assert!(read_array(&array(&nested(MAX_JSON_DEPTH - 1))).is_ok());
        assert!(read_array(&array(&nested(MAX_JSON_DEPTH))).is_err());
        // This JSON is nested deeply enough to overflow the stack of a recursive parser.
        assert!(read_array(&array(&nested(1_000_000))).is_err());
        assert!(read_object(&format!(r#"{{"topic":"t","event":"e","payload":{}}}"#, nested(MAX_JSON_DEPTH))).is_err());
        let text = format!(r#""{}\\\"[""#, "[".repeat(1_000));
        assert!(read_array(&array(&text)).is_ok(), "brackets in a text nest nothing");
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        for text in ["", "1", "null", "[]", "[null,null,1,\"e\",{}]", "[null,null,\"t\",\"e\",{},1]", "{}"] {
            assert!(read_array(text).is_err(), "{text}");
        }
        for text in ["", "[]", "{}", "{\"topic\":1,\"event\":\"e\"}"] {
            assert!(read_object(text).is_err(), "{text}");
        }
    }

    #[test]
    fn both_forms_say_the_same() {
        let array = read_array(r#"["1","2","realtime:room","phx_join",{"config":{}}]"#).unwrap();
        let object = r#"{"topic":"realtime:room","event":"phx_join","payload":{"config":{}},"ref":"2","join_ref":"1"}"#;
        assert_eq!(read_object(object).unwrap(), array);
    }

    #[test]
    fn replies_in_both_forms() {
        let text = |version| match write(version, Some("1"), Some("2"), "t", "phx_reply", &json!({})) {
            Message::Text(text) => text.to_string(),
            other => format!("{other:?}"),
        };
        assert_eq!(text(Version::V2), r#"["1","2","t","phx_reply",{}]"#);
        assert_eq!(text(Version::V1), r#"{"topic":"t","event":"phx_reply","payload":{},"ref":"2","join_ref":"1"}"#);
    }
}
