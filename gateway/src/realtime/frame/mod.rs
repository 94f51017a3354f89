//! What travels over a socket, independent of how it is written.

mod binary;
mod json;

use std::sync::OnceLock;

use axum::extract::ws::Message;
use bytes::Bytes;
use serde_json::{Value, json};

/// The serializer a client chose with `vsn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// `1.0.0`: JSON objects.
    V1,
    /// `2.0.0`: JSON arrays and binary frames.
    V2,
}

impl Version {
    /// From the `vsn` parameter; 1.0.0 without one.
    pub(super) fn from_parameter(vsn: Option<&str>) -> Option<Self> {
        match vsn {
            None | Some("" | "1.0.0") => Some(Self::V1),
            Some("2.0.0") => Some(Self::V2),
            Some(_) => None,
        }
    }
}

/// A client's message.
#[derive(Debug, PartialEq)]
pub(super) struct Push {
    pub(super) join_ref: Option<String>,
    pub(super) reference: Option<String>,
    pub(super) topic: String,
    pub(super) event: String,
    pub(super) payload: Payload,
}

/// What a client's message carries.
#[derive(Debug, PartialEq)]
pub(super) enum Payload {
    Json(Value),
    Broadcast(UserBroadcast),
}

/// A broadcast in the binary form: its payload is handed on as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserBroadcast {
    pub(super) event: String,
    /// JSON, or empty.
    pub(super) metadata: String,
    pub(super) encoding: Encoding,
    pub(super) payload: Bytes,
}

/// How a binary frame's payload is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Binary,
    Json,
}

/// Why a frame cannot be read; the client is cut off, as it would not understand an answer either.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the frame cannot be read: {0}")]
pub(super) struct FrameError(pub(super) &'static str);

/// Reads a client's frame. Control frames are none.
pub(super) fn read(version: Version, message: &Message) -> Result<Option<Push>, FrameError> {
    match (message, version) {
        (Message::Text(text), Version::V1) => json::read_object(text).map(Some),
        (Message::Text(text), Version::V2) => json::read_array(text).map(Some),
        (Message::Binary(bytes), Version::V2) => binary::read(bytes).map(Some),
        (Message::Binary(_), Version::V1) => Err(FrameError("version 1.0.0 has no binary frames")),
        (Message::Ping(_) | Message::Pong(_) | Message::Close(_), _) => Ok(None),
    }
}

/// The answer to a push.
pub(super) fn reply(version: Version, to: &Push, status: &str, response: Value) -> Message {
    let payload = json!({ "status": status, "response": response });
    json::write(version, to.join_ref.as_deref(), to.reference.as_deref(), &to.topic, "phx_reply", &payload)
}

/// A message to one channel of one socket.
pub(super) fn push(version: Version, join_ref: Option<&str>, topic: &str, event: &str, payload: &Value) -> Message {
    json::write(version, join_ref, None, topic, event, payload)
}

/// A message to many members: written once for each version, whatever their number.
#[derive(Debug)]
pub(super) struct Shared {
    topic: String,
    content: Content,
    v1: OnceLock<Option<Message>>,
    v2: OnceLock<Message>,
}

/// What a shared message carries.
#[derive(Debug)]
pub(super) enum Content {
    /// An event with a JSON payload.
    Event(&'static str, Value),
    /// A broadcast as its sender wrote it.
    Broadcast(UserBroadcast),
}

impl Shared {
    /// `topic` is the whole one, with `realtime:`.
    pub(super) fn new(topic: String, content: Content) -> Self {
        Self { topic, content, v1: OnceLock::new(), v2: OnceLock::new() }
    }

    /// The frame for a member; none where its version cannot carry the message.
    pub(super) fn frame(&self, version: Version) -> Option<Message> {
        match version {
            Version::V1 => self.v1.get_or_init(|| self.write_v1()).clone(),
            Version::V2 => Some(self.v2.get_or_init(|| self.write_v2()).clone()),
        }
    }

    fn write_v1(&self) -> Option<Message> {
        match &self.content {
            Content::Event(event, payload) => Some(push(Version::V1, None, &self.topic, event, payload)),
            Content::Broadcast(broadcast) => {
                let payload = broadcast.as_json()?;
                Some(push(Version::V1, None, &self.topic, "broadcast", &payload))
            }
        }
    }

    fn write_v2(&self) -> Message {
        match &self.content {
            Content::Event(event, payload) => push(Version::V2, None, &self.topic, event, payload),
            Content::Broadcast(broadcast) => binary::write(&self.topic, broadcast),
        }
    }
}

impl UserBroadcast {
    /// The payload of the textual form; none for binary data.
    pub(super) fn as_json(&self) -> Option<Value> {
        if self.encoding == Encoding::Binary {
            return None;
        }
        let payload: Value = serde_json::from_slice(&self.payload).ok()?;
        let mut json = json!({ "type": "broadcast", "event": self.event, "payload": payload });
        if let (Ok(meta), Some(object)) = (serde_json::from_str::<Value>(&self.metadata), json.as_object_mut()) {
            object.insert("meta".to_owned(), meta);
        }
        Some(json)
    }
}
