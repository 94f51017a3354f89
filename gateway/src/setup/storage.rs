//! Creates the service of the storage API from `[storage]` of config.toml and cloch.toml.

use std::sync::Arc;
use std::time::Duration;

use cloch_core::{Live, Secret};
use cloch_storage::backend::NewBlobs;
use cloch_storage::settings::{
    AccessKey, BackendSettings, BucketSettings, Images, S3Backend, S3Protocol, Sweep, VisitorLimits,
};
use cloch_storage::{BucketSeed, Existing, Routes, Settings, StorageState};

use super::SharedServices;
use crate::config::sections::storage::BucketFiles;
use crate::config::{Config, Secrets};
use crate::error::{CommandError, innermost};
use crate::service::Service;

/// Creates the service of the storage API, and the buckets that config.toml declares. `existing` defines what happens to those that exist.
/// Also returns the storage's state and its routes; both are `None` if storage is disabled. The state contains the settings with which the
/// server has started. The routes contain the settings that are in effect.
///
/// # Errors
/// If a setting is missing or invalid, or if a bucket cannot be created as declared.
pub async fn service(
    shared: &SharedServices,
    existing: Existing,
) -> Result<(Service, Option<(StorageState, Live<Routes>)>), CommandError> {
    let service = Service::default()
        .metrics(cloch_storage::metrics::register)
        .during_outage("/storage/v1", |path, _| cloch_storage::unavailable(path));
    if !shared.config.file.storage.enabled {
        return Ok((service.disabled("/storage/v1", "[storage] enabled = false"), None));
    }
    let state = state(shared)?;
    ensure_buckets(&state, &shared.config, existing).await?;
    let routes = Live::new(Routes::new(state.clone()));
    let (handler, replaced, present) = (routes.clone(), routes.clone(), state.clone());
    let (secrets, new_blobs) = (shared.secrets.clone(), new_blobs(shared));
    let service = service
        .task(cloch_storage::background(state.clone()))
        .mount("/storage/v1", move |request| Routes::clone(&handler.get()).answer(request))
        .on_change(move |config| {
            let settings = Settings { new_blobs: new_blobs.clone(), ..settings(config, &secrets) };
            let (present, replaced) = (present.clone(), replaced.clone());
            Ok(Box::new(move || replaced.set(Routes::new(present.with_settings(settings)))))
        });
    Ok((service, Some((state, routes))))
}

/// Creates the state of the storage API.
///
/// # Errors
/// If a setting is missing or invalid and the operator has to change it.
fn state(shared: &SharedServices) -> Result<StorageState, CommandError> {
    let settings = Settings { new_blobs: new_blobs(shared), ..settings(&shared.config, &shared.secrets) };
    let (database, verifier) = (shared.database.clone(), shared.verifier.clone());
    let opened = StorageState::new(database, verifier, settings, shared.shutdown.clone());
    opened.map_err(|error| match both_stores(&shared.config) {
        (BackendSettings::File { folder }, None) => {
            let cause = innermost(&error);
            let folder = folder.display();
            format!(
                "the folder of files {folder} cannot be used: {cause}; [storage] folder of cloch.toml names it (default: \
                 objects in the data folder)"
            )
            .into()
        }
        _ => error.into(),
    })
}

fn new_blobs(shared: &SharedServices) -> Option<Arc<NewBlobs>> {
    shared.backup.as_ref().map(|backup| Arc::clone(&backup.new_blobs))
}

/// Creates the buckets that config.toml declares, as the Supabase CLI does: a bucket without a limit gets the limit of `[storage]`. Existing
/// buckets are updated or kept; each difference is logged.
///
/// # Errors
/// If a bucket cannot be created as declared.
async fn ensure_buckets(state: &StorageState, config: &Config, existing: Existing) -> Result<(), CommandError> {
    let storage = &config.file.storage;
    let declared = storage.buckets.iter().map(|(name, bucket)| BucketSeed {
        name: name.clone(),
        public: bucket.public,
        file_size_limit: bucket.own_limit(),
        default_file_size_limit: Some(storage.file_size_limit.0).filter(|limit| *limit > 0),
        allowed_mime_types: bucket.allowed_mime_types.clone(),
    });
    for difference in cloch_storage::ensure_buckets(state, &declared.collect::<Vec<_>>(), existing).await? {
        let (bucket, setting) = (difference.bucket, difference.setting);
        let (database, config) = (difference.in_database, difference.declared);
        match existing {
            Existing::Replace | Existing::Update => {
                tracing::info!(bucket, setting, before = %database, now = %config, "storage: setting of an existing bucket changed to the value in config.toml (docs/storage.md)");
            }
            Existing::Keep => {
                tracing::warn!(bucket, setting, %database, %config, "storage: config.toml declares another setting for an existing bucket, not changed because another program made this database (docs/storage.md)");
            }
        }
    }
    Ok(())
}

/// Returns the settings of the two stores that can contain a project's files: the local folder and, if one is configured, the S3 bucket.
#[must_use]
pub fn both_stores(config: &Config) -> (BackendSettings, Option<BackendSettings>) {
    let files = BackendSettings::File { folder: config.objects_folder() };
    let s3 = config.cloch.storage.s3.clone().map(|s3| {
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

fn settings(config: &Config, secrets: &Secrets) -> Settings {
    let own = &config.cloch.storage;
    let file = &config.file.storage;
    let sweep = Sweep {
        interval: Duration::from_secs(own.sweep_interval),
        grace: Duration::from_secs(own.sweep_grace),
        uploads: Duration::from_secs(own.sweep_uploads),
    };
    let (quota, min_free) = (own.quota.map(|size| size.0), own.min_free.map(|size| size.0));
    let buckets = own.buckets.iter().map(|(id, bucket)| {
        let BucketFiles { strip_metadata, max_signed_url_seconds } = *bucket;
        (id.clone(), BucketSettings { strip_metadata, max_signed_url_seconds })
    });
    let (files, s3) = both_stores(config);
    let backend = s3.unwrap_or(files);
    let images = Images {
        enabled: file.image_transformation.is_none_or(|switch| switch.enabled),
        cache_folder: Some(config.data.join("cache/images")),
        ..Images::default()
    };
    let mut s3_protocol = S3Protocol::default();
    s3_protocol.project_refs.extend([config.project_id.clone(), config.project_reference()]);
    let s3_protocol = S3Protocol {
        enabled: file.s3_protocol.enabled,
        access_keys: vec![AccessKey { id: secrets.s3_access_key.clone(), secret: Secret::new(&secrets.s3_secret_key) }],
        anon_key: Secret::new(&secrets.anon_key),
        ..s3_protocol
    };
    let visitors = &config.cloch.limits.visitors;
    Settings {
        external_url: config.file.api.external_url.as_ref().map(|_| config.url("")),
        file_size_limit: file.file_size_limit.0,
        backend,
        slow_client: config.cloch.server.min_rate(),
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
        buckets: buckets.collect(),
        ..Settings::default()
    }
}
