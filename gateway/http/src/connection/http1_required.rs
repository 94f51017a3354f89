//! Makes HTTP/2 clients repeat a request over HTTP/1.1 if the `h2` crate cannot parse its target. The `h2` crate resets a request with the
//! error code `PROTOCOL_ERROR` if the target contains `<`, `>` or `"`, as in `curl "…/rest/v1/people?select=data->>city"`. Over HTTP/1.1,
//! [`lenient_uri`](super::lenient_uri) percent-encodes these characters. Over HTTP/2 this is not possible, because the headers are
//! compressed. Therefore the error code of such a reset is changed to `HTTP_1_1_REQUIRED` (RFC 9113, section 7). curl then repeats the
//! request over HTTP/1.1.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;

const FRAME_HEAD_BYTES: usize = 9;
const RST_STREAM: u8 = 3;
/// Last byte of the error code in a `RST_STREAM` frame. The first three bytes of both error codes are zero.
const PROTOCOL_ERROR: u8 = 1;
const HTTP_1_1_REQUIRED: u8 = 0xd;

/// Position in the frames that the server writes to an HTTP/2 connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Http1Required {
    /// Bytes of the current frame's head.
    head: [u8; FRAME_HEAD_BYTES],
    /// Number of bytes of the current frame's head that were already written.
    head_passed: usize,
    /// Number of bytes of the current frame's payload that were not written yet.
    payload_left: usize,
    /// Whether a written byte of the current frame's payload was not zero.
    has_nonzero_payload: bool,
}

impl Http1Required {
    /// Writes the bytes up to the next byte that must be changed. If this byte is the first of `bytes`, writes only this byte, changed.
    /// Fulfils the contract of [`AsyncWrite::poll_write`].
    pub(super) fn poll_write<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = if self.changes_next(bytes) {
            ready!(Pin::new(stream).poll_write(cx, &[HTTP_1_1_REQUIRED]))?
        } else {
            let unchanged = self.clone().pass(bytes);
            ready!(Pin::new(stream).poll_write(cx, bytes.get(..unchanged).unwrap_or(bytes)))?
        };
        let mut passed = 0;
        while passed < written {
            passed += self.pass_part(bytes.get(passed..written).unwrap_or_default());
        }
        Poll::Ready(Ok(written))
    }

    /// Whether the first of `bytes` is the last byte of the error code `PROTOCOL_ERROR` in a `RST_STREAM` frame.
    fn changes_next(&self, bytes: &[u8]) -> bool {
        self.is_reset() && self.payload_left == 1 && !self.has_nonzero_payload && bytes.first() == Some(&PROTOCOL_ERROR)
    }

    fn is_reset(&self) -> bool {
        self.head_passed == FRAME_HEAD_BYTES && self.head.get(3) == Some(&RST_STREAM)
    }

    /// Advances the position past the bytes up to the next byte that must be changed, and returns the number of these bytes.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        while !rest.is_empty() && !self.changes_next(rest) {
            let passed = self.pass_part(rest);
            rest = rest.get(passed..).unwrap_or_default();
        }
        bytes.len() - rest.len()
    }

    /// Advances the position to the end of the current frame's head or payload, or to the end of `bytes`, and returns the number of bytes.
    /// Stops before the last byte of a `RST_STREAM` frame.
    fn pass_part(&mut self, bytes: &[u8]) -> usize {
        if self.payload_left > 0 {
            let part = self.payload_left - usize::from(self.is_reset() && self.payload_left > 1);
            let passed = part.min(bytes.len());
            self.has_nonzero_payload |= bytes.iter().take(passed).any(|byte| *byte != 0);
            self.payload_left -= passed;
            return passed;
        }
        if self.head_passed == FRAME_HEAD_BYTES {
            self.head_passed = 0;
        }
        let missing = self.head.get_mut(self.head_passed..).unwrap_or_default();
        let passed = missing.len().min(bytes.len());
        for (to, from) in missing.iter_mut().zip(bytes) {
            *to = *from;
        }
        self.head_passed += passed;
        if self.head_passed == FRAME_HEAD_BYTES {
            let [first, second, third, ..] = self.head;
            self.payload_left = usize::from(first) << 16 | usize::from(second) << 8 | usize::from(third);
            self.has_nonzero_payload = false;
        }
        passed
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    struct Changing(Http1Required, Vec<u8>);

    /// Writes the bytes in pieces of a given size, as a slow connection accepts them. Returns the bytes that the connection receives.
    async fn written(bytes: &[u8], piece: usize) -> Vec<u8> {
        let mut target = Changing(Http1Required::default(), Vec::new());
        for piece in bytes.chunks(piece) {
            target.write_all(piece).await.unwrap();
        }
        target.1
    }

    impl AsyncWrite for Changing {
        fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let Self(frames, target) = self.get_mut();
            frames.poll_write(target, cx, bytes)
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, 0, 0, 0, 0, 5], payload].concat()
    }

    #[tokio::test]
    async fn only_resets_with_protocol_error_are_changed() {
        let others = [
            frame(0, &[0, 0, 0, 1]),
            frame(RST_STREAM, &[0, 0, 0, 8]),
            frame(RST_STREAM, &[0, 0, 1, 1]),
            frame(7, &[0, 0, 0, 5, 0, 0, 0, 1]),
            frame(4, &[]),
            frame(0, &vec![1; 70_000]),
        ]
        .concat();
        let sent = [others.clone(), frame(RST_STREAM, &[0, 0, 0, 1]), others.clone()].concat();
        let expected = [others.clone(), frame(RST_STREAM, &[0, 0, 0, 0xd]), others].concat();
        for piece in [1, 2, 3, 5, 9, 10, 13, 1_000, sent.len()] {
            assert!(written(&sent, piece).await == expected, "in pieces of {piece} bytes");
        }
    }
}
