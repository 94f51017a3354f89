//! Parser for the body of a long-polling POST request: one frame per line, or a single frame.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::ws::Message;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::StreamExt;
use http::StatusCode;

use crate::budget::{Account, Held};
use crate::socket::MAX_FRAME_BYTES;

/// Maximum number of frames per request. phoenix.js sends at most 100.
const MAX_FRAMES: usize = 1_000;
/// Maximum length in bytes of a binary frame in base64.
const MAX_BASE64_BYTES: usize = MAX_FRAME_BYTES / 3 * 4;
/// Memory in bytes per byte of a POST request body: the body itself, and the binary frames decoded from the body.
const MEMORY_FACTOR: usize = 2;

/// Reads the body of a POST request. The body counts towards the socket's memory limit.
///
/// # Errors
/// Status 413 if the body is too large or the socket exceeds its memory limit. Status 400 if the client disconnects before the end of the
/// body.
pub(super) async fn read(body: Body, account: &Arc<Account>) -> Result<(Bytes, Vec<Held>), StatusCode> {
    let (mut read, mut held) = (Vec::new(), Vec::new());
    let mut stream = body.into_data_stream();
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|_| StatusCode::BAD_REQUEST)?;
        if read.len() + piece.len() > MAX_FRAME_BYTES {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        held.push(account.hold(piece.len() * MEMORY_FACTOR).map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?);
        read.extend_from_slice(&piece);
    }
    Ok((read.into(), held))
}

/// Splits a POST request body into frames. The text frames share the memory of the body. `None` if the body is malformed or has too many
/// frames.
pub(super) fn frames(body: &Bytes, is_lines: bool) -> Option<Vec<Message>> {
    let text = std::str::from_utf8(body).ok()?;
    let shared = |line: &str| body.slice_ref(line.as_bytes()).try_into().ok().map(Message::Text);
    if !is_lines {
        return Some(vec![shared(text)?]);
    }
    let frame = |line: &str| match line.as_bytes().first()? {
        b'[' | b'{' => shared(line),
        _ if line.len() > MAX_BASE64_BYTES => None,
        _ => Some(Message::Binary(STANDARD.decode(line).ok()?.into())),
    };
    let lines = || text.lines().filter(|line| !line.is_empty());
    if lines().nth(MAX_FRAMES).is_some() {
        return None;
    }
    lines().map(frame).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    #[test]
    fn a_line_is_a_frame() {
        let body = Bytes::from_static(b"[\"1\",\"1\",\"t\",\"e\",{}]\r\nAwEB\n");
        let read = frames(&body, true).unwrap();
        assert_eq!(read, [Message::Text("[\"1\",\"1\",\"t\",\"e\",{}]".into()), Message::Binary(vec![3, 1, 1].into())]);
        assert_eq!(frames(&Bytes::from_static(b"[1]\n[2]"), false).unwrap(), [Message::Text("[1]\n[2]".into())]);
    }

    #[test]
    fn what_is_no_line_is_refused() {
        for body in [&b"no base64!"[..], b"[1]\nno base64!", b"\xff\xfe"] {
            assert!(frames(&Bytes::from_static(body), true).is_none(), "{body:?}");
        }
    }

    #[test]
    fn so_many_frames_and_no_more() {
        let body = |count| Bytes::from("[\n".repeat(count));
        assert_eq!(frames(&body(MAX_FRAMES), true).unwrap().len(), MAX_FRAMES);
        assert!(frames(&body(MAX_FRAMES + 1), true).is_none());
    }

    #[tokio::test]
    async fn a_body_is_charged_to_the_socket_and_bounded() {
        let account = Budget::new(1 << 30, 100).open();
        let (body, held) = read(Body::from("[1]"), &account).await.unwrap();
        assert_eq!(body, "[1]");
        assert!(account.hold(95).is_err());
        drop(held);
        assert!(account.hold(95).is_ok());
        assert_eq!(read(Body::from("x".repeat(51)), &account).await.unwrap_err(), StatusCode::PAYLOAD_TOO_LARGE);
        let account = Budget::new(1 << 30, 1 << 30).open();
        let large = Body::from(vec![b'['; MAX_FRAME_BYTES + 1]);
        assert_eq!(read(large, &account).await.unwrap_err(), StatusCode::PAYLOAD_TOO_LARGE);
    }
}
