//! Messages of the Phoenix channels protocol, in the serializer versions 1.0.0 and 2.0.0.

mod binary;
mod json;
mod raw;

use std::sync::{Arc, OnceLock};

use axum::extract::ws::Message;
use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

pub(super) use json::is_too_deep;
pub(super) use raw::{NoValue, RawJson};

use super::budget::{Budget, Charge};

/// Serializer version of the Phoenix protocol that a client selects with the parameter `vsn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Version {
    /// `1.0.0`: JSON objects.
    V1,
    /// `2.0.0`: JSON arrays and binary frames.
    V2,
    /// `2.0.0` over long polling: the client may send binary frames but receives only text.
    V2Text,
}

impl Version {
    /// Parses the parameter `vsn`. Returns 1.0.0 if the parameter is absent, and `None` if the version is not supported.
    pub(super) fn from_parameter(vsn: Option<&str>) -> Option<Self> {
        match vsn {
            None | Some("" | "1.0.0") => Some(Self::V1),
            Some("2.0.0") => Some(Self::V2),
            Some(_) => None,
        }
    }

    /// Returns the variant of this version for a client that can receive only text frames.
    pub(super) fn text_only(self) -> Self {
        if self == Self::V2 { Self::V2Text } else { self }
    }
}

#[derive(Debug, PartialEq)]
pub(super) struct Push {
    pub(super) join_ref: Option<String>,
    pub(super) reference: Option<String>,
    pub(super) topic: String,
    pub(super) event: String,
    pub(super) payload: Payload,
}

#[derive(Debug, PartialEq)]
pub(super) enum Payload {
    Json(RawJson),
    Broadcast(UserBroadcast),
}

/// A broadcast from a binary frame, with a binary or JSON payload that is forwarded unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserBroadcast {
    pub(super) event: String,
    /// Metadata of the broadcast: a JSON object as text, or an empty string.
    pub(super) metadata: String,
    pub(super) encoding: Encoding,
    pub(super) payload: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Binary,
    Json,
}

/// Parse error of a frame. The client is disconnected without an error message, since a client that sends invalid frames cannot be expected
/// to understand an error message.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the frame cannot be read: {0}")]
pub(super) struct FrameError(pub(super) &'static str);

/// Parses a frame from a client. `None` for control frames (ping, pong, close).
pub(super) fn read(version: Version, message: &Message) -> Result<Option<Push>, FrameError> {
    match (message, version) {
        (Message::Text(text), Version::V1) => json::read_object(text).map(Some),
        (Message::Text(text), Version::V2 | Version::V2Text) => json::read_array(text).map(Some),
        (Message::Binary(bytes), Version::V2 | Version::V2Text) => binary::read(bytes).map(Some),
        (Message::Binary(_), Version::V1) => Err(FrameError("version 1.0.0 has no binary frames")),
        (Message::Ping(_) | Message::Pong(_) | Message::Close(_), _) => Ok(None),
    }
}

pub(super) fn reply(version: Version, to: &Push, status: &str, response: Value) -> Message {
    let payload = json!({ "status": status, "response": response });
    json::write(version, to.join_ref.as_deref(), to.reference.as_deref(), &to.topic, "phx_reply", &payload)
}

/// Serialises a message of the server to a client, for one channel.
pub(super) fn push(
    version: Version,
    join_ref: Option<&str>,
    topic: &str,
    event: &str,
    payload: &impl Serialize,
) -> Message {
    json::write(version, join_ref, None, topic, event, payload)
}

/// A message to many members of a topic. The message is serialised once per serializer version, and each serialised frame counts towards
/// the memory of all sockets only once.
#[derive(Debug)]
pub(super) struct Shared {
    topic: String,
    content: Content,
    budget: Arc<Budget>,
    v1: OnceLock<Option<SharedFrame>>,
    v2: OnceLock<Option<SharedFrame>>,
    v2_text: OnceLock<Option<SharedFrame>>,
}

/// A frame, and the value that counts the frame's memory until the last clone of the value is dropped.
pub(super) type SharedFrame = (Message, Arc<Charge>);

#[derive(Debug)]
pub(super) enum Content {
    Event(&'static str, Value),
    /// An event name with the JSON payload of the sender, unparsed.
    RawEvent(&'static str, RawJson),
    /// A broadcast from a binary frame, with the payload of the sender, unchanged.
    Broadcast(UserBroadcast),
}

impl Content {
    /// Returns the length of the message's payload in bytes.
    pub(super) fn length(&self) -> usize {
        match self {
            Self::Event(_, payload) => payload.to_string().len(),
            Self::RawEvent(_, payload) => payload.len(),
            Self::Broadcast(broadcast) => broadcast.payload.len() + broadcast.metadata.len(),
        }
    }
}

impl Shared {
    /// Creates a message to many members. `topic` is the full topic name, with the prefix `realtime:`.
    pub(super) fn new(topic: String, content: Content, budget: Arc<Budget>) -> Self {
        Self { topic, content, budget, v1: OnceLock::new(), v2: OnceLock::new(), v2_text: OnceLock::new() }
    }

    /// Returns the message as a frame of a serializer version. `None` if frames of this version cannot contain the message (a binary payload
    /// in a text frame).
    pub(super) fn frame(&self, version: Version) -> Option<SharedFrame> {
        let is_binary = matches!(self.content, Content::Broadcast(_));
        let written = match version {
            Version::V1 => &self.v1,
            Version::V2Text if is_binary => &self.v2_text,
            Version::V2 | Version::V2Text => &self.v2,
        };
        let write = || {
            let frame = self.write(version)?;
            let charge = self.budget.charge_frame(length(&frame));
            Some((frame, charge))
        };
        written.get_or_init(write).clone()
    }

    fn write(&self, version: Version) -> Option<Message> {
        Some(match (&self.content, version) {
            (Content::Event(event, payload), _) => push(version, None, &self.topic, event, payload),
            (Content::RawEvent(event, payload), _) => push(version, None, &self.topic, event, payload),
            (Content::Broadcast(broadcast), Version::V1 | Version::V2Text) => {
                push(version, None, &self.topic, "broadcast", &broadcast.as_json()?)
            }
            (Content::Broadcast(broadcast), Version::V2) => binary::write(&self.topic, broadcast),
        })
    }
}

/// Returns the payload size of a frame in bytes.
pub(super) fn length(frame: &Message) -> usize {
    match frame {
        Message::Text(text) => text.len(),
        Message::Binary(bytes) | Message::Ping(bytes) | Message::Pong(bytes) => bytes.len(),
        Message::Close(_) => 0,
    }
}

/// Fields of a broadcast in a text frame.
#[derive(Serialize)]
struct JsonBroadcast<'a> {
    r#type: &'static str,
    event: &'a str,
    payload: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'a RawValue>,
}

impl UserBroadcast {
    /// Returns the fields of the broadcast for a text frame. `None` if the payload is binary.
    fn as_json(&self) -> Option<JsonBroadcast<'_>> {
        if self.encoding == Encoding::Binary {
            return None;
        }
        let payload = serde_json::from_slice(&self.payload).ok()?;
        let meta = serde_json::from_str(&self.metadata).ok();
        Some(JsonBroadcast { r#type: "broadcast", event: &self.event, payload, meta })
    }
}
