//! Settings of the storage backend.

use std::path::PathBuf;
use std::time::Duration;

use cloch_core::Secret;

/// Configured backend that stores the content of objects.
#[derive(Clone, Debug)]
pub enum BackendSettings {
    /// A folder of this machine, which contains all blobs.
    File {
        /// Path of the folder, which is created if absent.
        folder: PathBuf,
    },
    /// A bucket of an S3 server. Several nodes that serve the same project can use the same bucket.
    S3(S3Backend),
}

/// Settings of the S3 bucket that stores the content of all objects.
#[derive(Clone, Debug)]
pub struct S3Backend {
    /// URL of the S3 server; `None` for AWS.
    pub endpoint: Option<String>,
    /// Region of the S3 bucket.
    pub region: String,
    /// Name of the S3 bucket, which must exist.
    pub bucket: String,
    /// Prefix of all object keys in the bucket, without leading and trailing slashes. Empty for no prefix.
    pub prefix: String,
    /// Id of the S3 access key.
    pub access_key_id: String,
    /// Secret of the S3 access key.
    pub secret_access_key: Secret,
    /// Whether the bucket name is part of the URL's path (`host/bucket/key`) instead of the host name.
    pub path_style: bool,
    /// Timeout of one request to the S3 server.
    pub timeout: Duration,
    /// Folder of this machine for temporary files, which is created if absent.
    pub spool: PathBuf,
}
