//! Backup target in an S3 bucket. Each file is written with one PUT request, so it appears as a whole or not at all.

use ::s3::creds::Credentials;
use ::s3::error::S3Error;
use ::s3::{Bucket, Region};
use bytes::{Bytes, BytesMut};
use chrono::DateTime;
use futures_util::StreamExt;

use super::{Entry, MAX_FILE_BYTES, S3Access};
use crate::error::{BackupError, Result};

#[derive(Clone, Debug)]
pub(super) struct S3 {
    bucket: Box<Bucket>,
    /// Key prefix of all files of the backup target. It is empty or ends with a slash.
    prefix: String,
}

impl S3 {
    pub(super) fn open(bucket: &str, prefix: &str, access: &S3Access) -> Result<Self> {
        cloch_core::tls_provider::install();
        let refused = |error: String| BackupError::Refused(format!("s3://{bucket}: {error}"));
        let region_name = if access.region.is_empty() { "us-east-1" } else { &access.region };
        let region = match &access.endpoint {
            Some(endpoint) => Region::Custom { region: region_name.to_owned(), endpoint: endpoint.clone() },
            None => region_name.parse::<Region>().map_err(|error| refused(error.to_string()))?,
        };
        let (id, secret) = (access.access_key_id.as_str(), access.secret_access_key.expose());
        let credentials =
            Credentials::new(Some(id), Some(secret), None, None, None).map_err(|error| refused(error.to_string()))?;
        let bucket = Bucket::new(bucket, region, credentials).map_err(|error| refused(error.to_string()))?;
        let bucket = if access.path_style { bucket.with_path_style() } else { bucket };
        let prefix = prefix.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Ok(Self { bucket, prefix })
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub(super) async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        self.bucket.put_object(self.key(name), bytes).await.map(drop).map_err(|error| error.to_string())
    }

    pub(super) async fn get(&self, name: &str) -> Result<Option<Bytes>, String> {
        match self.read(name).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(S3Error::HttpFailWithBody(404, _)) => Ok(None),
            // The connection was closed during the download, so read the file again.
            Err(S3Error::Reqwest(_)) => self.read(name).await.map(Some).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Reads a file. Fails for files that are larger than any file of a backup. Such files may exist because other people may write to the
    /// backup target.
    async fn read(&self, name: &str) -> Result<Bytes, S3Error> {
        let mut response = self.bucket.get_object_stream(self.key(name)).await?;
        let mut bytes = BytesMut::new();
        while let Some(chunk) = response.bytes().next().await {
            bytes.extend_from_slice(&chunk?);
            if bytes.len() as u64 > MAX_FILE_BYTES {
                return Err(S3Error::Io(std::io::Error::other(format!("{name} is larger than any file of a backup"))));
            }
        }
        Ok(bytes.freeze())
    }

    pub(super) async fn list(&self, folder_name: &str) -> Result<Vec<Entry>, String> {
        let pages = self.bucket.list(self.key(folder_name), None).await.map_err(|error| error.to_string())?;
        let objects = pages.into_iter().flat_map(|page| page.contents);
        // An entry that cannot be parsed is an error, because a file that is missing in the list would count as lost.
        let entries = objects.filter_map(|object| {
            let name = object.key.strip_prefix(&self.prefix)?.to_owned();
            let modified = DateTime::parse_from_rfc3339(&object.last_modified);
            let modified = modified.map_err(|error| format!("the list of {name} has no time: {error}"));
            Some(modified.map(|modified| Entry { name, size: object.size, modified: modified.into() }))
        });
        entries.collect()
    }

    pub(super) async fn delete(&self, name: &str) -> Result<(), String> {
        match self.bucket.delete_object(self.key(name)).await {
            Ok(_) | Err(S3Error::HttpFailWithBody(404, _)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}
