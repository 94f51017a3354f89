//! The body of a signed request: plain, hashed as a whole, or in chunks that may each be signed (`aws-chunked`).

use bytes::{Buf, Bytes, BytesMut};
use cloch_sql::Secret;
use futures_util::{StreamExt, stream};
use sha2::{Digest, Sha256};

use super::canonical_request::{hmac, sha256};
use super::signature_v4::{Chain, Signed};
use crate::backend::ByteStream;
use crate::error::{Error, Result};

/// The longest line before a chunk or trailer.
const MAX_LINE_BYTES: usize = 8 * 1024;
/// The largest chunk: it is kept until its signature is checked.
const MAX_CHUNK_BYTES: usize = 16 * 1024 * 1024;

fn mismatch() -> Error {
    Error::S3(403, "SignatureDoesNotMatch", "The signature of a chunk does not match".to_owned())
}

fn malformed() -> Error {
    Error::InvalidRequest("The body is not in the form that x-amz-content-sha256 says".to_owned())
}

/// The bytes of a body, verified as they pass: the stream ends with an error unless all are what was signed.
pub(crate) fn payload(signed: &Signed, body: ByteStream) -> ByteStream {
    match signed.payload.as_str() {
        "UNSIGNED-PAYLOAD" => body,
        streaming if streaming.starts_with("STREAMING-") => {
            let chain = streaming.starts_with("STREAMING-AWS4-HMAC-SHA256").then(|| signed.chain.clone());
            chunks(body, chain)
        }
        hash => hashed(body, hash.to_owned()),
    }
}

fn hashed(body: ByteStream, expected: String) -> ByteStream {
    stream::unfold(Some((body, Sha256::new())), move |state| {
        let expected = expected.clone();
        async move {
            let (mut body, mut hash) = state?;
            match body.next().await {
                Some(Ok(bytes)) => {
                    hash.update(&bytes);
                    Some((Ok(bytes), Some((body, hash))))
                }
                Some(Err(error)) => Some((Err(error), None)),
                None if hex::encode(hash.finalize()) == expected.to_ascii_lowercase() => None,
                None => {
                    let message = "The provided 'x-amz-content-sha256' header does not match what was computed.";
                    Some((Err(Error::S3(400, "XAmzContentSHA256Mismatch", message.to_owned())), None))
                }
            }
        }
    })
    .boxed()
}

/// The bytes inside the chunks. With a chain every chunk's signature is verified before its bytes are passed on.
fn chunks(body: ByteStream, chain: Option<Chain>) -> ByteStream {
    let reader = Reader { body, buffer: BytesMut::new(), chain };
    stream::unfold(Some(reader), |reader| async move {
        let mut reader = reader?;
        match reader.chunk().await {
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
}

impl Reader {
    async fn fill(&mut self, size: usize) -> Result<()> {
        while self.buffer.len() < size {
            match self.body.next().await {
                Some(bytes) => self.buffer.extend_from_slice(&bytes?),
                None => return Err(malformed()),
            }
        }
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
            self.fill(self.buffer.len() + 1).await?;
        }
    }

    async fn chunk(&mut self) -> Result<Option<Bytes>> {
        let line = self.line().await?;
        let (size, extensions) = line.split_once(';').unwrap_or((&line, ""));
        let size = usize::from_str_radix(size.trim(), 16).map_err(|_| malformed())?;
        if size > MAX_CHUNK_BYTES {
            return Err(malformed());
        }
        self.fill(size).await?;
        let bytes = self.buffer.split_to(size).freeze();
        if let Some(chain) = &mut self.chain {
            let signature = extensions.trim().strip_prefix("chunk-signature=").ok_or_else(malformed)?;
            chain.check(&bytes, signature)?;
        }
        if size == 0 {
            // Trailers carry checksums; the signatures or the transport have checked the bytes already.
            while let Some(bytes) = self.body.next().await {
                bytes?;
            }
            return Ok(None);
        }
        self.fill(2).await?;
        if !self.buffer.starts_with(b"\r\n") {
            return Err(malformed());
        }
        self.buffer.advance(2);
        Ok(Some(bytes))
    }
}

impl Chain {
    fn check(&mut self, chunk: &[u8], signature: &str) -> Result<()> {
        let text = format!(
            "AWS4-HMAC-SHA256-PAYLOAD\n{}\n{}\n{}\n{}\n{}",
            self.date,
            self.scope,
            self.previous,
            sha256(b""),
            sha256(chunk)
        );
        let expected = Secret::new(hex::encode(hmac(&self.key, text.as_bytes())));
        if !expected.matches(signature) {
            return Err(mismatch());
        }
        signature.clone_into(&mut self.previous);
        Ok(())
    }
}
