//! Accepts request targets that contain `<`, `>` or `"` without percent-encoding, such as `curl "…/rest/v1/people?select=data->>city"`. hyper
//! refuses these characters, but Supabase's servers accept them, and PostgREST's documentation uses them. The characters are percent-encoded
//! before hyper parses the request. All other bytes stay unchanged. This module parses the heads and body lengths of requests to find the
//! beginning of each request. After bytes that it cannot parse, it passes the rest of the connection through unchanged, so that only hyper
//! decides whether these bytes are valid.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, ReadBuf};

use super::MAX_HEAD_BYTES;

/// Capacity of the buffer for each read of a request head, in bytes.
const HEAD_READ_BYTES: usize = 4096;

/// Parser of a connection's byte stream that percent-encodes `<`, `>` and `"` in request targets.
#[derive(Debug, Default)]
pub(super) struct LenientUri {
    /// Bytes read from the stream and not parsed yet.
    unparsed: BytesMut,
    /// Number of bytes of `unparsed` that were already searched for the end of a request head.
    scanned: usize,
    /// Parsed bytes that were not passed to hyper yet.
    parsed: BytesMut,
    state: State,
    /// Whether the head of a request was complete.
    has_parsed_head: bool,
    is_head_too_long: bool,
}

/// Kind of the next bytes in a connection's byte stream.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The next bytes belong to the head of a request.
    #[default]
    Head,
    /// The next bytes belong to the body of a request. Contains the number of remaining bytes of the body.
    Body(u64),
    /// All further bytes are passed to hyper without being parsed.
    PassThrough,
}

impl LenientUri {
    /// Returns a parser that passes all bytes on unchanged.
    pub(super) fn pass_through() -> Self {
        Self { state: State::PassThrough, ..Self::default() }
    }

    /// Reads from a connection and passes the bytes to hyper, with encoded request targets. Fulfils the contract of [`AsyncRead::poll_read`].
    pub(super) fn poll_read<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if !self.parsed.is_empty() || (!self.unparsed.is_empty() && self.parse()) {
                let length = self.parsed.len().min(buf.remaining());
                buf.put_slice(self.parsed.get(..length).unwrap_or_default());
                self.parsed.advance(length);
                return Poll::Ready(Ok(()));
            }
            match self.state {
                State::PassThrough => {
                    // All further bytes of the connection are passed through. The buffers for request heads are released, because the
                    // connection, such as a WebSocket, can stay open for hours.
                    (self.unparsed, self.parsed) = (BytesMut::new(), BytesMut::new());
                    return Pin::new(&mut *stream).poll_read(cx, buf);
                }
                // As long as hyper's buffer does not reach beyond the end of the request body, the body is read directly into this buffer
                // without a copy.
                State::Body(left) if buf.remaining() as u64 <= left => {
                    let before = buf.filled().len();
                    ready!(Pin::new(&mut *stream).poll_read(cx, buf))?;
                    self.body_passed(buf.filled().len() - before);
                    return Poll::Ready(Ok(()));
                }
                State::Body(left) => {
                    let room = buf.remaining().min(usize::try_from(left).unwrap_or(usize::MAX));
                    let mut part = ReadBuf::new(buf.initialize_unfilled_to(room));
                    ready!(Pin::new(&mut *stream).poll_read(cx, &mut part))?;
                    let read = part.filled().len();
                    buf.advance(read);
                    self.body_passed(read);
                    return Poll::Ready(Ok(()));
                }
                State::Head => {
                    self.unparsed.reserve(HEAD_READ_BYTES);
                    if ready!(tokio_util::io::poll_read_buf(Pin::new(&mut *stream), cx, &mut self.unparsed))? == 0 {
                        self.state = State::PassThrough;
                    }
                }
            }
        }
    }

    /// Whether the client is still sending its request. Needed at the end of a connection, because hyper refuses some requests before it has
    /// read the complete head.
    pub(super) fn is_still_sending(&self) -> bool {
        self.is_head_too_long || matches!(self.state, State::Body(_))
    }

    /// Whether the client has to send (the rest of) a request head now: the first head of the connection, or a head that it has begun.
    pub(super) fn is_head_due(&self) -> bool {
        self.state == State::Head && (!self.has_parsed_head || !self.unparsed.is_empty())
    }

    /// Parses the bytes read so far. Returns whether parsed bytes can be passed to hyper.
    fn parse(&mut self) -> bool {
        match self.state {
            State::PassThrough => self.parsed = std::mem::take(&mut self.unparsed),
            State::Body(left) => {
                let length = self.unparsed.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                self.parsed = self.unparsed.split_to(length);
                self.body_passed(length);
            }
            State::Head => match head_end(&self.unparsed, self.scanned) {
                Some(end) => {
                    let head = self.unparsed.split_to(end);
                    self.scanned = 0;
                    self.has_parsed_head = true;
                    self.state = state_after(&head);
                    self.parsed = encoded(head);
                }
                // The head is passed to hyper without parsing. hyper then responds with status 431, because the head is too large.
                None if self.unparsed.len() > MAX_HEAD_BYTES => {
                    self.is_head_too_long = true;
                    self.state = State::PassThrough;
                    self.parsed = std::mem::take(&mut self.unparsed);
                }
                // The last three bytes may be the beginning of the empty line that ends the head, so they are searched again.
                None => self.scanned = self.unparsed.len().saturating_sub(3),
            },
        }
        !self.parsed.is_empty()
    }

    fn body_passed(&mut self, bytes: usize) {
        if let State::Body(left) = self.state {
            let left = left.saturating_sub(bytes as u64);
            self.state = if left == 0 { State::Head } else { State::Body(left) };
        }
    }
}

/// Returns the end of the request head with which `raw` begins: the position after its empty line. The search starts at position `from`.
fn head_end(raw: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(newline) = raw.get(at..)?.iter().position(|&byte| byte == b'\n') {
        at += newline + 1;
        match raw.get(at..)? {
            [b'\n', ..] => return Some(at + 1),
            [b'\r', b'\n', ..] => return Some(at + 2),
            _ => {}
        }
    }
    None
}

fn first_line(head: &[u8]) -> &[u8] {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the parser state that follows a request head: a body with a known length, the head of the next request, or pass-through.
fn state_after(head: &[u8]) -> State {
    let mut lines = head.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    if lines.next().and_then(target_range).is_none() {
        return State::PassThrough;
    }
    let mut length = 0;
    for line in lines {
        // Skips most headers by the first letter, because only `Content-Length`, `Transfer-Encoding`, `Upgrade` and folded lines matter.
        if !matches!(line.first(), Some(b'c' | b'C' | b't' | b'T' | b'u' | b'U' | b' ' | b'\t')) {
            continue;
        }
        let (name, value) = line.split_at(line.iter().position(|&byte| byte == b':').unwrap_or(line.len()));
        if name.eq_ignore_ascii_case(b"content-length") {
            let digits = std::str::from_utf8(value.get(1..).unwrap_or_default()).unwrap_or_default().trim();
            match digits.parse::<u64>() {
                Ok(bytes) if length == 0 || length == bytes => length = bytes,
                _ => return State::PassThrough,
            }
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") || name.eq_ignore_ascii_case(b"upgrade") {
            return State::PassThrough;
        } else if matches!(name.first(), Some(b' ' | b'\t')) {
            // The line is a folded header line (obs-fold, RFC 9112, section 5.2), which this parser does not support.
            return State::PassThrough;
        }
    }
    if length == 0 { State::Head } else { State::Body(length) }
}

/// Returns the byte range of the request target in a request line. `None` if the target is not in origin-form (RFC 9112, section 3.2.1).
fn target_range(line: &[u8]) -> Option<std::ops::Range<usize>> {
    let start = line.iter().position(|&byte| byte == b' ')? + 1;
    let end = line.iter().rposition(|&byte| byte == b' ')?;
    let (method, target, version) = (line.get(..start - 1)?, line.get(start..end)?, line.get(end + 1..)?);
    let fits = !method.is_empty()
        && method.iter().all(u8::is_ascii_alphabetic)
        && target.first() == Some(&b'/')
        && !target.contains(&b' ')
        && matches!(version, b"HTTP/1.1" | b"HTTP/1.0");
    fits.then_some(start..end)
}

/// Percent-encodes `<`, `>` and `"` in the request target of a request head.
fn encoded(head: BytesMut) -> BytesMut {
    let Some(range) = target_range(first_line(&head)) else { return head };
    let target = head.get(range.clone()).unwrap_or_default();
    if !target.iter().any(|byte| matches!(byte, b'<' | b'>' | b'"')) {
        return head;
    }
    let mut changed = BytesMut::with_capacity(head.len() + 64);
    changed.extend_from_slice(head.get(..range.start).unwrap_or_default());
    for byte in target {
        match byte {
            b'<' => changed.extend_from_slice(b"%3C"),
            b'>' => changed.extend_from_slice(b"%3E"),
            b'"' => changed.extend_from_slice(b"%22"),
            other => changed.extend_from_slice(&[*other]),
        }
    }
    changed.extend_from_slice(head.get(range.end..).unwrap_or_default());
    changed
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::AsyncWriteExt;

    use super::*;

    /// Returns the bytes that hyper receives when `sent` arrives in pieces of `size` bytes.
    async fn through(sent: &str, size: usize) -> String {
        let (mut client, mut server) = tokio::io::duplex(64 * 1024);
        let sent = sent.to_owned();
        let sender = tokio::spawn(async move {
            for piece in sent.as_bytes().chunks(size) {
                client.write_all(piece).await.unwrap();
            }
        });
        let mut uri = LenientUri::default();
        let mut seen = Vec::new();
        loop {
            let mut room = [0; 1000];
            let mut buf = ReadBuf::new(&mut room);
            poll_fn(|cx| uri.poll_read(&mut server, cx, &mut buf)).await.unwrap();
            if buf.filled().is_empty() {
                break;
            }
            seen.extend_from_slice(buf.filled());
        }
        sender.await.unwrap();
        String::from_utf8(seen).unwrap()
    }

    async fn assert_becomes(sent: &str, expected: &str) {
        for size in [1, 2, 3, 7, 40, 10_000] {
            assert_eq!(through(sent, size).await, expected, "in pieces of {size}");
        }
    }

    #[tokio::test]
    async fn targets_are_encoded_and_nothing_else() {
        let sent = "GET /p?select=a->>b&c=eq.\"x<y\" HTTP/1.1\r\nhost: <x>\r\n\r\n";
        let expected = "GET /p?select=a-%3E%3Eb&c=eq.%22x%3Cy%22 HTTP/1.1\r\nhost: <x>\r\n\r\n";
        assert_becomes(sent, expected).await;
        assert_becomes(&sent.repeat(3), &expected.repeat(3)).await;
    }

    #[tokio::test]
    async fn what_is_too_long_is_left_to_hyper() {
        let target = "x".repeat(70_000);
        let head = format!("POST /p?>{target} HTTP/1.1\r\ncontent-length: 2\r\n\r\nab");
        assert_becomes(&head, &head.replace('>', "%3E")).await;
        let sent = format!("{}{}", head.replace(&target, &target.repeat(2)), "GET /a>b HTTP/1.1\r\n\r\n");
        for size in [40, 10_000] {
            assert_eq!(through(&sent, size).await, sent);
        }
    }

    #[tokio::test]
    async fn bodies_stay_as_they_are() {
        let body = "GET /a>b HTTP/1.1\r\n\r\n";
        let post = format!("POST /a HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        assert_becomes(&post, &post).await;
        assert_becomes(&format!("{post}GET /a>b HTTP/1.1\n\n"), &format!("{post}GET /a%3Eb HTTP/1.1\n\n")).await;
        let large = body.repeat(1000);
        let put = format!("PUT /a HTTP/1.1\r\nContent-Length: {}\r\n\r\n{large}", large.len());
        assert_becomes(&format!("{put}GET /a>b HTTP/1.1\n\n"), &format!("{put}GET /a%3Eb HTTP/1.1\n\n")).await;
    }

    #[tokio::test]
    async fn what_cannot_be_followed_is_left_alone_for_good() {
        let after = "GET /a>b HTTP/1.1\r\n\r\n";
        for head in [
            "POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            "GET /a HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
            "POST /a HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
            "POST /a HTTP/1.1\r\ncontent-length: x\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "GET http://elsewhere/a HTTP/1.1\r\n\r\n",
            "\u{16}\u{3} no HTTP at all\n\n",
            "\r\nGET / HTTP/1.1\r\n\r\n",
        ] {
            let sent = format!("{head}{after}");
            assert_becomes(&sent, &sent).await;
        }
    }
}
