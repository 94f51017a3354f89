//! The storage API's settings, from config.toml's and cloch.toml's `[storage]`.

use std::path::PathBuf;
use std::time::Duration;

use cloch_sql::Secret;
use cloch_storage::settings::{
    AccessKey, BackendSettings, Images, S3Backend, S3Protocol, SlowClient, Sweep, VisitorLimits,
};
use cloch_storage::{BucketSeed, Settings, StorageState};
use serde::Deserialize;

use super::Shared;
use crate::command::CommandError;
use crate::config::project::ByteSize;
use crate::config::{Config, ConfigError, SLOW_CLIENT_BYTES, Secrets};

/// `[storage]` of cloch.toml.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Own {
    /// Another folder for the files than `objects` in the data folder.
    folder: Option<PathBuf>,
    /// `[storage.s3]`: an S3 server holds the files, so that several nodes can serve one project.
    s3: Option<OwnS3>,
    /// The most bytes that all files together may have.
    quota: Option<ByteSize>,
    /// Bytes of the disk that stay free; a twentieth of it, and at most 1 GiB, where nothing is said.
    min_free: Option<ByteSize>,
    /// Seconds between two passes that clear away bytes without a row.
    sweep_interval: u64,
    /// Seconds for which bytes without a row are left alone: an upload's row is written after its bytes.
    sweep_grace: u64,
    /// Seconds for which an upload in parts (S3) waits for its next part, or for being completed.
    sweep_uploads: u64,
}

impl Default for Own {
    fn default() -> Self {
        let Sweep { interval, grace, uploads } = Sweep::default();
        Self {
            folder: None,
            s3: None,
            quota: None,
            min_free: None,
            sweep_interval: interval.as_secs(),
            sweep_grace: grace.as_secs(),
            sweep_uploads: uploads.as_secs(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnS3 {
    /// Its URL; absent for AWS itself.
    endpoint: Option<String>,
    #[serde(default = "default_region")]
    region: String,
    bucket: String,
    #[serde(default)]
    prefix: String,
    access_key_id: String,
    secret_access_key: Secret,
    /// `host/bucket/key` instead of `bucket.host/key`.
    #[serde(default)]
    path_style: bool,
}

fn default_region() -> String {
    "us-east-1".to_owned()
}

/// The state of the storage API.
///
/// # Errors
/// What the operator has to change.
pub fn state(shared: &Shared) -> Result<StorageState, CommandError> {
    let settings = settings(&shared.config, &shared.secrets)?;
    Ok(StorageState::new(shared.database.clone(), shared.verifier.clone(), settings, shared.shutdown.clone())?)
}

/// Makes the buckets that config.toml declares.
///
/// # Errors
/// The first bucket that cannot be as it is declared.
pub async fn ensure_buckets(state: &StorageState, config: &Config) -> Result<(), CommandError> {
    let declared = config.file.storage.buckets.iter().map(|(name, bucket)| BucketSeed {
        name: name.clone(),
        public: bucket.public,
        file_size_limit: bucket.file_size_limit.map(|limit| limit.0),
        allowed_mime_types: bucket.allowed_mime_types.clone(),
    });
    Ok(cloch_storage::ensure_buckets(state, &declared.collect::<Vec<_>>()).await?)
}

/// The two stores a project may have: the folder, and the S3 bucket if one is configured.
///
/// # Errors
/// When `[storage]` of cloch.toml cannot be read.
pub fn both_stores(config: &Config) -> Result<(BackendSettings, Option<BackendSettings>), ConfigError> {
    Ok(stores(config, own(config)?))
}

fn stores(config: &Config, own: Own) -> (BackendSettings, Option<BackendSettings>) {
    let files = BackendSettings::File { folder: own.folder.unwrap_or_else(|| config.data.join("objects")) };
    let s3 = own.s3.map(|s3| {
        BackendSettings::S3(S3Backend {
            endpoint: s3.endpoint,
            region: s3.region,
            bucket: s3.bucket,
            prefix: s3.prefix,
            access_key_id: s3.access_key_id,
            secret_access_key: s3.secret_access_key,
            path_style: s3.path_style,
            timeout: Duration::from_secs(60),
            spool: config.data.join("cache/uploads"),
        })
    });
    (files, s3)
}

fn own(config: &Config) -> Result<Own, ConfigError> {
    config.cloch.storage.clone().try_into().map_err(|error: toml::de::Error| ConfigError::Value {
        file: config.project.join("cloch.toml"),
        line: None,
        key: "storage".to_owned(),
        message: error.message().to_owned(),
    })
}

fn settings(config: &Config, secrets: &Secrets) -> Result<Settings, ConfigError> {
    let own = own(config)?;
    let file = &config.file.storage;
    let sweep = Sweep {
        interval: Duration::from_secs(own.sweep_interval),
        grace: Duration::from_secs(own.sweep_grace),
        uploads: Duration::from_secs(own.sweep_uploads),
    };
    let (quota, min_free) = (own.quota.map(|size| size.0), own.min_free.map(|size| size.0));
    let (files, s3) = stores(config, own);
    let backend = s3.unwrap_or(files);
    let images = Images {
        enabled: file.image_transformation.is_none_or(|switch| switch.enabled),
        cache_folder: Some(config.data.join("cache/images")),
        ..Images::default()
    };
    let s3_protocol = S3Protocol {
        enabled: file.s3_protocol.enabled,
        access_keys: vec![AccessKey { id: secrets.s3_access_key.clone(), secret: Secret::new(&secrets.s3_secret_key) }],
        project_ref: config.project_id.clone(),
        anon_key: Secret::new(&secrets.anon_key),
        ..S3Protocol::default()
    };
    let slow_client = SlowClient {
        window: Duration::from_secs(config.cloch.server.slow_client_timeout.max(1)),
        min_bytes: SLOW_CLIENT_BYTES.into(),
    };
    let visitors = &config.cloch.limits.visitors;
    Ok(Settings {
        external_url: config.file.api.external_url.as_ref().map(|_| config.url("")),
        file_size_limit: file.file_size_limit.0,
        backend,
        slow_client,
        images,
        s3_protocol,
        sweep,
        visitors: VisitorLimits {
            files_per_hour: visitors.files_per_hour,
            bytes_per_hour: visitors.bytes_per_hour.0,
            unfinished_uploads: visitors.unfinished_uploads,
        },
        quota,
        min_free,
        ..Settings::default()
    })
}
