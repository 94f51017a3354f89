//! Creates the buckets declared in the project's configuration, and compares existing buckets with their declaration.

use cloch_sql::Caller;
use serde_json::{Value, json};

use crate::db::buckets::{self, Bucket, BucketSettings};
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
    /// Maximum size of an object in bytes if `file_size_limit` is `None`. Existing buckets get it only with [`Existing::Replace`].
    pub default_file_size_limit: Option<u64>,
    /// Media types accepted by the bucket. An empty list accepts all types; `None` leaves the value of an existing bucket unchanged.
    pub allowed_mime_types: Option<Vec<String>>,
}

/// What happens to an existing bucket whose settings differ from its declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// The bucket gets the declared settings and the default limit. The migrations or seeds of a new database have created it.
    Replace,
    /// The bucket gets the declared settings.
    Update,
    /// The bucket keeps its settings.
    Keep,
}

/// A setting of an existing bucket that differs from its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Id of the bucket.
    pub bucket: String,
    /// Name of the setting in config.toml.
    pub setting: &'static str,
    /// Value in the database before the call of [`ensure_buckets`], as JSON.
    pub in_database: Value,
    /// Declared value, as JSON.
    pub declared: Value,
}

/// Creates missing buckets in one transaction, and treats existing buckets as `existing` defines. Returns the settings of existing buckets
/// that differed from their declarations.
///
/// # Errors
/// If a bucket has an invalid name or invalid settings, or the database fails. In this case no bucket is created or changed.
pub async fn ensure_buckets(state: &StorageState, seeds: &[BucketSeed], existing: Existing) -> Result<Vec<Difference>> {
    let declared = seeds.iter().map(|seed| {
        let new = BucketSeed { file_size_limit: seed.file_size_limit.or(seed.default_file_size_limit), ..seed.clone() };
        let of_existing = if existing == Existing::Replace { &new } else { seed };
        Ok(Declared {
            name: names::valid_new_bucket(&seed.name)?,
            new: settings(&new)?,
            existing: settings(of_existing)?,
        })
    });
    let declared: Vec<Declared<'_>> = declared.collect::<Result<_>>()?;
    match ensure(state, &declared, existing).await {
        // Another node with the same configuration created a bucket at the same time. The second attempt finds this bucket.
        Err(Error::AlreadyExists(Kind::Bucket)) => ensure(state, &declared, existing).await,
        outcome => outcome,
    }
}

/// The declared settings of a bucket: for a new bucket, and for an existing one.
struct Declared<'a> {
    name: &'a str,
    new: BucketSettings,
    existing: BucketSettings,
}

async fn ensure(state: &StorageState, declared: &[Declared<'_>], existing: Existing) -> Result<Vec<Difference>> {
    let mut tx = state.database().begin_as(&Caller::service_role()).await?;
    let names = declared.iter().map(|bucket| bucket.name.to_owned()).collect();
    let present = buckets::with_names(&mut tx, names).await?;
    let mut all = Vec::new();
    for Declared { name, new, existing: settings } in declared {
        // Clients address a bucket by its id. A bucket with another id and the same name prevents the creation, because names are unique.
        let by_name = || present.iter().find(|bucket| bucket.name == *name);
        let Some(bucket) = present.iter().find(|bucket| bucket.id == *name).or_else(by_name) else {
            buckets::insert(&mut tx, name, name, &Owner::default(), new).await?;
            continue;
        };
        let found = differences(bucket, settings);
        if existing != Existing::Keep && !found.is_empty() && !buckets::update(&mut tx, &bucket.id, settings).await? {
            return Err(Error::NoSuchBucket);
        }
        all.extend(found);
    }
    tx.commit().await?;
    Ok(all)
}

/// Returns the declared settings of a bucket.
fn settings(seed: &BucketSeed) -> Result<BucketSettings> {
    let limit = seed.file_size_limit.map(|bytes| file_size::parse_limit(&Value::from(bytes))).transpose()?;
    let types = seed.allowed_mime_types.clone().map(media_type::valid_patterns).transpose()?;
    Ok(BucketSettings {
        public: seed.public,
        file_size_limit: limit,
        allowed_mime_types: types.map(|types| Some(types).filter(|types| !types.is_empty())),
        ..BucketSettings::default()
    })
}

/// Returns the declared settings that the bucket does not have. The order of media types has no meaning, and neither has the difference
/// between no list and an empty one.
fn differences(bucket: &Bucket, declared: &BucketSettings) -> Vec<Difference> {
    let mut all = Vec::new();
    let mut compare = |setting, in_database: Value, declared: Value| {
        if in_database != declared {
            all.push(Difference { bucket: bucket.id.clone(), setting, in_database, declared });
        }
    };
    if let Some(public) = declared.public {
        compare("public", bucket.public.into(), public.into());
    }
    if let Some(limit) = declared.file_size_limit {
        compare("file_size_limit", json!(bucket.file_size_limit), json!(limit));
    }
    if let Some(types) = &declared.allowed_mime_types {
        compare("allowed_mime_types", sorted(bucket.allowed_mime_types.as_deref()), sorted(types.as_deref()));
    }
    all
}

fn sorted(types: Option<&[String]>) -> Value {
    let mut types = types.unwrap_or_default().to_vec();
    types.sort_unstable();
    json!(types)
}
