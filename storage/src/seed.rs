//! The buckets that a project's configuration declares.

use cloch_sql::Caller;
use serde_json::Value;

use crate::db::buckets::{self, BucketSettings};
use crate::error::{Error, Kind, Result};
use crate::model::owner::Owner;
use crate::state::StorageState;
use crate::validation::{file_size, media_type, names};

/// A bucket of the configuration: `[storage.buckets.<name>]`.
#[derive(Clone, Debug, Default)]
pub struct BucketSeed {
    /// Its name, and its id.
    pub name: String,
    /// Whether everybody may read its objects. What is not set is left as it is.
    pub public: Option<bool>,
    /// The largest file it takes, in bytes.
    pub file_size_limit: Option<u64>,
    /// The types of file it takes; all for an empty list.
    pub allowed_mime_types: Option<Vec<String>>,
}

/// Makes the buckets that are not there yet, and gives those that are the configured settings.
///
/// # Errors
/// The first bucket whose name or settings cannot be; none of them is made then.
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
                // Another node starts at the same time: it writes the same. The next start sees to it otherwise.
                Err(Error::AlreadyExists(Kind::Bucket)) => return Ok(()),
                outcome => outcome?,
            }
        }
    }
    Ok(tx.commit().await?)
}
