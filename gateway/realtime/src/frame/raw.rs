//! Unparsed JSON text from a client. The text is parsed only where its content is needed, since a parsed value takes about thirty times the
//! memory of the text.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::FrameError;

/// The text of a JSON value.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RawJson(Box<RawValue>);

impl RawJson {
    /// Copies a raw JSON value. Returns JSON `null` if `value` is `None`.
    pub(crate) fn of(value: Option<&RawValue>) -> Self {
        Self(value.map_or_else(|| RawValue::NULL.to_owned(), ToOwned::to_owned))
    }

    /// Checks that bytes are JSON, and copies them. Returns JSON `null` for zero bytes.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, FrameError> {
        if bytes.is_empty() {
            return Ok(Self::of(None));
        }
        serde_json::from_slice(bytes).map(Self).map_err(|_| FrameError("a payload that is not JSON"))
    }

    /// Serialises a value as JSON. Returns JSON `null` if the serialisation fails.
    pub(crate) fn write(value: &impl Serialize) -> Self {
        Self(serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    pub(crate) fn into_raw(self) -> Box<RawValue> {
        self.0
    }

    /// Serialises the payload of a broadcast frame, which contains the sender's payload.
    pub(crate) fn broadcast(event: &str, payload: Option<&RawValue>, meta: Option<&Value>) -> Self {
        let broadcast = Broadcast { r#type: "broadcast", event, payload, meta };
        Self::write(&broadcast)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.get().len()
    }

    /// Parses the value if its text has at most `max_bytes` bytes.
    pub(crate) fn value(&self, max_bytes: usize) -> Result<Value, NoValue> {
        if self.len() > max_bytes {
            return Err(NoValue::TooLarge);
        }
        serde_json::from_str(self.0.get()).map_err(|_| NoValue::Unreadable)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoValue {
    TooLarge,
    /// The text is valid by the JSON grammar, but contains a number out of range or an unpaired surrogate.
    Unreadable,
}

#[derive(Serialize)]
struct Broadcast<'a> {
    r#type: &'static str,
    event: &'a str,
    payload: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Value>,
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}
