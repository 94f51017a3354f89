//! Everything about storage that a project can set. The gateway fills it from the project's configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cloch_core::Secret;
use cloch_core::min_rate::MinRate;

use crate::backend::NewBlobs;
pub use crate::backend::settings::{BackendSettings, S3Backend};

/// The settings of the storage API, with the defaults of a local project.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where clients reach this server, without a trailing slash (`https://club.example`). Resumable uploads name their own
    /// address to clients; without this it is taken from the request's (forwarded) host.
    pub external_url: Option<String>,
    /// The path below which clients reach this API: resumable uploads and S3 signatures contain it.
    pub base_path: String,
    /// The largest file the project takes, in bytes.
    pub file_size_limit: u64,
    /// Where the bytes are stored.
    pub backend: BackendSettings,
    /// How long a signed URL for an upload is valid.
    pub signed_upload_life: Duration,
    /// How long an unfinished resumable upload is kept after its last byte.
    pub resumable_life: Duration,
    /// The minimum rate of a request's body; slower clients are cut off.
    pub slow_client: MinRate,
    /// Image transformations.
    pub images: Images,
    /// The S3 protocol.
    pub s3_protocol: S3Protocol,
    /// The deletion of bytes that no row names.
    pub sweep: Sweep,
    /// The bytes that cached rows of public and signed objects may take together. Zero turns the cache off.
    pub object_cache_bytes: u64,
    /// What visitors may upload.
    pub visitors: VisitorLimits,
    /// The most bytes that all objects together may have; `None` for any number.
    pub quota: Option<u64>,
    /// Bytes of the disk that stay free: uploads are refused below. Without it a twentieth of the disk, and at most a gibibyte; zero
    /// turns it off.
    pub min_free: Option<u64>,
    /// What holds in single buckets, by their ids.
    pub buckets: BTreeMap<String, BucketSettings>,
    /// Where new blobs are noted for the backup; `None` without a backup.
    pub new_blobs: Option<Arc<NewBlobs>>,
}

/// What holds in one bucket.
#[derive(Clone, Copy, Debug, Default)]
pub struct BucketSettings {
    /// Whether pictures are stored without metadata (place, owner, camera).
    pub strip_metadata: bool,
    /// Seconds after which signed URLs expire at the latest, of other callers than the service key; `None` for any number.
    pub max_signed_url_seconds: Option<u32>,
}

/// What callers without a session (role `anon`) of one network may upload. Zero turns a limit off.
#[derive(Clone, Copy, Debug, Default)]
pub struct VisitorLimits {
    /// Files in an hour.
    pub files_per_hour: u32,
    /// Bytes in an hour.
    pub bytes_per_hour: u64,
    /// Resumable and multipart uploads that are begun and not finished.
    pub unfinished_uploads: u32,
}

/// Limits of image transformations.
#[derive(Clone, Debug)]
pub struct Images {
    /// Whether `/render/image` is served.
    pub enabled: bool,
    /// The largest width and height made; more is silently reduced to this.
    pub max_dimension: u32,
    /// The largest source, in bytes.
    pub max_source_bytes: u64,
    /// The largest source, in pixels (width times height).
    pub max_source_pixels: u64,
    /// Where results are kept; `None` keeps none.
    pub cache_folder: Option<PathBuf>,
    /// How many bytes of results are kept.
    pub cache_bytes: u64,
    /// How many images are rendered at once.
    pub threads: usize,
    /// The memory of all images being rendered, in bytes. One that needs more is refused: a source of more than eight bits a channel and
    /// close to the largest, or one that is enlarged.
    pub max_memory: u64,
}

/// The S3 protocol at `/storage/v1/s3`.
#[derive(Clone, Debug)]
pub struct S3Protocol {
    /// Whether it is served.
    pub enabled: bool,
    /// The region that clients sign for.
    pub region: String,
    /// Key pairs with the rights of the service role.
    pub access_keys: Vec<AccessKey>,
    /// The access key ids of session tokens: the project's reference in each of its forms.
    pub project_refs: Vec<String>,
    /// The secret of session tokens: the anonymous API key. The token itself says who is calling.
    pub anon_key: Secret,
}

/// A key pair of the S3 protocol.
#[derive(Clone, Debug)]
pub struct AccessKey {
    /// The id, which is no secret.
    pub id: String,
    /// The secret that signs.
    pub secret: Secret,
}

/// When leftover bytes are deleted.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// The time between two passes over the store.
    pub interval: Duration,
    /// The age below which orphaned bytes are kept: their row may be about to be written.
    pub grace: Duration,
    /// How long a multipart upload is kept after its last part, and the result of a completed one for a client that repeats the request.
    pub uploads: Duration,
}

impl Settings {
    /// What holds in a bucket.
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
            // A source of so many pixels with eight bits a channel and a colour profile fits.
            max_memory: 640 * 1024 * 1024,
        }
    }
}

/// The key id of session tokens in the CLI's local stack, which every project's clients may be set to.
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
