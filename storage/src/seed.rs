//! Creates the buckets declared in the project's configuration.

use cloch_sql::Caller;
use serde_json::Value;

use crate::db::buckets::{self, BucketSettings};
use crate::error::{Error, Kind, Result};
use crate::model::owner::Owner;
use crate::state::StorageState;
use crate::validation::{file_size, media_type, names};

/// A bucket declared in the project's configuration: `[storage.buckets.<name>]`.
#[derive(Clone, Debug, Default)]
pub struct BucketSeed {
    /// Name of the bucket, also used as its id.
    pub name: String,
    /// Whether everybody may read the bucket's objects. `None` leaves the value of an existing bucket unchanged.
    pub public: Option<bool>,
    /// Maximum size of an object in bytes. `None` leaves the value of an existing bucket unchanged.
    pub file_size_limit: Option<u64>,
    /// Media types accepted by the bucket. An empty list accepts all types; `None` leaves the value of an existing bucket unchanged.
    pub allowed_mime_types: Option<Vec<String>>,
}

/// Creates missing buckets and updates the settings of existing buckets, in one transaction.
///
/// # Errors
/// If a bucket has an invalid name or invalid settings, or the database fails. In this case no bucket is created or changed.
pub async fn ensure_buckets(state: &StorageState, buckets: &[BucketSeed]) -> Result<()> {
    let mut tx = state.database().begin_as(&Caller::service_role()).await?;
    for seed in buckets {
        let name = names::valid_new_bucket(&seed.name)?;
        let limit = seed.file_size_limit.map(|bytes| file_size::parse_limit(&Value::from(bytes))).transpose()?;
        let types = seed.allowed_mime_types.clone().map(media_type::valid_patterns).transpose()?;
        let settings = BucketSettings {
            public: seed.public,
            file_size_limit: limit,
            allowed_mime_types: types.map(|types| Some(types).filter(|types| !types.is_empty())),
            ..BucketSettings::default()
        };
        if !buckets::update(&mut tx, name, &settings).await? {
            match buckets::insert(&mut tx, name, name, &Owner::default(), &settings).await {
                // Another node with the same configuration created the bucket at the same time. The remaining buckets are created at the
                // next start of the server.
                Err(Error::AlreadyExists(Kind::Bucket)) => return Ok(()),
                outcome => outcome?,
            }
        }
    }
    Ok(tx.commit().await?)
}
