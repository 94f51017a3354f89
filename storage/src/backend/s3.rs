//! Stores blobs as objects of one bucket of an S3 server: `<prefix>/objects/<version>`.
//!
//! Large blobs are uploaded in parts and downloaded in ranges, so that memory use is small, every request to the S3 server is short, and
//! each failed request can be retried separately. A multipart upload left by a crash is invisible and is aborted by age.

mod assembly;
mod concatenate;
mod presigned_put;
mod spool;

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use ::s3::creds::Credentials;
use ::s3::error::S3Error;
use ::s3::{Bucket, Region};
use bytes::Bytes;
use chrono::DateTime;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use reqwest::Client;
use tokio::task::JoinHandle;

use self::spool::Spool;
use super::settings::S3Backend as Settings;
use super::{Assembly, Backend, BlobKey, ByteStream, Content, Listed, Piece};
use crate::error::{Error, Result};

/// S3's minimum size of a multipart upload's part in bytes, except for the last part.
const MIN_PART_BYTES: usize = 5 * 1024 * 1024;
/// Number of bytes of a large blob that are downloaded per request. Each download holds two ranges of this size in memory.
const RANGE_BYTES: u64 = 1024 * 1024;
/// S3's maximum number of parts of a multipart upload.
const MAX_PARTS: u64 = 10_000;
/// Age after which a multipart upload to the S3 server counts as abandoned. The grace period of the periodic cleanup of orphaned blobs is
/// added to this age.
const STALE_UPLOAD_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const BLOB_CONTENT_TYPE: &str = "application/octet-stream";
const MAX_ATTEMPTS: u8 = 3;
/// Factor by which the timeout is multiplied for requests that copy gigabytes within the S3 server.
const LONG_TIMEOUT_FACTOR: u32 = 15;

/// Storage backend that stores blobs in a bucket of an S3 server.
#[derive(Clone, Debug)]
pub struct S3Backend {
    bucket: Box<Bucket>,
    /// Client of the bucket with a longer timeout, for copies and for the completion of multipart uploads.
    slow_bucket: Box<Bucket>,
    prefix: String,
    spool: PathBuf,
    /// HTTP client for requests with presigned URLs.
    client: Client,
}

impl S3Backend {
    /// Creates a backend for the configured bucket. Sends no request to the S3 server yet.
    ///
    /// # Errors
    /// If the settings are invalid.
    pub fn open(settings: &Settings) -> Result<Self> {
        ::s3::set_retries(MAX_ATTEMPTS);
        cloch_core::tls_provider::install();
        let region = match &settings.endpoint {
            Some(endpoint) => Region::Custom { region: settings.region.clone(), endpoint: endpoint.clone() },
            None => settings.region.parse().map_err(|error| failed("reading the S3 region")(S3Error::Utf8(error)))?,
        };
        let (id, secret) = (&settings.access_key_id, settings.secret_access_key.expose());
        let credentials = Credentials::new(Some(id), Some(secret), None, None, None)
            .map_err(|error| failed("reading the S3 keys")(S3Error::Credentials(error)))?;
        let bucket = Bucket::new(&settings.bucket, region, credentials).map_err(failed("opening the S3 bucket"))?;
        let bucket = if settings.path_style { bucket.with_path_style() } else { bucket };
        let within = |time| bucket.with_request_timeout(time).map_err(failed("opening the S3 bucket"));
        let (bucket, slow_bucket) = (within(settings.timeout)?, within(settings.timeout * LONG_TIMEOUT_FACTOR)?);
        let prefix = settings.prefix.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        let client = presigned_put::client(settings.timeout)?;
        Ok(Self { bucket, slow_bucket, prefix, spool: settings.spool.clone(), client })
    }

    /// Returns the S3 object key of a blob. No other function builds an object key.
    fn path(&self, key: BlobKey) -> String {
        format!("{}objects/{key}", self.prefix)
    }

    async fn write(&self, key: BlobKey, mut body: ByteStream) -> Result<u64> {
        let path = self.path(key);
        let mut parts: Option<MultipartUpload> = None;
        let mut size = 0_u64;
        let mut spool = Spool::new(self.spool.clone());
        loop {
            let ended = match spool.fill(&mut body, part_size(size)).await {
                Ok(ended) => ended,
                Err(error) => return Err(self.abort(&path, parts, error).await),
            };
            size += spool.len() as u64;
            if ended && parts.is_none() {
                self.store(&path, &mut spool).await?;
                return Ok(size);
            }
            let outcome = if spool.len() == 0 { Ok(()) } else { self.send_part(&path, &mut parts, &mut spool).await };
            let outcome = match (outcome, ended) {
                (Ok(()), true) => self.complete(&path, parts.clone().unwrap_or_default()).await,
                (outcome, _) => outcome,
            };
            match outcome {
                Ok(()) if ended => return Ok(size),
                Ok(()) => {}
                Err(error) => return Err(self.abort(&path, parts, error).await),
            }
        }
    }

    /// Stores an object with a single PUT request. The object must fit into one part.
    async fn store(&self, path: &str, spool: &mut Spool) -> Result<()> {
        self.send(path, HashMap::new(), spool).await?;
        spool.clear().await
    }

    /// Uploads the next part of an object. Initiates the multipart upload before the first part.
    async fn send_part(&self, path: &str, parts: &mut Option<MultipartUpload>, spool: &mut Spool) -> Result<()> {
        let parts = match parts {
            Some(parts) => parts,
            None => {
                let begun = self.bucket.initiate_multipart_upload(path, BLOB_CONTENT_TYPE).await;
                parts.insert(MultipartUpload {
                    upload: begun.map_err(failed("storing an object"))?.upload_id,
                    etags: Vec::new(),
                })
            }
        };
        let number = parts.etags.len() + 1;
        let query = [("partNumber", number.to_string()), ("uploadId", parts.upload.clone())];
        let query = query.map(|(name, value)| (name.to_owned(), value)).into();
        parts.etags.push(self.send(path, query, spool).await?);
        spool.clear().await
    }

    async fn complete(&self, path: &str, parts: MultipartUpload) -> Result<()> {
        let numbered = (1..).zip(parts.etags).map(|(part_number, etag)| ::s3::serde_types::Part { part_number, etag });
        let joined = self.slow_bucket.complete_multipart_upload(path, &parts.upload, numbered.collect()).await;
        joined.map(drop).map_err(failed("joining the parts of an object"))
    }

    async fn abort(&self, path: &str, parts: Option<MultipartUpload>, error: Error) -> Error {
        if let Some(parts) = parts
            && let Err(abort) = self.bucket.abort_upload(path, &parts.upload).await
        {
            tracing::warn!(
                error = %abort,
                object = path,
                upload_id = parts.upload,
                "storage: aborting a multipart upload on the S3 server failed, the sweep (periodic cleanup) retries"
            );
        }
        error
    }

    async fn range(&self, key: BlobKey, range: Range<u64>) -> Result<Bytes> {
        let length = range.end - range.start;
        if length == 0 {
            return Ok(Bytes::new());
        }
        let got = self.bucket.get_object_range(self.path(key), range.start, Some(range.end - 1)).await;
        let bytes = match got {
            Ok(response) => response.into_bytes(),
            Err(error) if is_missing(&error) => return Err(Error::BlobMissing(key.to_string())),
            Err(error) => return Err(failed("reading an object")(error)),
        };
        match bytes.len() as u64 == length {
            true => Ok(bytes),
            false => Err(Error::internal("reading an object")("the S3 server sent a wrong number of bytes".into())),
        }
    }

    /// Downloads a range of a blob in pieces of [`RANGE_BYTES`]. The next piece is downloaded while the previous piece is sent to the
    /// client.
    fn pieces(&self, key: BlobKey, range: Range<u64>) -> ByteStream {
        type Fetching = (JoinHandle<Result<Bytes>>, u64);
        let next = move |backend: &Self, start: u64, end: u64| -> Option<Fetching> {
            (start < end).then(|| {
                let (backend, stop) = (backend.clone(), end.min(start + RANGE_BYTES));
                (tokio::spawn(async move { backend.range(key, start..stop).await }), stop)
            })
        };
        let (backend, end) = (self.clone(), range.end);
        stream::unfold(next(self, range.start, end), move |fetching| {
            let backend = backend.clone();
            async move {
                let (fetching, stop) = fetching?;
                match fetching.await {
                    Ok(Ok(bytes)) => Some((Ok(bytes), next(&backend, stop, end))),
                    Ok(Err(error)) => Some((Err(error), None)),
                    Err(error) => Some((Err(Error::internal("reading an object")(error.into())), None)),
                }
            }
        })
        .boxed()
    }
}

/// A multipart upload to the S3 server, and the entity tags of its parts.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
struct MultipartUpload {
    upload: String,
    etags: Vec<String>,
}

/// Returns the size in bytes of the next part of a multipart upload. The size grows with the bytes sent so far, so that the largest object
/// that S3 allows fits into [`MAX_PARTS`] parts.
fn part_size(sent: u64) -> usize {
    let by_number = usize::try_from(sent / (MAX_PARTS / 10)).unwrap_or(MIN_PART_BYTES);
    by_number.max(MIN_PART_BYTES)
}

/// Whether the error means that an object is missing. A missing bucket also has status 404, but it counts as a wrong configuration and not
/// as a missing object.
fn is_missing(error: &S3Error) -> bool {
    matches!(error, S3Error::HttpFailWithBody(404, _)) && !is_unusable(error)
}

/// Whether the S3 server responded that the bucket does not exist or that the access keys are invalid. Only the operator can resolve these
/// errors.
fn is_unusable(error: &S3Error) -> bool {
    match error {
        S3Error::HttpFailWithBody(401 | 403, _) => true,
        S3Error::HttpFailWithBody(404, body) => body.contains("NoSuchBucket"),
        _ => false,
    }
}

fn failed(context: &'static str) -> impl FnOnce(S3Error) -> Error {
    move |source| match &source {
        S3Error::HttpFailWithBody(507, _) => Error::OutOfSpace("The object store is full"),
        // Connection error, timeout, or temporary error of the S3 server: the request may be repeated later.
        S3Error::Reqwest(_) | S3Error::Io(_) | S3Error::HttpFailWithBody(429 | 500.., _) => {
            Error::StoreAway(source.into())
        }
        _ if is_unusable(&source) => Error::StoreAway(source.into()),
        _ => Error::Internal { context, source: source.into() },
    }
}

impl Backend for S3Backend {
    fn put(&self, key: BlobKey, body: ByteStream) -> BoxFuture<'_, Result<u64>> {
        self.write(key, body).boxed()
    }

    fn get(&self, key: BlobKey, range: Range<u64>) -> BoxFuture<'_, Result<Content>> {
        async move {
            // Download the first piece before the response starts, so that a missing blob produces an error response instead of a truncated
            // body.
            let first = range.end.min(range.start + RANGE_BYTES);
            let bytes = self.range(key, range.start..first).await?;
            if first == range.end {
                return Ok(Content::Whole(bytes));
            }
            let rest = self.pieces(key, first..range.end);
            Ok(Content::Stream(stream::iter([Ok(bytes)]).chain(rest).boxed()))
        }
        .boxed()
    }

    fn copy(&self, from: BlobKey, to: BlobKey) -> BoxFuture<'_, Result<()>> {
        self.copy_blob(from, to).boxed()
    }

    fn concatenate(&self, key: BlobKey, pieces: Vec<Piece>) -> BoxFuture<'_, Result<u64>> {
        self.join_blobs(key, pieces).boxed()
    }

    fn delete(&self, key: BlobKey) -> BoxFuture<'_, Result<()>> {
        async move {
            match self.bucket.delete_object(self.path(key)).await {
                Err(error) if !is_missing(&error) => Err(failed("deleting an object")(error)),
                _ => Ok(()),
            }
        }
        .boxed()
    }

    fn list(&self, after: Option<BlobKey>, limit: usize) -> BoxFuture<'_, Result<Vec<Listed>>> {
        async move {
            let folder = format!("{}objects/", self.prefix);
            let mut after = after.map(|key| self.path(key));
            loop {
                let page = self.bucket.list_page(folder.clone(), None, None, after, Some(limit)).await;
                let (page, _) = page.map_err(failed("listing the S3 bucket"))?;
                let listed = page.contents.iter().filter_map(|object| {
                    let key = BlobKey::parse(object.key.strip_prefix(&folder)?)?;
                    let modified = DateTime::parse_from_rfc3339(&object.last_modified).ok()?;
                    Some(Listed { key, modified: modified.into(), size: object.size })
                });
                let listed: Vec<Listed> = listed.collect();
                match page.contents.last() {
                    // The page contains only objects that other programs stored. An empty result would end the caller's loop, so request
                    // the next page.
                    Some(last) if listed.is_empty() => after = Some(last.key.clone()),
                    _ => return Ok(listed),
                }
            }
        }
        .boxed()
    }

    fn append(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> BoxFuture<'_, Result<Assembly>> {
        self.append_part(key, assembly, body).boxed()
    }

    fn assemble(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>> {
        self.assemble_parts(key, assembly).boxed()
    }

    fn abandon(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>> {
        self.abandon_parts(key, assembly).boxed()
    }

    fn clear_unfinished(&self, before: SystemTime) -> BoxFuture<'_, Result<u64>> {
        async move {
            let Some(before) = before.checked_sub(STALE_UPLOAD_AGE) else { return Ok(0) };
            let folder = format!("{}objects/", self.prefix);
            let pages = self.bucket.list_multiparts_uploads(Some(&folder), None).await;
            let mut cleared = 0;
            for upload in pages.map_err(failed("listing uploads in parts"))?.iter().flat_map(|page| &page.uploads) {
                let begun = DateTime::parse_from_rfc3339(&upload.initiated).map(SystemTime::from);
                if begun.is_ok_and(|begun| begun < before) {
                    let aborted = self.bucket.abort_upload(&upload.key, &upload.id).await;
                    aborted.map_err(failed("aborting an upload in parts"))?;
                    cleared += 1;
                }
            }
            Ok(cleared)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_bucket_and_refused_keys_are_no_missing_object() {
        let failure =
            |status, code: &str| S3Error::HttpFailWithBody(status, format!("<Error><Code>{code}</Code></Error>"));
        for error in [failure(404, "NoSuchBucket"), failure(403, "InvalidAccessKeyId"), failure(403, "AccessDenied")] {
            assert!(!is_missing(&error), "{error}");
            let error = failed("storing an object")(error);
            assert!(matches!(error, Error::StoreAway(_)), "{error}");
            assert!(error.with_cause().contains("<Code>"), "{}", error.with_cause());
        }
        assert!(is_missing(&failure(404, "NoSuchKey")));
        assert!(matches!(failed("reading")(failure(400, "InvalidRequest")), Error::Internal { .. }));
    }

    #[test]
    fn the_largest_object_fits_into_the_parts() {
        let (mut sent, mut parts) = (0_u64, 0);
        while sent < 5 * 1024_u64.pow(4) {
            sent += part_size(sent) as u64;
            parts += 1;
        }
        assert!(parts <= MAX_PARTS, "{parts}");
    }
}
