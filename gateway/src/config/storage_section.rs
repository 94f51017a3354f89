//! `[storage]` of cloch.toml: the object store, its quota, and the sweep of leftover bytes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cloch_core::Secret;
use cloch_storage::settings::Sweep;
use http::uri::Authority;
use serde::Deserialize;

use super::config_toml::ByteSize;

/// `[storage]` of cloch.toml.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct StorageSection {
    /// Another folder for the files than `objects` in the data folder.
    pub folder: Option<PathBuf>,
    /// `[storage.s3]`: an S3 server holds the files, so that several nodes can serve one project.
    pub s3: Option<S3>,
    /// A host of its own for files, `host[:port]`, which leads to this server too: files are not served at the app's host then.
    pub public_host: Option<PublicHost>,
    /// The most bytes that all files together may have.
    pub quota: Option<ByteSize>,
    /// Bytes of the disk that stay free; a twentieth of it, and at most 1 GiB, where nothing is said.
    pub min_free: Option<ByteSize>,
    /// Seconds between two passes that clear away bytes without a row.
    pub sweep_interval: u64,
    /// Seconds for which bytes without a row are left alone: an upload's row is written after its bytes.
    pub sweep_grace: u64,
    /// Seconds for which an upload in parts (S3) waits for its next part, or for being completed.
    pub sweep_uploads: u64,
    /// `[storage.buckets.<id>]`.
    pub buckets: BTreeMap<String, BucketFiles>,
}

/// The host and port of a URL.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(try_from = "String")]
pub struct PublicHost(pub Authority);

impl TryFrom<String> for PublicHost {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let host = text.parse::<Authority>().ok().filter(|host| !host.as_str().contains('@'));
        host.map(Self).ok_or_else(|| format!("{text:?} is no host name with an optional port"))
    }
}

/// `[storage.buckets.<id>]` of cloch.toml: what the Supabase CLI's table of that name does not know.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub struct BucketFiles {
    /// Whether pictures are stored without metadata: place, owner, camera, comments. One that cannot be taken apart to its end is refused.
    pub strip_metadata: bool,
    /// Seconds after which a signed URL expires at the latest; a longer one is refused, unless the service key asks for it.
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

/// `[storage.s3]` of cloch.toml.
#[derive(Clone, Debug, Deserialize)]
pub struct S3 {
    /// Its URL; absent for AWS itself.
    pub endpoint: Option<String>,
    /// Its region.
    #[serde(default = "default_region")]
    pub region: String,
    /// The bucket, which must exist.
    pub bucket: String,
    /// A folder inside the bucket.
    #[serde(default)]
    pub prefix: String,
    /// The access key's id.
    pub access_key_id: String,
    /// Its secret.
    pub secret_access_key: Secret,
    /// `host/bucket/key` instead of `bucket.host/key`.
    #[serde(default)]
    pub path_style: bool,
}

fn default_region() -> String {
    "us-east-1".to_owned()
}
