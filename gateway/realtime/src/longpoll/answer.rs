//! Response bodies of long polling in Phoenix's format: `{"status": 200, "token": "…", "messages": ["…"]}`.

use axum::body::{Body, Bytes};
use axum::extract::ws::{Message, Utf8Bytes};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use serde_json::json;

use crate::budget::Held;
use crate::hub::Queued;

/// Maximum number of bytes of a frame that are serialised in one step.
const PIECE_BYTES: usize = 16 * 1024;

/// Creates a response without frames. The HTTP status is always 200; the field `status` of the JSON body contains `status`.
pub(super) fn of_status(status: StatusCode, token: Option<&str>) -> Response {
    let body = match token {
        Some(token) => json!({ "status": status.as_u16(), "token": token, "messages": [] }),
        None => json!({ "status": status.as_u16() }),
    };
    respond(Body::from(body.to_string()))
}

/// Creates a response with frames. A frame is serialised only while the client reads the response, so that no second copy is buffered. The
/// frame counts towards the socket's memory limit until it is serialised.
pub(super) fn of_frames(token: &str, frames: Vec<Queued>) -> Response {
    let head = format!(r#"{{"status":{},"token":{},"messages":["#, StatusCode::OK.as_u16(), json!(token));
    let texts = frames.into_iter().filter_map(Frame::of).enumerate();
    let pieces = texts.flat_map(|(at, frame)| std::iter::once(if at == 0 { "\"" } else { ",\"" }.into()).chain(frame));
    let body = std::iter::once(Bytes::from(head)).chain(pieces).chain(std::iter::once("]}".into()));
    respond(Body::from_stream(stream::iter(body.map(Ok::<Bytes, std::convert::Infallible>))))
}

fn respond(body: Body) -> Response {
    let headers = [
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
    ];
    (headers, body).into_response()
}

/// A frame in the list `messages` of a response, serialised as a JSON string in pieces. The pieces do not contain the opening quote, which
/// [`of_frames`] writes.
struct Frame {
    text: Utf8Bytes,
    /// Number of bytes of the frame that are already serialised. `None` after the closing quote.
    written: Option<usize>,
    _held: Held,
}

impl Frame {
    /// Wraps a queued frame for its serialisation. `None` for a binary frame, which long-polling clients do not receive.
    fn of(Queued { message, held }: Queued) -> Option<Self> {
        match message {
            Message::Text(text) => Some(Self { text, written: Some(0), _held: held }),
            _ => None,
        }
    }
}

impl Iterator for Frame {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let rest = self.text.get(self.written?..)?;
        let piece = rest.get(..rest.floor_char_boundary(PIECE_BYTES))?;
        self.written = if piece.is_empty() { None } else { self.written.map(|written| written + piece.len()) };
        if piece.is_empty() {
            return Some("\"".into());
        }
        let quoted = serde_json::to_string(piece).ok()?;
        Some(quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned().into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::budget::Budget;

    #[tokio::test]
    async fn frames_are_strings_of_json_whatever_they_hold() {
        let account = Budget::new(1 << 30, 1 << 30).open();
        let texts = ["", "\"", "\\\"\n\u{1}", &"\\".repeat(100_000), &"a€".repeat(50_000), "[\"1\"]"];
        let queued =
            |text: &str| Queued { message: Message::Text(text.into()), held: account.hold(text.len()).unwrap() };
        let mut frames: Vec<Queued> = texts.iter().map(|text| queued(text)).collect();
        frames.insert(2, Queued { message: Message::Binary("x".into()), held: account.hold(1).unwrap() });
        let body = axum::body::to_bytes(of_frames("a\"b", frames).into_body(), 1 << 20).await.unwrap();
        let read: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(read, json!({ "status": 200, "token": "a\"b", "messages": texts }));
    }

    #[tokio::test]
    async fn what_the_client_has_not_read_is_charged_to_it() {
        let account = Budget::new(1 << 20, 1_000).open();
        let frames = vec![Queued { message: Message::Text("[]".into()), held: account.hold(900).unwrap() }];
        let answer = of_frames("t", frames);
        assert!(account.hold(900).is_err(), "the answer waits");
        assert!(axum::body::to_bytes(answer.into_body(), 1_000).await.is_ok());
        assert!(account.hold(900).is_ok(), "the answer was read");
    }
}
