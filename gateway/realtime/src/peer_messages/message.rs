//! Messages that the nodes of a project send to each other on the bus.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::frame::{Content, Encoding, RawJson, UserBroadcast};
use crate::project_limits::Figures;

/// A message from one node to all other nodes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// A heartbeat. `wants_state` requests the presence of the other nodes.
    Hello {
        wants_state: bool,
        /// Counts for project-wide limits. `None` from a node of an earlier version, which does not support these limits.
        #[serde(default)]
        figures: Option<Figures>,
    },
    /// Announces that the sending node shuts down.
    Bye,
    /// Announces that the sending node discarded broadcasts instead of sending them.
    Gap,
    Broadcast {
        topic: String,
        private: bool,
        content: Sent,
    },
    /// Presence payload of a member that is connected to the sending node. `member` is the number of the member on that node.
    Track {
        topic: String,
        private: bool,
        member: u64,
        key: String,
        reference: String,
        payload: Map<String, Value>,
    },
    Untrack {
        topic: String,
        private: bool,
        member: u64,
    },
    /// Announces that the sending node now sends all its presence entries. When `StateEnd` arrives, the receiver removes entries that were
    /// not sent again.
    StateBegin,
    StateEnd,
}

/// Content of a broadcast in the form in which nodes send it to each other.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Sent {
    /// JSON payload of the broadcast's frame.
    Json(RawJson),
    /// A broadcast from a binary frame, with its payload in base64.
    Binary { event: String, metadata: String, is_json: bool, payload: String },
}

impl Sent {
    /// Whether the content is also sent to members on other nodes.
    pub(crate) const fn is_for_peers(content: &Content) -> bool {
        !matches!(content, Content::Event(..))
    }

    /// Converts the content of a frame to the form that is sent to other nodes. `None` for an event that every node creates itself, such as a
    /// presence change.
    pub(crate) fn of(content: &Content) -> Option<Self> {
        match content {
            Content::RawEvent(_, payload) => Some(Self::Json(payload.clone())),
            Content::Broadcast(broadcast) => Some(Self::Binary {
                event: broadcast.event.clone(),
                metadata: broadcast.metadata.clone(),
                is_json: broadcast.encoding == Encoding::Json,
                payload: STANDARD.encode(&broadcast.payload),
            }),
            Content::Event(..) => None,
        }
    }

    /// Converts content received from another node to the content of a frame. `None` if the received content is malformed.
    pub(crate) fn open(self) -> Option<Content> {
        Some(match self {
            Self::Json(payload) => Content::RawEvent("broadcast", payload),
            Self::Binary { event, metadata, is_json, payload } => {
                let encoding = if is_json { Encoding::Json } else { Encoding::Binary };
                let payload = STANDARD.decode(payload).ok()?.into();
                Content::Broadcast(UserBroadcast { event, metadata, encoding, payload })
            }
        })
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Json(payload) => payload.len(),
            Self::Binary { event, metadata, payload, .. } => event.len() + metadata.len() + payload.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Heartbeat as an earlier version of Cloch defines it.
    #[derive(Serialize, Deserialize)]
    enum Earlier {
        Hello { wants_state: bool },
    }

    #[test]
    fn heartbeats_of_an_earlier_version_are_understood_and_understand() {
        let text = serde_json::to_string(&Earlier::Hello { wants_state: true }).unwrap();
        let heard: Message = serde_json::from_str(&text).unwrap();
        assert!(matches!(heard, Message::Hello { wants_state: true, figures: None }));
        let figures = Some(Figures { sockets: 1, joins: 2, messages: 3 });
        let text = serde_json::to_string(&Message::Hello { wants_state: true, figures }).unwrap();
        assert!(matches!(serde_json::from_str(&text).unwrap(), Earlier::Hello { wants_state: true }));
        assert!(
            matches!(serde_json::from_str(&text).unwrap(), Message::Hello { figures: heard, .. } if heard == figures)
        );
    }
}
