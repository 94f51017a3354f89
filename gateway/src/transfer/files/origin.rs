//! Sources from which stored files are copied: the storage REST API or the S3 protocol of the source project, or a folder that `cloch export`
//! has written.

use std::path::PathBuf;
use std::time::Duration;

use cloch_core::Secret;
use cloch_storage::backend::ByteStream;
use futures_util::{StreamExt, TryStreamExt};
use http::StatusCode;
use http::header::ETAG;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use s3::creds::Credentials;
use s3::{Bucket, Region};
use tokio_util::io::ReaderStream;
use url::Url;

use super::{FileRecord, tree};
use crate::error::CommandError;

/// A download fails if no data is received for this time.
const READ_TIMEOUT: Duration = Duration::from_secs(60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// Validity of a presigned URL in seconds.
const SIGNATURE_SECONDS: u32 = 300;
/// Characters that are not percent-encoded in a path.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// How this program reads the stored files of the source project.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    /// The storage REST API of the source, with the source's secret key.
    Rest {
        /// URL of the project, such as `https://ref.supabase.co`.
        api: Url,
        key: Secret,
    },
    S3 {
        endpoint: Url,
        region: String,
        key_id: String,
        secret: Secret,
    },
    /// Folder written by `cloch export`.
    Folder(PathBuf),
}

/// The source from which files are copied, with its HTTP client.
pub(in super::super) struct Origin {
    access: Access,
    client: reqwest::Client,
}

/// A file whose download has started.
pub(super) struct Opened {
    pub body: ByteStream,
    /// ETag in the source's response; `None` for a local file.
    pub etag: Option<String>,
}

/// Error: the source refused to return a file, with this HTTP status. Only 429 and 5xx are temporary and retried.
#[derive(Debug, thiserror::Error)]
#[error("the source answers {0}")]
struct Refused(StatusCode);

impl Origin {
    pub(in super::super) fn new(access: Access) -> Result<Self, CommandError> {
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            // Redirects are not followed, because a redirect could send the key to another server.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        Ok(Self { access, client })
    }

    pub(super) fn is_final(&self, error: &CommandError) -> bool {
        matches!(self.access, Access::Folder(_)) || error.downcast_ref::<Refused>().is_some_and(|r| !is_temporary(r.0))
    }

    /// Starts to read a file from the source.
    pub(super) async fn open(&self, record: &FileRecord) -> Result<Opened, CommandError> {
        let request = match &self.access {
            Access::Folder(folder) => return open_local(folder, record).await,
            Access::Rest { api, key } => self.rest(api, key, record)?,
            Access::S3 { endpoint, region, key_id, secret } => {
                self.client.get(presigned(endpoint, region, key_id, secret, record).await?)
            }
        };
        let answer = request.send().await.map_err(reqwest::Error::without_url)?;
        if !answer.status().is_success() {
            return Err(Refused(answer.status()).into());
        }
        let etag = answer.headers().get(ETAG).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = answer.bytes_stream().map_err(|error| {
            cloch_storage::Error::internal("reading a file of the source")(error.without_url().into())
        });
        Ok(Opened { body: body.boxed(), etag })
    }

    /// Checks whether the source returns the content of this file. Called by a dry run.
    pub(in super::super) async fn check(&self, record: &FileRecord) -> Result<(), CommandError> {
        self.open(record).await.map(drop)
    }

    fn rest(&self, api: &Url, key: &Secret, record: &FileRecord) -> Result<reqwest::RequestBuilder, CommandError> {
        let encode = |text: &str| utf8_percent_encode(text, PATH).to_string();
        let path = format!(
            "{}/storage/v1/object/authenticated/{}/{}",
            api.as_str().trim_end_matches('/'),
            encode(&record.bucket),
            encode(&record.name)
        );
        let request = self.client.get(Url::parse(&path)?).header("apikey", key.expose());
        // Keys of the form `sb_…` are no JWTs, so they are not sent as bearer tokens.
        Ok(if key.expose().starts_with("sb_") { request } else { request.bearer_auth(key.expose()) })
    }
}

fn is_temporary(status: StatusCode) -> bool {
    status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS
}

async fn presigned(
    endpoint: &Url,
    region: &str,
    key_id: &str,
    secret: &Secret,
    record: &FileRecord,
) -> Result<String, CommandError> {
    let region =
        Region::Custom { region: region.to_owned(), endpoint: endpoint.as_str().trim_end_matches('/').to_owned() };
    let credentials = Credentials::new(Some(key_id), Some(secret.expose()), None, None, None)?;
    let bucket = Bucket::new(&record.bucket, region, credentials)?.with_path_style();
    Ok(bucket.presign_get(format!("/{}", record.name), SIGNATURE_SECONDS, None).await?)
}

async fn open_local(folder: &std::path::Path, record: &FileRecord) -> Result<Opened, CommandError> {
    let file = tree::open(folder, record)?;
    let body = ReaderStream::new(tokio::fs::File::from_std(file))
        .map_err(|error| cloch_storage::Error::internal("reading a file of the folder")(error.into()));
    Ok(Opened { body: body.boxed(), etag: None })
}
