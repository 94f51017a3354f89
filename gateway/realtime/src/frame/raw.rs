//! Unparsed JSON, as its sender wrote it. It is parsed only where its content matters: a parsed value takes some thirty times the memory of
//! its text.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::FrameError;

/// The text of a JSON value.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RawJson(Box<RawValue>);

impl RawJson {
    /// The text of a parsed raw value, or `null`.
    pub(crate) fn of(value: Option<&RawValue>) -> Self {
        Self(value.map_or_else(|| RawValue::NULL.to_owned(), ToOwned::to_owned))
    }

    /// The JSON in these bytes; `null` if there are none.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, FrameError> {
        if bytes.is_empty() {
            return Ok(Self::of(None));
        }
        serde_json::from_slice(bytes).map(Self).map_err(|_| FrameError("a payload that is not JSON"))
    }

    /// A value as JSON; `null` if it cannot be written.
    pub(crate) fn write(value: &impl Serialize) -> Self {
        Self(serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    /// The text of the value.
    pub(crate) fn into_raw(self) -> Box<RawValue> {
        self.0
    }

    /// The payload of a broadcast's frame, with the sender's payload inside.
    pub(crate) fn broadcast(event: &str, payload: Option<&RawValue>, meta: Option<&Value>) -> Self {
        let broadcast = Broadcast { r#type: "broadcast", event, payload, meta };
        Self::write(&broadcast)
    }

    /// The length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.get().len()
    }

    /// The parsed value, if its text has at most `max_bytes`.
    pub(crate) fn value(&self, max_bytes: usize) -> Result<Value, NoValue> {
        if self.len() > max_bytes {
            return Err(NoValue::TooLarge);
        }
        serde_json::from_str(self.0.get()).map_err(|_| NoValue::Unreadable)
    }
}

/// Why JSON has no value here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoValue {
    TooLarge,
    /// It follows JSON's grammar, but has a number out of range, or half of a surrogate pair.
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
