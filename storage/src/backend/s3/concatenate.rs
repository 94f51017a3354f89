//! Concatenates blobs into one S3 object. The S3 server copies the content (UploadPartCopy), several parts concurrently. If the server does
//! not support UploadPartCopy, the content is downloaded and uploaded.

use std::ops::Range;

use ::s3::command::{Command, Multipart};
use ::s3::error::S3Error;
use ::s3::request::Request;
use ::s3::request::tokio_backend::ReqwestRequest;
use ::s3::signing::uri_encode;
use axum::http::{HeaderMap, HeaderValue};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;

use super::{BLOB_CONTENT_TYPE, MAX_PARTS, MIN_PART_BYTES, MultipartUpload, S3Backend, failed, is_missing};
use crate::backend::{Backend, BlobKey, ByteStream, Content, Piece};
use crate::error::{Error, Result};

/// S3's maximum size of a copy in one request, in bytes.
const MAX_COPY_BYTES: u64 = 5 * 1024 * 1024 * 1024;
/// Size in bytes of the parts into which blobs larger than [`MAX_COPY_BYTES`] are divided.
const COPY_PART_BYTES: u64 = 1024 * 1024 * 1024;
const MAX_CONCURRENT_COPIES: usize = 8;
const CONTEXT: &str = "concatenating blobs";

/// The source of one UploadPartCopy request.
#[derive(Clone, Debug, PartialEq)]
struct Source {
    key: BlobKey,
    size: u64,
    /// Range of the blob to copy; `None` for the whole blob.
    range: Option<Range<u64>>,
}

/// Reason why the S3 server did not copy a part.
enum Refused {
    /// The S3 server does not support UploadPartCopy.
    Unsupported,
    Failed(Error),
}

#[derive(Debug, Deserialize)]
struct CopyPartResult {
    #[serde(rename = "ETag")]
    etag: String,
}

impl S3Backend {
    pub(super) async fn join_blobs(&self, key: BlobKey, pieces: Vec<Piece>) -> Result<u64> {
        let pieces: Vec<Piece> = pieces.into_iter().filter(|piece| piece.size > 0).collect();
        if let Some(sources) = sources(&pieces)
            && self.copy_sources(key, &sources).await?
        {
            return Ok(pieces.iter().map(|piece| piece.size).sum());
        }
        self.write(key, self.bytes_of(pieces)).await
    }

    pub(super) async fn copy_blob(&self, from: BlobKey, to: BlobKey) -> Result<()> {
        let refusal = match self.slow_bucket.copy_object_internal(self.path(from), self.path(to)).await {
            Ok(_) => return Ok(()),
            Err(error) if is_missing(&error) => return Err(Error::BlobMissing(from.to_string())),
            Err(error) => error,
        };
        match self.bucket.head_object(self.path(from)).await.map(|(head, _)| head.content_length) {
            Ok(Some(size)) if size.unsigned_abs() > MAX_COPY_BYTES => {
                self.join_blobs(to, vec![Piece { key: from, size: size.unsigned_abs() }]).await.map(drop)
            }
            _ => Err(failed("copying an object")(refusal)),
        }
    }

    /// Copies the sources into a new blob. Returns `false` if the S3 server does not support UploadPartCopy.
    async fn copy_sources(&self, key: BlobKey, sources: &[Source]) -> Result<bool> {
        let path = self.path(key);
        let begun = self.bucket.initiate_multipart_upload(&path, BLOB_CONTENT_TYPE).await.map_err(failed(CONTEXT))?;
        let mut parts = MultipartUpload { upload: begun.upload_id, etags: Vec::new() };
        let copies: Vec<_> =
            (1..).zip(sources).map(|(number, source)| self.copy_part(&path, &parts.upload, number, source)).collect();
        let copied: Result<Vec<String>, Refused> =
            stream::iter(copies).buffered(MAX_CONCURRENT_COPIES).try_collect().await;
        let outcome = match copied {
            Ok(etags) => {
                parts.etags = etags;
                self.complete(&path, parts.clone()).await.map_err(Refused::Failed)
            }
            Err(refused) => Err(refused),
        };
        match outcome {
            Ok(()) => Ok(true),
            Err(Refused::Failed(error)) => Err(self.abort(&path, Some(parts), error).await),
            Err(Refused::Unsupported) => {
                self.abort(&path, Some(parts), Error::Aborted("The store copies no parts")).await;
                Ok(false)
            }
        }
    }

    /// Sends an UploadPartCopy request and returns the entity tag of the new part.
    async fn copy_part(&self, path: &str, upload: &str, number: u32, source: &Source) -> Result<String, Refused> {
        let from = uri_encode(&format!("/{}/{}", self.bucket.name(), self.path(source.key)), false);
        let mut headers = HeaderMap::new();
        let unreadable = |_| Refused::Failed(Error::internal(CONTEXT)("the key is not a valid header value".into()));
        headers.insert("x-amz-copy-source", HeaderValue::try_from(from).map_err(unreadable)?);
        if let Some(range) = &source.range {
            let range = format!("bytes={}-{}", range.start, range.end - 1);
            headers.insert("x-amz-copy-source-range", HeaderValue::try_from(range).map_err(unreadable)?);
        }
        let multipart = Some(Multipart::new(number, upload));
        let command = Command::PutObject {
            content: &[],
            content_type: BLOB_CONTENT_TYPE,
            custom_headers: Some(headers),
            multipart,
        };
        let request = ReqwestRequest::new(&self.slow_bucket, path, command).await;
        let answer = match request {
            Ok(request) => request.response_data(false).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => etag(answer.as_slice()),
            Err(error) if is_missing(&error) => Err(Refused::Failed(Error::BlobMissing(source.key.to_string()))),
            Err(S3Error::HttpFailWithBody(400 | 405 | 501, _)) => Err(Refused::Unsupported),
            Err(error) => Err(Refused::Failed(failed(CONTEXT)(error))),
        }
    }

    /// Downloads the content of the blobs in `pieces`, one blob after the other.
    fn bytes_of(&self, pieces: Vec<Piece>) -> ByteStream {
        let backend = self.clone();
        stream::iter(pieces)
            .then(move |piece| {
                let backend = backend.clone();
                async move { backend.get(piece.key, 0..piece.size).await.map(Content::into_stream) }
            })
            .try_flatten()
            .boxed()
    }
}

/// Returns the entity tag in the response to UploadPartCopy. A server that does not support UploadPartCopy handles the request as the
/// upload of an empty part and responds with an empty body.
fn etag(body: &[u8]) -> Result<String, Refused> {
    let text = String::from_utf8_lossy(body);
    match quick_xml::de::from_str::<CopyPartResult>(&text) {
        Ok(result) => Ok(result.etag),
        // S3 reports an error in the body if the copy fails after the status 200 was sent.
        Err(_) if text.contains("<Error>") => Err(Refused::Failed(Error::internal(CONTEXT)(text.into()))),
        Err(_) => Err(Refused::Unsupported),
    }
}

/// Returns the sources of the UploadPartCopy requests. `None` if UploadPartCopy cannot be used, because a blob is too small or there are
/// too many blobs.
fn sources(pieces: &[Piece]) -> Option<Vec<Source>> {
    let (_, others) = pieces.split_last()?;
    if others.iter().any(|piece| piece.size < MIN_PART_BYTES as u64) {
        return None;
    }
    let mut sources = Vec::with_capacity(pieces.len());
    for &Piece { key, size } in pieces {
        if size <= MAX_COPY_BYTES {
            sources.push(Source { key, size, range: None });
            continue;
        }
        // The last part also contains the remainder, which may be too small for a separate part.
        let mut start = 0;
        while start < size {
            let end = if size - start < 2 * COPY_PART_BYTES { size } else { start + COPY_PART_BYTES };
            sources.push(Source { key, size: end - start, range: Some(start..end) });
            start = end;
        }
    }
    (sources.len() as u64 <= MAX_PARTS).then_some(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(sizes: &[u64]) -> Vec<Piece> {
        sizes.iter().map(|&size| Piece { key: BlobKey::fresh(), size }).collect()
    }

    #[test]
    fn only_the_last_part_may_be_small() {
        const LEAST: u64 = MIN_PART_BYTES as u64;
        assert_eq!(sources(&[]), None);
        assert_eq!(sources(&pieces(&[LEAST - 1, LEAST])), None);
        assert_eq!(sources(&pieces(&vec![LEAST; 10_001])), None);
        assert_eq!(sources(&pieces(&[LEAST, LEAST, 1])).unwrap().len(), 3);
        assert_eq!(sources(&pieces(&vec![LEAST; 10_000])).unwrap().len(), 10_000);
    }

    #[test]
    fn what_is_too_large_for_one_copy_is_copied_in_strides() {
        assert!(sources(&pieces(&[MAX_COPY_BYTES])).unwrap().iter().all(|source| source.range.is_none()));
        for size in [MAX_COPY_BYTES + 1, MAX_COPY_BYTES + COPY_PART_BYTES, 5 * 1024_u64.pow(4)] {
            let mut next = 0;
            for source in sources(&pieces(&[size])).unwrap() {
                let range = source.range.unwrap();
                assert_eq!((range.start, source.size), (next, range.end - range.start));
                assert!(source.size >= COPY_PART_BYTES && source.size < 2 * COPY_PART_BYTES);
                next = range.end;
            }
            assert_eq!(next, size);
        }
    }

    #[test]
    fn a_store_without_the_operation_is_noticed() {
        assert!(matches!(etag(b""), Err(Refused::Unsupported)));
        let late = b"<?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code></Error>";
        assert!(matches!(etag(late), Err(Refused::Failed(_))));
        let done = b"<?xml version=\"1.0\"?>  <CopyPartResult><ETag>&quot;abc&quot;</ETag></CopyPartResult>";
        assert!(matches!(etag(done), Ok(etag) if etag == "\"abc\""));
    }
}
