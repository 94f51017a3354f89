//! Request targets as people type them, `curl "…/rest/v1/people?select=data->>city"`, and as programs make them: very long.
//!
//! The HTTP library refuses `<`, `>` and `"` in a query, which the servers that Cloch stands in for accept, and whose documentation
//! writes so. They are percent-encoded here, before the library reads them. What is too long for the library is cut, and marked for
//! [`super::oversize`], for the library's own answer has no body that a client could show. Nothing else of a connection is touched:
//! the framing is followed request by request, and left alone for good at anything that is not understood.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, ReadBuf};

use super::filtered::Filter;
use super::oversize::{Cut, LONGEST_HEAD, LONGEST_TARGET};

/// Lets request targets hold `<`, `>` and `"`.
#[derive(Debug, Default)]
pub(super) struct LenientTargets {
    /// Read and not yet looked at.
    raw: BytesMut,
    /// How much of `raw` holds no end of a head.
    scanned: usize,
    /// Looked at and not yet handed on.
    ready: BytesMut,
    /// What stands for the head that is being skipped.
    instead: BytesMut,
    state: State,
}

/// What comes next on the connection.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A request's head.
    #[default]
    Head,
    /// So much of a request's body.
    Body(u64),
    /// The rest of a head that is too long.
    Skipped,
    /// What is handed on unseen.
    Opaque,
}

impl LenientTargets {
    /// Moves on as far as what has been read allows; whether there is something to hand on.
    fn advance(&mut self) -> bool {
        match self.state {
            State::Opaque => self.ready = std::mem::take(&mut self.raw),
            State::Body(left) => {
                let here = self.raw.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                self.ready = self.raw.split_to(here);
                self.body_passed(here);
            }
            State::Head => match head_end(&self.raw, self.scanned) {
                Some(end) => {
                    let head = self.raw.split_to(end);
                    self.scanned = 0;
                    self.state = following(&head);
                    self.ready = encoded(head);
                }
                None if self.raw.len() > LONGEST_HEAD => self.skip(),
                None => self.scanned = without_ends_begin(&self.raw),
            },
            State::Skipped => match head_end(&self.raw, 0) {
                // How long the body is was in the head: the connection ends with this request.
                Some(_) => {
                    self.raw.clear();
                    self.state = State::Opaque;
                    self.ready = std::mem::take(&mut self.instead);
                }
                None => self.raw.advance(without_ends_begin(&self.raw)),
            },
        }
        !self.ready.is_empty()
    }

    /// Goes past a head that is too long. The client hears of it when it has sent the whole: before that it would not listen.
    fn skip(&mut self) {
        let line = first_line(&self.raw);
        match path(line) {
            Some(path) => {
                let cut = if line.len() < LONGEST_HEAD { Cut::Head } else { Cut::Target };
                let head =
                    [path, b" HTTP/1.1\r\n", cut.line(), b"host: localhost\r\nconnection: close\r\n\r\n"].concat();
                self.instead = BytesMut::from(head.as_slice());
                self.state = State::Skipped;
            }
            None => {
                self.state = State::Opaque;
                self.ready = std::mem::take(&mut self.raw);
            }
        }
    }

    fn body_passed(&mut self, bytes: usize) {
        if let State::Body(left) = self.state {
            let left = left.saturating_sub(bytes as u64);
            self.state = if left == 0 { State::Head } else { State::Body(left) };
        }
    }
}

/// Where the head that begins here ends, its empty line included.
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

/// How much can be passed by when no end of a head was found: its last bytes may still come.
fn without_ends_begin(raw: &[u8]) -> usize {
    raw.len().saturating_sub(3)
}

fn first_line(head: &[u8]) -> &[u8] {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Method and path of a request line, complete or not, if they are short enough to be shown.
fn path(line: &[u8]) -> Option<&[u8]> {
    let start = line.iter().position(|&byte| byte == b' ')? + 1;
    let length = line.get(start..)?.iter().position(|byte| matches!(byte, b'?' | b' '))?;
    let is_plain = |path: &[u8]| path.first() == Some(&b'/') && path.iter().all(u8::is_ascii_graphic);
    let fits = length <= LONGEST_TARGET && line.get(start..start + length).is_some_and(is_plain);
    line.get(..start + length).filter(|_| fits && line.iter().take(start - 1).all(u8::is_ascii_alphabetic))
}

/// What follows a head: a body of its length, another head, or what cannot be followed.
fn following(head: &[u8]) -> State {
    let mut lines = head.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    if lines.next().and_then(target).is_none() {
        return State::Opaque;
    }
    let mut length = 0;
    for line in lines {
        // Most headers are passed by at their first letter.
        if !matches!(line.first(), Some(b'c' | b'C' | b't' | b'T' | b'u' | b'U' | b' ' | b'\t')) {
            continue;
        }
        let (name, value) = line.split_at(line.iter().position(|&byte| byte == b':').unwrap_or(line.len()));
        if name.eq_ignore_ascii_case(b"content-length") {
            let digits = std::str::from_utf8(value.get(1..).unwrap_or_default()).unwrap_or_default().trim();
            match digits.parse::<u64>() {
                Ok(bytes) if length == 0 || length == bytes => length = bytes,
                _ => return State::Opaque,
            }
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") || name.eq_ignore_ascii_case(b"upgrade") {
            return State::Opaque;
        } else if matches!(name.first(), Some(b' ' | b'\t')) {
            // A folded line: nobody sends them any more.
            return State::Opaque;
        }
    }
    if length == 0 { State::Head } else { State::Body(length) }
}

/// Where the target lies in a request line, if it is one and its target a path.
fn target(line: &[u8]) -> Option<std::ops::Range<usize>> {
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

/// The head with its target percent-encoded where that has to be, and cut where it is too long.
fn encoded(head: BytesMut) -> BytesMut {
    let line = first_line(&head);
    let Some(range) = target(line) else { return head };
    let is_refused = |byte: &u8| matches!(byte, b'<' | b'>' | b'"');
    let target = head.get(range.clone()).unwrap_or_default();
    let refused = target.iter().filter(|byte| is_refused(byte)).count();
    if target.len() + 2 * refused > LONGEST_TARGET {
        return cut(&head, line, range);
    }
    if refused == 0 {
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

/// The head without its query; marked.
fn cut(head: &BytesMut, line: &[u8], target: std::ops::Range<usize>) -> BytesMut {
    let Some(path) = path(line) else { return head.clone() };
    let after = head.get(target.end..).unwrap_or_default();
    let (version, headers) =
        after.split_at(after.iter().position(|&byte| byte == b'\n').map_or(after.len(), |at| at + 1));
    BytesMut::from([path, version, Cut::Target.line(), headers].concat().as_slice())
}

impl Filter for LenientTargets {
    fn poll_read<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if !self.ready.is_empty() || (!self.raw.is_empty() && self.advance()) {
                let here = self.ready.len().min(buf.remaining());
                buf.put_slice(self.ready.get(..here).unwrap_or_default());
                self.ready.advance(here);
                return Poll::Ready(Ok(()));
            }
            match self.state {
                State::Opaque => return Pin::new(&mut *stream).poll_read(cx, buf),
                // Most of a body is read to where it is wanted; only the rest has to be kept from reading on.
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
                State::Head | State::Skipped => {
                    self.raw.reserve(4096);
                    if ready!(tokio_util::io::poll_read_buf(Pin::new(&mut *stream), cx, &mut self.raw))? == 0 {
                        self.state = State::Opaque;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::super::filtered::Filtered;
    use super::*;

    /// What comes out when `sent` goes in, in pieces of `size` bytes.
    async fn through(sent: &str, size: usize) -> String {
        let (mut client, server) = tokio::io::duplex(64 * 1024);
        let sent = sent.to_owned();
        let sender = tokio::spawn(async move {
            for piece in sent.as_bytes().chunks(size) {
                client.write_all(piece).await.unwrap();
            }
        });
        let mut seen = Vec::new();
        Filtered::new(server, LenientTargets::default()).read_to_end(&mut seen).await.unwrap();
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
    async fn what_is_too_long_is_cut_and_marked() {
        let query = "x".repeat(70_000);
        let sent = format!("POST /p?{query} HTTP/1.1\r\ncontent-length: 2\r\n\r\nabGET / HTTP/1.1\r\n\r\n");
        let expected = "POST /p HTTP/1.1\r\ncloch-cut: target\r\ncontent-length: 2\r\n\r\nabGET / HTTP/1.1\r\n\r\n";
        assert_becomes(&sent, expected).await;
        let after = " HTTP/1.1\r\ncloch-cut: target\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        assert_becomes(&format!("GET /p?{} HTTP/1.1\r\na: b\r\n\r\n", query.repeat(10)), &format!("GET /p{after}"))
            .await;
        let cookies = format!("GET /p?q HTTP/1.1\r\ncookie: {}\r\n\r\n", query.repeat(10));
        assert_becomes(&cookies, &format!("GET /p{}", after.replace("target", "head"))).await;
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
