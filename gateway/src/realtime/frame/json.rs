//! The textual frames: an object in version 1.0.0, an array in 2.0.0.

use axum::extract::ws::Message;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{FrameError, Payload, Push, Version};

#[derive(Deserialize)]
struct Object {
    topic: String,
    event: String,
    #[serde(default)]
    payload: Value,
    #[serde(default, rename = "ref")]
    reference: Value,
    #[serde(default)]
    join_ref: Value,
}

/// `{topic, event, payload, ref, join_ref}`
pub(super) fn read_object(text: &str) -> Result<Push, FrameError> {
    let object: Object = serde_json::from_str(text).map_err(|_| FrameError("no object with topic and event"))?;
    Ok(Push {
        join_ref: reference(object.join_ref),
        reference: reference(object.reference),
        topic: object.topic,
        event: object.event,
        payload: Payload::Json(object.payload),
    })
}

/// `[join_ref, ref, topic, event, payload]`
pub(super) fn read_array(text: &str) -> Result<Push, FrameError> {
    let (join_ref, own, topic, event, payload): (Value, Value, String, String, Value) =
        serde_json::from_str(text).map_err(|_| FrameError("no array of five"))?;
    Ok(Push { join_ref: reference(join_ref), reference: reference(own), topic, event, payload: Payload::Json(payload) })
}

/// References are texts; older clients send numbers.
fn reference(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Any message of the server's.
pub(super) fn write(
    version: Version,
    join_ref: Option<&str>,
    reference: Option<&str>,
    topic: &str,
    event: &str,
    payload: &Value,
) -> Message {
    let frame = match version {
        Version::V2 => json!([join_ref, reference, topic, event, payload]),
        Version::V1 => {
            let mut frame = json!({ "topic": topic, "event": event, "payload": payload, "ref": reference });
            if let (Some(join_ref), Some(object)) = (join_ref, frame.as_object_mut()) {
                object.insert("join_ref".to_owned(), join_ref.into());
            }
            frame
        }
    };
    Message::Text(frame.to_string().into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

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
