//! Binary frames of serializer version 2.0.0. The first byte is the kind of the frame. Each length of a text in the header is one byte.

use axum::extract::ws::Message;
use bytes::{BufMut, Bytes, BytesMut};

use super::{Encoding, FrameError, Payload, Push, RawJson, UserBroadcast, json};

/// Kind byte of a frame with a message that has a binary payload.
const PUSH: u8 = 0;
/// Kind byte of a frame with a broadcast from a client.
const USER_BROADCAST_PUSH: u8 = 3;
/// Kind byte of a frame with a broadcast to a client.
const USER_BROADCAST: u8 = 4;

pub(super) fn read(bytes: &Bytes) -> Result<Push, FrameError> {
    let mut reader = Reader { bytes: bytes.clone() };
    match reader.byte()? {
        PUSH => {
            let [join_ref, reference, topic, event] = reader.texts()?;
            // By the Phoenix protocol, the payload of a frame of kind `PUSH` is binary. But no event of the realtime API has a binary
            // payload in such a frame, so the payload is parsed as JSON.
            json::check_depth(&reader.bytes)?;
            let payload = Payload::Json(RawJson::read(&reader.bytes)?);
            Ok(Push { join_ref: some(join_ref), reference: some(reference), topic, event, payload })
        }
        USER_BROADCAST_PUSH => user_broadcast(reader),
        _ => Err(FrameError("an unknown kind of binary frame")),
    }
}

fn user_broadcast(mut reader: Reader) -> Result<Push, FrameError> {
    let lengths: [u8; 5] = reader.lengths()?;
    let encoding = match reader.byte()? {
        0 => Encoding::Binary,
        1 => Encoding::Json,
        _ => return Err(FrameError("an unknown encoding of a payload")),
    };
    let [join_ref, reference, topic, event, metadata] = reader.texts_of(lengths)?;
    let payload = reader.bytes;
    if encoding == Encoding::Json {
        json::check_depth(&payload)?;
        if serde_json::from_slice::<serde::de::IgnoredAny>(&payload).is_err() {
            return Err(FrameError("a payload that is not the JSON it says it is"));
        }
    }
    Ok(Push {
        join_ref: some(join_ref),
        reference: some(reference),
        topic,
        event: "broadcast".to_owned(),
        payload: Payload::Broadcast(UserBroadcast { event, metadata, encoding, payload }),
    })
}

/// Serialises a broadcast to a client as a binary frame.
pub(super) fn write(topic: &str, broadcast: &UserBroadcast) -> Message {
    let mut frame = BytesMut::with_capacity(5 + 3 * 255 + broadcast.payload.len());
    let texts = [topic, &broadcast.event, &broadcast.metadata].map(fitting);
    frame.put_u8(USER_BROADCAST);
    for text in texts {
        frame.put_u8(u8::try_from(text.len()).unwrap_or(u8::MAX));
    }
    frame.put_u8(match broadcast.encoding {
        Encoding::Binary => 0,
        Encoding::Json => 1,
    });
    for text in texts {
        frame.put_slice(text.as_bytes());
    }
    frame.put_slice(&broadcast.payload);
    Message::Binary(frame.freeze())
}

/// Truncates a text to 255 bytes, the maximum of a one-byte length. A name from a Latin-1 frame can be longer after its conversion to UTF-8.
fn fitting(text: &str) -> &str {
    text.get(..text.floor_char_boundary(255)).unwrap_or(text)
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

struct Reader {
    bytes: Bytes,
}

impl Reader {
    fn byte(&mut self) -> Result<u8, FrameError> {
        let byte = *self.bytes.first().ok_or(TOO_SHORT)?;
        self.bytes = self.bytes.slice(1..);
        Ok(byte)
    }

    fn lengths<const N: usize>(&mut self) -> Result<[u8; N], FrameError> {
        let mut lengths = [0; N];
        for length in &mut lengths {
            *length = self.byte()?;
        }
        Ok(lengths)
    }

    fn texts<const N: usize>(&mut self) -> Result<[String; N], FrameError> {
        let lengths = self.lengths()?;
        self.texts_of(lengths)
    }

    fn texts_of<const N: usize>(&mut self, lengths: [u8; N]) -> Result<[String; N], FrameError> {
        let mut texts = [const { String::new() }; N];
        for (text, length) in texts.iter_mut().zip(lengths) {
            let length = usize::from(length);
            if self.bytes.len() < length {
                return Err(TOO_SHORT);
            }
            *text = decode(&self.bytes.split_to(length));
        }
        Ok(texts)
    }
}

const TOO_SHORT: FrameError = FrameError("it ends too early");

/// Decodes a name. realtime-js sends only the low byte of each UTF-16 unit of a non-ASCII name, so bytes that are not valid UTF-8 are decoded
/// as Latin-1.
fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn client_frame(encoding: u8, payload: &[u8]) -> Bytes {
        let mut frame = vec![USER_BROADCAST_PUSH, 1, 1, 13, 5, 0, encoding];
        frame.extend_from_slice(b"12realtime:roomevent");
        frame.extend_from_slice(payload);
        frame.into()
    }

    #[test]
    fn broken_frames_are_refused() {
        let whole = client_frame(1, b"{}");
        for end in 0..whole.len() {
            assert!(read(&whole.slice(..end)).is_err(), "{end}");
        }
        assert!(read(&client_frame(2, b"{}")).is_err());
        assert!(read(&client_frame(1, b"{")).is_err());
        let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert!(read(&client_frame(1, deep.as_bytes())).is_err());
        assert!(read(&client_frame(0, deep.as_bytes())).is_ok(), "bytes are not read");
        assert!(read(&Bytes::from_static(b"\x07")).is_err());
    }

    #[test]
    fn a_broadcast_is_handed_on_as_it_came() {
        let push = read(&client_frame(0, &[0, 255, 1])).unwrap();
        assert_eq!((push.join_ref.as_deref(), push.reference.as_deref()), (Some("1"), Some("2")));
        let Payload::Broadcast(broadcast) = push.payload else { unreachable!() };
        let Message::Binary(out) = write(&push.topic, &broadcast) else { unreachable!() };
        assert_eq!(&out[..], b"\x04\x0d\x05\x00\x00realtime:roomevent\x00\xff\x01");
    }

    proptest! {
        #[test]
        fn no_frame_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = read(&bytes.into());
        }
    }
}
