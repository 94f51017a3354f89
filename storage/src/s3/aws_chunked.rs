//! Decodes `aws-chunked` request bodies, in which each chunk may be signed and trailers may follow.

use bytes::{Buf, Bytes, BytesMut};
use cloch_core::Secret;
use futures_util::{StreamExt, stream};
use sha2::{Digest, Sha256};

use super::canonical_request::{hmac, sha256};
use super::payload::compare;
use super::signature_v4::Chain;
use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::upload::checksum::{Algorithm, Checksum, Hasher, VerifiedChecksum};

/// Maximum length in bytes of a chunk header line or a trailer line.
const MAX_LINE_BYTES: usize = 8 * 1024;
const TRAILER_SIGNATURE: &str = "x-amz-trailer-signature";

fn mismatch() -> Error {
    Error::S3(403, "SignatureDoesNotMatch", "The signature of a chunk does not match".to_owned())
}

pub(super) fn malformed() -> Error {
    Error::InvalidRequest("The body is not in the form that x-amz-content-sha256 says".to_owned())
}

fn incomplete() -> Error {
    let message = "The body does not have the number of bytes that x-amz-decoded-content-length says".to_owned();
    Error::S3(400, "IncompleteBody", message)
}

fn malformed_trailer() -> Error {
    let message =
        "The request contained trailing data that was not well-formed or did not conform to our published schema.";
    Error::S3(400, "MalformedTrailerError", message.to_owned())
}

/// Trailers that a chunked body must have after its last chunk.
pub(super) struct Trailers {
    announced: Option<(Algorithm, Hasher)>,
    verified: VerifiedChecksum,
}

impl Trailers {
    pub(super) fn new(announced: Option<Algorithm>, verified: VerifiedChecksum) -> Self {
        Self { announced: announced.map(|algorithm| (algorithm, algorithm.hasher())), verified }
    }
}

/// Decodes the chunks of a body. The decoded stream contains exactly `length` bytes or ends with an error. Bytes are returned as they are
/// received. With a signature chain, the last bytes of a chunk are returned only after the chunk's signature is verified.
pub(super) fn decode(body: ByteStream, chain: Option<Chain>, length: u64, trailers: Option<Trailers>) -> ByteStream {
    let reader = Reader {
        body,
        buffer: BytesMut::new(),
        chain,
        trailers,
        left: length,
        left_in_chunk: 0,
        signature: String::new(),
        hash: Sha256::new(),
    };
    stream::unfold(Some(reader), |reader| async move {
        let mut reader = reader?;
        match reader.next().await {
            Ok(Some(bytes)) => Some((Ok(bytes), Some(reader))),
            Ok(None) => None,
            Err(error) => Some((Err(error), None)),
        }
    })
    .boxed()
}

struct Reader {
    body: ByteStream,
    buffer: BytesMut,
    chain: Option<Chain>,
    trailers: Option<Trailers>,
    /// Number of content bytes that the client declared and that are in no chunk so far.
    left: u64,
    /// Number of bytes of the current chunk that are not received yet.
    left_in_chunk: u64,
    /// Signature of the current chunk, verified with the hash of the chunk's bytes. Used only with a signature chain.
    signature: String,
    hash: Sha256,
}

impl Reader {
    /// Returns the next content bytes, or `None` after the end of the body and the trailers are verified.
    async fn next(&mut self) -> Result<Option<Bytes>> {
        let bytes = if self.left_in_chunk > 0 { self.piece().await? } else { self.chunk().await? };
        match (&bytes, &mut self.trailers) {
            (Some(bytes), Some(Trailers { announced: Some((_, hasher)), .. })) => hasher.update(bytes),
            (None, _) => self.end().await?,
            _ => {}
        }
        Ok(bytes)
    }

    /// Reads the header of a chunk and returns the chunk's first bytes, or `None` for the last chunk, which is empty.
    async fn chunk(&mut self) -> Result<Option<Bytes>> {
        let line = self.line().await?;
        let (size, signature) = match &self.chain {
            Some(_) => line.split_once(";chunk-signature=").ok_or_else(malformed)?,
            None => (line.as_str(), ""),
        };
        let size = chunk_size(size)?;
        self.left = self.left.checked_sub(size).ok_or_else(incomplete)?;
        (self.left_in_chunk, self.signature) = (size, signature.to_owned());
        if size > 0 {
            return self.piece().await;
        }
        self.check_signature()?;
        Ok(None)
    }

    /// Returns bytes of the current chunk as they are received (never `None`). A chunk may be as large as the object, so the chunk is not
    /// buffered.
    async fn piece(&mut self) -> Result<Option<Bytes>> {
        let wanted = usize::try_from(self.left_in_chunk).unwrap_or(usize::MAX);
        let bytes = if self.buffer.is_empty() {
            let mut bytes = next_bytes(&mut self.body).await?.ok_or_else(malformed)?;
            let piece = bytes.split_to(wanted.min(bytes.len()));
            self.buffer.extend_from_slice(&bytes);
            piece
        } else {
            self.buffer.split_to(wanted.min(self.buffer.len())).freeze()
        };
        self.left_in_chunk = self.left_in_chunk.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        if self.chain.is_some() {
            self.hash.update(&bytes);
        }
        if self.left_in_chunk == 0 {
            self.check_signature()?;
            self.line_end().await?;
        }
        Ok(Some(bytes))
    }

    fn check_signature(&mut self) -> Result<()> {
        let hash = std::mem::take(&mut self.hash).finalize();
        match &mut self.chain {
            Some(chain) => chain.check_chunk(&hex::encode(hash), &self.signature),
            None => Ok(()),
        }
    }

    /// Verifies the end of the body after the last chunk: trailers, an empty line, and no further bytes.
    async fn end(&mut self) -> Result<()> {
        if self.left > 0 {
            return Err(incomplete());
        }
        match self.trailers.take() {
            None => self.line_end().await?,
            Some(trailers) => self.check_trailers(trailers).await?,
        }
        match (self.buffer.is_empty(), next_bytes(&mut self.body).await?) {
            (true, None) => Ok(()),
            _ => Err(malformed()),
        }
    }

    async fn check_trailers(&mut self, trailers: Trailers) -> Result<()> {
        let Trailers { announced, verified } = trailers;
        let (mut value, mut signature) = (None, None);
        loop {
            let line = self.line().await?;
            if line.is_empty() {
                break;
            }
            let (name, text) = line.split_once(':').ok_or_else(malformed_trailer)?;
            let (name, text) = (name.trim().to_ascii_lowercase(), text.trim().to_owned());
            let slot = match &announced {
                _ if name == TRAILER_SIGNATURE && self.chain.is_some() => &mut signature,
                // The signature must be the last trailer, so no checksum may follow it.
                Some((algorithm, _)) if name == algorithm.header() && signature.is_none() => &mut value,
                _ => return Err(malformed_trailer()),
            };
            if slot.replace(text).is_some() {
                return Err(malformed_trailer());
            }
        }
        if let Some(chain) = &mut self.chain {
            let named = announced.as_ref().map(|(algorithm, _)| algorithm.header()).zip(value.as_ref());
            let text = named.map(|(name, value)| format!("{name}:{value}\n")).unwrap_or_default();
            chain.check_trailers(&text, &signature.ok_or_else(malformed_trailer)?)?;
        }
        let Some((algorithm, hasher)) = announced else { return Ok(()) };
        let checksum = Checksum::parse(algorithm, &value.ok_or_else(malformed_trailer)?);
        let checksum = checksum.ok_or_else(|| {
            Error::InvalidRequest(format!("Value for {} trailing header is invalid.", algorithm.header()))
        })?;
        compare(hasher, &checksum)?;
        verified.set(checksum);
        Ok(())
    }

    async fn line(&mut self) -> Result<String> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\r\n") {
                let line = self.buffer.split_to(end);
                self.buffer.advance(2);
                return String::from_utf8(line.to_vec()).map_err(|_| malformed());
            }
            if self.buffer.len() > MAX_LINE_BYTES {
                return Err(malformed());
            }
            let more = self.buffer.len() + 1;
            fill(&mut self.buffer, &mut self.body, more).await?;
        }
    }

    async fn line_end(&mut self) -> Result<()> {
        fill(&mut self.buffer, &mut self.body, 2).await?;
        if !self.buffer.starts_with(b"\r\n") {
            return Err(malformed());
        }
        self.buffer.advance(2);
        Ok(())
    }
}

/// Reads from the body until the buffer contains `size` bytes.
async fn fill(buffer: &mut BytesMut, body: &mut ByteStream, size: usize) -> Result<()> {
    while buffer.len() < size {
        buffer.extend_from_slice(&next_bytes(body).await?.ok_or_else(malformed)?);
    }
    Ok(())
}

/// Returns the next bytes of the body, skipping empty pieces. `None` at the end of the body.
async fn next_bytes(body: &mut ByteStream) -> Result<Option<Bytes>> {
    loop {
        match body.next().await.transpose()? {
            Some(bytes) if bytes.is_empty() => {}
            other => return Ok(other),
        }
    }
}

/// Parses the size of a chunk, which must consist of hexadecimal digits.
fn chunk_size(text: &str) -> Result<u64> {
    // `from_str_radix` would accept a leading plus sign.
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if digits { u64::from_str_radix(text, 16).ok() } else { None }.ok_or_else(malformed)
}

impl Chain {
    fn check_chunk(&mut self, hash: &str, signature: &str) -> Result<()> {
        self.check("AWS4-HMAC-SHA256-PAYLOAD", &format!("{}\n{hash}", sha256(b"")), signature)
    }

    fn check_trailers(&mut self, trailers: &str, signature: &str) -> Result<()> {
        self.check("AWS4-HMAC-SHA256-TRAILER", &sha256(trailers.as_bytes()), signature)
    }

    fn check(&mut self, kind: &str, hashes: &str, signature: &str) -> Result<()> {
        let text = format!("{kind}\n{}\n{}\n{}\n{hashes}", self.date, self.scope, self.previous);
        let expected = Secret::new(hex::encode(hmac(&self.key, text.as_bytes())));
        if !expected.matches(signature) {
            return Err(mismatch());
        }
        signature.clone_into(&mut self.previous);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_signed_chunk_is_passed_on_as_it_comes() {
        let begun = Bytes::from_static(b"40000000;chunk-signature=x\r\nabc");
        let body = stream::iter([Ok(begun)]).chain(stream::pending()).boxed();
        let chain = Chain { key: Vec::new(), date: String::new(), scope: String::new(), previous: String::new() };
        let mut decoded = decode(body, Some(chain), 1 << 30, None);
        assert_eq!(decoded.next().await.unwrap().unwrap(), "abc");
    }
}
