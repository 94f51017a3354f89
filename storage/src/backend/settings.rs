//! Where the bytes are stored, as a project can set it.

use std::path::PathBuf;
use std::time::Duration;

use cloch_core::Secret;

/// Where the bytes are stored.
#[derive(Clone, Debug)]
pub enum BackendSettings {
    /// In a folder of this machine.
    File {
        /// The folder; made if absent.
        folder: PathBuf,
    },
    /// In a bucket of an S3 server, so that several nodes can serve one project.
    S3(S3Backend),
}

/// How to reach the S3 bucket that holds all bytes.
#[derive(Clone, Debug)]
pub struct S3Backend {
    /// The server's URL; `None` for AWS itself.
    pub endpoint: Option<String>,
    /// The region's name.
    pub region: String,
    /// The bucket's name. It must exist.
    pub bucket: String,
    /// A folder inside the bucket, without slashes at the ends; empty for none.
    pub prefix: String,
    /// The access key's id.
    pub access_key_id: String,
    /// Its secret.
    pub secret_access_key: Secret,
    /// Whether the bucket is part of the path (`host/bucket/key`) or of the host name.
    pub path_style: bool,
    /// How long one request to the server may take.
    pub timeout: Duration,
    /// A folder of this machine for bytes on their way; made if absent.
    pub spool: PathBuf,
}
