//! Types of `[storage]` in cloch.toml: the object store, its quota, and the sweep of unreferenced files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cloch_core::Secret;
use cloch_storage::settings::Sweep;
use http::uri::Authority;
use serde::Deserialize;

use super::config_toml::ByteSize;

/// `[storage]` of cloch.toml: location, limits and sweep of the object store.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct StorageSection {
    /// Folder for uploaded files. Default: `objects` in the data folder.
    pub folder: Option<PathBuf>,
    /// `[storage.s3]`: an S3 server that stores the files, so that several nodes can serve one project.
    pub s3: Option<S3>,
    /// Separate host for files, `host[:port]`, whose requests also reach this server. If it is set, files are not served at the app's host.
    pub public_host: Option<PublicHost>,
    /// Maximum total size of all files.
    pub quota: Option<ByteSize>,
    /// Disk space that uploads must leave free. Default: a twentieth of the disk, at most 1 GiB.
    pub min_free: Option<ByteSize>,
    /// Seconds between two passes of the sweep, which deletes files without a row.
    pub sweep_interval: u64,
    /// Minimum age in seconds at which the sweep deletes files without a row: an upload writes its row after its file.
    pub sweep_grace: u64,
    /// Seconds after which an S3 multipart upload without a new part is aborted.
    pub sweep_uploads: u64,
    /// Section `[storage.buckets.<id>]`.
    pub buckets: BTreeMap<String, BucketFiles>,
}

/// Maximum length of a host name (RFC 1035, section 2.3.4).
const MAX_HOST_LENGTH: usize = 253;

/// A host name with an optional port, as in a URL.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(try_from = "String")]
pub struct PublicHost(pub Authority);

impl TryFrom<String> for PublicHost {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let host = text.parse::<Authority>().ok().filter(|host| {
            let port = host.as_str().strip_prefix(host.host()).unwrap_or_default();
            !host.as_str().contains('@')
                && host.host().len() <= MAX_HOST_LENGTH
                && port.is_empty() == host.port_u16().is_none()
        });
        host.map(Self).ok_or_else(|| format!("{text:?} is no host name with an optional port"))
    }
}

/// `[storage.buckets.<id>]` of cloch.toml: settings that the Supabase CLI's table of that name does not have.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct BucketFiles {
    /// Whether metadata is removed from images: location, owner, camera, comments. Images that cannot be parsed completely are refused.
    pub strip_metadata: bool,
    /// Maximum validity of a signed URL in seconds. Requests for a longer validity are refused unless they are made with the secret key.
    pub max_signed_url_seconds: Option<u32>,
}

impl Default for StorageSection {
    fn default() -> Self {
        let Sweep { interval, grace, uploads } = Sweep::default();
        Self {
            folder: None,
            s3: None,
            public_host: None,
            quota: None,
            min_free: None,
            sweep_interval: interval.as_secs(),
            sweep_grace: grace.as_secs(),
            sweep_uploads: uploads.as_secs(),
            buckets: BTreeMap::new(),
        }
    }
}

/// `[storage.s3]` of cloch.toml: the S3 server that stores uploaded files.
#[derive(Clone, Debug, Deserialize)]
pub struct S3 {
    /// URL of the S3 server. Default: AWS.
    pub endpoint: Option<String>,
    /// Region of the bucket.
    #[serde(default = "default_region")]
    pub region: String,
    /// Name of the bucket, which must exist.
    pub bucket: String,
    /// Folder inside the bucket.
    #[serde(default)]
    pub prefix: String,
    /// ID of the S3 access key.
    pub access_key_id: String,
    /// Secret of the S3 access key.
    pub secret_access_key: Secret,
    /// Whether requests use path-style URLs (`host/bucket/key`) instead of virtual-hosted URLs (`bucket.host/key`).
    #[serde(default)]
    pub path_style: bool,
}

fn default_region() -> String {
    "us-east-1".to_owned()
}
