//! Queries object versions and delete markers (`cloch.object_versions`). The SQL functions are called in the service role, in a transaction
//! with the caller's settings ([`crate::request::Authenticated::begin_as_service`]). Where RLS policies control access, the functions
//! switch to the caller's role.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::objects::{Object, object};
use super::serialize_time;
use crate::db::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::object_path::ObjectPath;

/// A version of an object: the current object, an archived version, or a delete marker.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) bucket_id: String,
    pub(crate) owner: Option<Uuid>,
    pub(crate) owner_id: Option<String>,
    pub(crate) version: String,
    pub(crate) id: Uuid,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) updated_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) created_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) last_accessed_at: Option<DateTime<Utc>>,
    pub(crate) metadata: Option<Value>,
    pub(crate) user_metadata: Option<Value>,
    /// Time at which another version became the current version. `None` for the current version.
    #[serde(serialize_with = "serialize_time")]
    pub(crate) archived_at: Option<DateTime<Utc>>,
    pub(crate) is_delete_marker: bool,
    /// Whether versioning was enabled for the bucket when the object was stored. `false` if versioning was disabled or suspended.
    pub(crate) is_versioned: bool,
}

impl Version {
    /// Whether this is the current version of the object.
    pub(crate) fn is_current(&self) -> bool {
        self.archived_at.is_none()
    }

    /// Returns the object's version id as used in the S3 protocol.
    pub(crate) fn s3_id(&self) -> &str {
        if self.is_versioned { &self.version } else { NULL_VERSION }
    }

    /// Converts the object version into an object.
    ///
    /// # Errors
    /// [`Error::NoSuchKey`] for a delete marker.
    pub(crate) fn into_object(self) -> Result<Object> {
        if self.is_delete_marker {
            return Err(Error::NoSuchKey);
        }
        Ok(object!(self))
    }
}

/// S3 version id of an object stored while versioning was disabled or suspended.
pub(crate) const NULL_VERSION: &str = "null";

/// Returns an object version; `None` if it does not exist or `role` cannot see it.
pub(crate) async fn find(tx: &mut Tx, role: &str, path: &ObjectPath, version: &str) -> Result<Option<Version>> {
    let found = sqlx::query_as!(
        Version,
        r#"select name as "name!", bucket_id as "bucket_id!", owner, owner_id, version as "version!", object_id as "id!",
                  updated_at, created_at, last_accessed_at, metadata, user_metadata, archived_at,
                  is_delete_marker as "is_delete_marker!", is_versioned as "is_versioned!"
             from cloch.find_version($1, $2, $3, $4)"#,
        role,
        path.bucket,
        path.name,
        version,
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(found)
}

/// Returns an object version that `role` can see, or [`Error::NoSuchKey`].
pub(crate) async fn get(tx: &mut Tx, role: &str, path: &ObjectPath, version: &str) -> Result<Version> {
    find(tx, role, path, version).await?.ok_or(Error::NoSuchKey)
}

/// Kind of a deletion request. `ForGood` deletes the object version permanently; `Trial` only checks the permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deletion {
    ForGood,
    Trial,
}

/// Deletes an object version that `role` may delete. Returns `None` if the version does not exist.
///
/// # Errors
/// [`Error::AccessDenied`] if the RLS policies forbid the deletion.
pub(crate) async fn delete(
    tx: &mut Tx,
    role: &str,
    path: &ObjectPath,
    version: &str,
    deletion: Deletion,
) -> Result<Option<Version>> {
    let row = sqlx::query!(
        r#"select (gone).name as "name!", (gone).bucket_id as "bucket_id!", (gone).owner, (gone).owner_id,
                  (gone).version as "version!", (gone).object_id as "id!", (gone).updated_at, (gone).created_at,
                  (gone).last_accessed_at, (gone).metadata, (gone).user_metadata, (gone).archived_at,
                  (gone).is_delete_marker as "is_delete_marker!", (gone).is_versioned as "is_versioned!",
                  refused as "refused!"
             from cloch.delete_version($1, $2, $3, $4, $5)"#,
        role,
        path.bucket,
        path.name,
        version,
        deletion == Deletion::Trial,
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    if row.refused {
        return Err(Error::AccessDenied("Access denied".to_owned()));
    }
    Ok(Some(Version {
        name: row.name,
        bucket_id: row.bucket_id,
        owner: row.owner,
        owner_id: row.owner_id,
        version: row.version,
        id: row.id,
        updated_at: row.updated_at,
        created_at: row.created_at,
        last_accessed_at: row.last_accessed_at,
        metadata: row.metadata,
        user_metadata: row.user_metadata,
        archived_at: row.archived_at,
        is_delete_marker: row.is_delete_marker,
        is_versioned: row.is_versioned,
    }))
}

/// Which versions a listing contains: `Exclude` for no archived versions, `Include` for all versions, `Only` for archived versions only.
/// The same type selects the delete markers of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Filter {
    #[default]
    Exclude,
    Include,
    Only,
}

impl Filter {
    /// Names of the variants of [`Filter`] in API requests: `exclude`, `include`, `only`.
    pub(crate) const WORDS: [&str; 3] = ["exclude", "include", "only"];

    pub(crate) fn of(word: &str) -> Self {
        match word {
            "include" => Self::Include,
            "only" => Self::Only,
            _ => Self::Exclude,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Exclude => "exclude",
            Self::Include => "include",
            Self::Only => "only",
        }
    }
}

/// Parameters of one page of a listing of object versions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListVersions<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) prefix: &'a str,
    /// Whether to list only versions of the object whose name equals `prefix`.
    pub(crate) exact: bool,
    /// Delimiter: object names that contain it after the prefix are grouped. Empty for no grouping.
    pub(crate) delimiter: &'a str,
    pub(crate) noncurrent: Filter,
    pub(crate) markers: Filter,
    /// Object name after which the page starts; empty for the first page.
    pub(crate) after: &'a str,
    /// Version after which the page starts, among the versions of the object `after`. If empty, all versions of this object are skipped.
    pub(crate) after_version: &'a str,
    pub(crate) limit: i64,
}

/// An object version or a folder. All fields of a folder except `name` are null.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ListedVersion {
    pub(crate) name: String,
    pub(crate) id: Option<Uuid>,
    pub(crate) version: Option<String>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) updated_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) created_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) last_accessed_at: Option<DateTime<Utc>>,
    pub(crate) metadata: Option<Value>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) archived_at: Option<DateTime<Utc>>,
    pub(crate) is_delete_marker: Option<bool>,
    pub(crate) is_versioned: Option<bool>,
    #[serde(skip)]
    pub(crate) is_latest: bool,
}

/// Lists object versions that `role` can see, by object name in byte order, newest first.
pub(crate) async fn list(tx: &mut Tx, role: &str, wanted: &ListVersions<'_>) -> Result<Vec<ListedVersion>> {
    let listed = sqlx::query_as!(
        ListedVersion,
        r#"select (listed).name as "name!", (listed).object_id as id, (listed).version as version,
                  (listed).updated_at as updated_at, (listed).created_at as created_at,
                  (listed).last_accessed_at as last_accessed_at, (listed).metadata as metadata,
                  (listed).archived_at as archived_at, (listed).is_delete_marker as is_delete_marker,
                  (listed).is_versioned as is_versioned, is_latest as "is_latest!"
             from cloch.list_versions($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"#,
        role,
        wanted.bucket,
        wanted.prefix,
        wanted.exact,
        wanted.delimiter,
        wanted.noncurrent.word(),
        wanted.markers.word(),
        wanted.after,
        wanted.after_version,
        i32::try_from(wanted.limit).unwrap_or(i32::MAX),
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(listed)
}

/// Whether a bucket contains object versions or delete markers. As with Amazon S3, such a bucket cannot be deleted.
pub(crate) async fn has_any(tx: &mut Tx, bucket: &str) -> Result<bool> {
    let query = sqlx::query_scalar!(
        r#"select exists (select from cloch.object_versions where bucket_id = $1) as "exists!""#,
        bucket,
    );
    Ok(query.fetch_one(&mut **tx).await?)
}

/// Deletes at most `limit` object versions of a bucket. Returns the number of deleted rows, and the versions that have blobs.
pub(crate) async fn delete_all(tx: &mut Tx, bucket: &str, limit: i64) -> Result<(usize, Vec<String>)> {
    let rows = sqlx::query!(
        "delete from cloch.object_versions
          where version in (select version from cloch.object_versions where bucket_id = $1 limit $2)
          returning version, is_delete_marker",
        bucket,
        limit,
    )
    .fetch_all(&mut **tx)
    .await?;
    let count = rows.len();
    Ok((count, rows.into_iter().filter(|row| !row.is_delete_marker).map(|row| row.version).collect()))
}
