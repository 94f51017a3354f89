//! Settings of the storage API. The gateway fills them from the project's configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cloch_core::Secret;
use cloch_core::min_rate::MinRate;

use crate::backend::NewBlobs;
pub use crate::backend::settings::{BackendSettings, S3Backend};

/// Settings of the storage API. The defaults suit a local project.
#[derive(Clone, Debug)]
pub struct Settings {
    /// External URL of this server without a trailing slash (`https://club.example`), used in the `Location` of resumable uploads. `None`
    /// derives the URL from the (forwarded) host of each request.
    pub external_url: Option<String>,
    /// External path of the storage API, which resumable upload URLs and S3 signatures contain.
    pub base_path: String,
    /// Maximum size of an object in bytes.
    pub file_size_limit: u64,
    /// Backend that stores the content of objects.
    pub backend: BackendSettings,
    /// Validity period of signed upload URLs.
    pub signed_upload_life: Duration,
    /// Time without received bytes after which an unfinished resumable upload expires.
    pub resumable_life: Duration,
    /// Minimum transfer rate of a request body. Slower clients are disconnected.
    pub slow_client: MinRate,
    /// Settings of image transformations.
    pub images: Images,
    /// Settings of the S3 protocol.
    pub s3_protocol: S3Protocol,
    /// Settings of the periodic cleanup, which deletes orphaned blobs.
    pub sweep: Sweep,
    /// Maximum memory in bytes of cached rows of public and signed objects. 0 disables the cache.
    pub object_cache_bytes: u64,
    /// Upload limits of visitors (callers without a session).
    pub visitors: VisitorLimits,
    /// Maximum total size of all objects in bytes; `None` for no limit.
    pub quota: Option<u64>,
    /// Bytes of the disk that stay free; uploads are refused if less is free. `None` keeps a twentieth of the disk, at most 1 GiB, free; 0
    /// disables the check.
    pub min_free: Option<u64>,
    /// Settings of individual buckets, by bucket id.
    pub buckets: BTreeMap<String, BucketSettings>,
    /// Queue of new blobs that the backup must copy; `None` if the backup is disabled.
    pub new_blobs: Option<Arc<NewBlobs>>,
}

/// Settings of one bucket.
#[derive(Clone, Copy, Debug, Default)]
pub struct BucketSettings {
    /// Whether images are stored without metadata (location, author, camera).
    pub strip_metadata: bool,
    /// Maximum validity of a signed URL in seconds, except for URLs signed by the service role; `None` for no limit.
    pub max_signed_url_seconds: Option<u32>,
}

/// Upload limits of visitors (callers without a session, role `anon`) per network (an IPv4 address or an IPv6 /64). The value 0 disables a
/// limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct VisitorLimits {
    /// Maximum number of files that visitors from one network (an IPv4 address or an IPv6 /64) may upload per hour.
    pub files_per_hour: u32,
    /// Maximum number of bytes that visitors from one network (an IPv4 address or an IPv6 /64) may upload per hour.
    pub bytes_per_hour: u64,
    /// Maximum number of unfinished resumable and multipart uploads of visitors from one network (an IPv4 address or an IPv6 /64).
    pub unfinished_uploads: u32,
}

/// Limits of image transformations.
#[derive(Clone, Debug)]
pub struct Images {
    /// Whether `/render/image` is enabled.
    pub enabled: bool,
    /// Maximum width and height of a rendered image in pixels. Larger requested values are reduced without an error.
    pub max_dimension: u32,
    /// Maximum size of a source image in bytes.
    pub max_source_bytes: u64,
    /// Maximum size of a source image in pixels (width times height).
    pub max_source_pixels: u64,
    /// Folder of the cache of rendered images; `None` disables the cache.
    pub cache_folder: Option<PathBuf>,
    /// Maximum size of the cache of rendered images in bytes.
    pub cache_bytes: u64,
    /// Maximum number of images rendered concurrently.
    pub threads: usize,
    /// Maximum memory in bytes for all images that are being rendered. A single image that needs more memory is refused. An example is a
    /// source image close to the maximum size with more than 8 bits per channel.
    pub max_memory: u64,
}

/// The S3 protocol at `/storage/v1/s3`.
#[derive(Clone, Debug)]
pub struct S3Protocol {
    /// Whether the S3 protocol is enabled.
    pub enabled: bool,
    /// Region in the credential scope of S3 signatures.
    pub region: String,
    /// Key pairs that have the rights of the service role.
    pub access_keys: Vec<AccessKey>,
    /// Access key ids that are accepted in requests with a session token: the project's id, the project's reference, and `stub` (the id in
    /// the local stack of the Supabase CLI).
    pub project_refs: Vec<String>,
    /// Secret access key of requests with a session token: the anonymous API key. The session token identifies the caller.
    pub anon_key: Secret,
}

/// A key pair of the S3 protocol.
#[derive(Clone, Debug)]
pub struct AccessKey {
    /// Access key id, which is not confidential.
    pub id: String,
    /// Secret access key, used for signatures.
    pub secret: Secret,
}

/// Timing of the periodic cleanup, which deletes orphaned blobs.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Time between two periodic cleanups.
    pub interval: Duration,
    /// Minimum age of an orphaned blob before it is deleted. A younger blob may belong to a row that is about to be written.
    pub grace: Duration,
    /// Time without received parts after which an S3 multipart upload expires. The result of a completed upload is kept for the same time,
    /// because clients may repeat the completion request.
    pub uploads: Duration,
}

impl Settings {
    /// Returns the settings of a bucket, or the defaults if none are configured.
    pub(crate) fn bucket(&self, id: &str) -> BucketSettings {
        self.buckets.get(id).copied().unwrap_or_default()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            external_url: None,
            base_path: "/storage/v1".to_owned(),
            file_size_limit: 50 * 1024 * 1024,
            backend: BackendSettings::File { folder: PathBuf::from(".cloch/objects") },
            signed_upload_life: Duration::from_secs(2 * 60 * 60),
            resumable_life: Duration::from_secs(24 * 60 * 60),
            slow_client: MinRate::default(),
            images: Images::default(),
            s3_protocol: S3Protocol::default(),
            sweep: Sweep::default(),
            object_cache_bytes: 16 * 1024 * 1024,
            visitors: VisitorLimits::default(),
            quota: None,
            min_free: None,
            buckets: BTreeMap::new(),
            new_blobs: None,
        }
    }
}

impl Default for Sweep {
    fn default() -> Self {
        let hour = Duration::from_secs(60 * 60);
        Self { interval: hour, grace: hour, uploads: 24 * hour }
    }
}

impl Default for Images {
    fn default() -> Self {
        Self {
            enabled: true,
            max_dimension: 2000,
            max_source_bytes: 25 * 1024 * 1024,
            max_source_pixels: 50_000_000,
            cache_folder: None,
            cache_bytes: 256 * 1024 * 1024,
            threads: 2,
            // Enough memory for a source of `max_source_pixels` with 8 bits per channel and a colour profile.
            max_memory: 640 * 1024 * 1024,
        }
    }
}

/// Access key id of requests with a session token in the local stack of the Supabase CLI. Clients of any project may be configured with
/// this id.
const LOCAL_PROJECT_REF: &str = "stub";

impl Default for S3Protocol {
    fn default() -> Self {
        Self {
            enabled: true,
            region: "local".to_owned(),
            access_keys: Vec::new(),
            project_refs: vec![LOCAL_PROJECT_REF.to_owned()],
            anon_key: Secret::default(),
        }
    }
}
