//! HTTP endpoints of buckets, one file per operation.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod empty;
pub(crate) mod get;
pub(crate) mod lifecycle;
pub(crate) mod list;
pub(crate) mod update;

use serde_json::Value;

use crate::db::buckets::{BucketSettings, VERSIONS_DISABLED};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::validation::{file_size, media_type};

/// Parses the bucket settings of a request body. The parameter `versioning` lists the accepted values of `versioning_status`.
///
/// # Errors
/// If a setting has an invalid value. Violations of the JSON schema are not returned but added to `fields`.
fn settings_of(fields: &mut Fields, project_limit: u64, versioning: &[&'static str]) -> Result<BucketSettings> {
    let public = fields.boolean("public");
    let file_size_limit = match fields.raw("file_size_limit") {
        None => None,
        Some(value) => Some(size_limit(value, project_limit)?),
    };
    let allowed_mime_types = match fields.raw("allowed_mime_types") {
        None => None,
        Some(Value::Null) => Some(None),
        Some(_) => Some(Some(media_type::valid_patterns(fields.texts("allowed_mime_types").unwrap_or_default())?)),
    };
    let versioning_status = match fields.raw("versioning_status") {
        None | Some(Value::Null) => None,
        Some(_) => fields.choice("versioning_status", versioning),
    };
    let versioning_status = versioning_status.filter(|status| *status != VERSIONS_DISABLED);
    Ok(BucketSettings { public, file_size_limit, allowed_mime_types, versioning_status })
}

/// Parses the size limit of a bucket, which must not exceed the limit of the project. `None` for no limit.
fn size_limit(value: &Value, project_limit: u64) -> Result<Option<i64>> {
    let limit = file_size::parse_limit(value)?;
    match limit {
        Some(bytes) if bytes.unsigned_abs() > project_limit => Err(Error::EntityTooLarge),
        _ => Ok(limit),
    }
}
