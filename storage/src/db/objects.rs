//! Rows of `storage.objects`.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::serialize_time;
use crate::backend::BlobKey;
use crate::db::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::meta::Meta;
use crate::model::object_path::ObjectPath;
use crate::model::owner::Owner;

/// An object's row, as the API shows it after a deletion or copy.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) bucket_id: String,
    pub(crate) owner: Option<Uuid>,
    pub(crate) owner_id: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) id: Uuid,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) updated_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) created_at: Option<DateTime<Utc>>,
    #[serde(serialize_with = "serialize_time")]
    pub(crate) last_accessed_at: Option<DateTime<Utc>>,
    pub(crate) metadata: Option<Value>,
    pub(crate) user_metadata: Option<Value>,
}

impl Object {
    pub(crate) fn meta(&self) -> Meta {
        Meta { version: self.version.clone(), ..Meta::of_metadata(self.metadata.as_ref()) }
    }
}

/// The object of a row that has its columns, and others.
macro_rules! object {
    ($row:ident) => {
        Object {
            name: $row.name,
            bucket_id: $row.bucket_id,
            owner: $row.owner,
            owner_id: $row.owner_id,
            version: $row.version.into(),
            id: $row.id,
            updated_at: $row.updated_at,
            created_at: $row.created_at,
            last_accessed_at: $row.last_accessed_at,
            metadata: $row.metadata,
            user_metadata: $row.user_metadata,
        }
    };
}
pub(super) use object;

/// Finds an object that the transaction's role may see.
pub(crate) async fn find(tx: &mut Tx, path: &ObjectPath) -> Result<Option<Object>> {
    let object = sqlx::query_as!(
        Object,
        r#"select name as "name!", bucket_id as "bucket_id!", owner, owner_id, version, id, updated_at, created_at,
                  last_accessed_at, metadata, user_metadata
             from storage.objects where bucket_id = $1 and name = $2"#,
        path.bucket,
        path.name,
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(object)
}

/// Finds an object, or fails with [`Error::NoSuchKey`].
pub(crate) async fn get(tx: &mut Tx, path: &ObjectPath) -> Result<Object> {
    find(tx, path).await?.ok_or(Error::NoSuchKey)
}

/// Finds an object that the transaction's role may see, and whether it is a version that stays when another replaces it.
pub(crate) async fn find_versioned(tx: &mut Tx, path: &ObjectPath) -> Result<Option<(Object, bool)>> {
    let row = sqlx::query!(
        r#"select name as "name!", bucket_id as "bucket_id!", owner, owner_id, version, id, updated_at, created_at,
                  last_accessed_at, metadata, user_metadata, is_versioned
             from storage.objects where bucket_id = $1 and name = $2"#,
        path.bucket,
        path.name,
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.map(|row| {
        let is_versioned = row.is_versioned;
        (object!(row), is_versioned)
    }))
}

/// Those of some names that are objects which the transaction's role may see.
pub(crate) async fn find_all(tx: &mut Tx, bucket: &str, names: &[String]) -> Result<Vec<Object>> {
    let found = sqlx::query_as!(
        Object,
        r#"select name as "name!", bucket_id as "bucket_id!", owner, owner_id, version, id, updated_at, created_at,
                  last_accessed_at, metadata, user_metadata
             from storage.objects where bucket_id = $1 and name = any($2)"#,
        bucket,
        names,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(found)
}

/// Which of some names are objects that the transaction's role may see.
pub(crate) async fn find_names(tx: &mut Tx, bucket: &str, names: &[String]) -> Result<Vec<String>> {
    let found = sqlx::query_scalar!(
        r#"select name as "name!" from storage.objects where bucket_id = $1 and name = any($2)"#,
        bucket,
        names,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(found)
}

/// An object that was deleted.
#[derive(Clone, Debug)]
pub(crate) struct Deleted {
    pub(crate) object: Object,
    /// The version whose blob no row names any more; `None` where the object's bucket keeps versions.
    pub(crate) dropped: Option<String>,
    /// The delete marker that took the object's place, where the bucket keeps versions.
    pub(crate) marker: Option<String>,
}

/// Deletes objects that `role` may see and delete, and returns them. The transaction is one in the service role with the caller's
/// settings ([`crate::request::Authenticated::begin_as_service`]); it is in either role then.
pub(crate) async fn delete(tx: &mut Tx, role: &str, bucket: &str, names: &[String]) -> Result<Vec<Deleted>> {
    let rows = sqlx::query!(
        r#"select name as "name!", bucket_id as "bucket_id!", owner, owner_id, version, id as "id!", updated_at, created_at,
                  last_accessed_at, metadata, user_metadata, dropped, marker
             from cloch.delete_objects($1, $2, $3)"#,
        role,
        bucket,
        names,
    )
    .fetch_all(&mut **tx)
    .await?;
    let deleted =
        rows.into_iter().map(|row| Deleted { dropped: row.dropped, marker: row.marker, object: object!(row) });
    Ok(deleted.collect())
}

/// Renames an object that the transaction's role may see and change. Its bytes stay where they are.
///
/// # Errors
/// [`Error::NoSuchKey`] when there is none; [`Error::AlreadyExists`] when the destination is taken.
pub(crate) async fn rename(tx: &mut Tx, source: &ObjectPath, destination: &ObjectPath, owner: &Owner) -> Result<()> {
    let renamed = sqlx::query!(
        "update storage.objects
            set bucket_id = $3, name = $4, owner = coalesce($5, owner), owner_id = coalesce($6, owner_id)
          where bucket_id = $1 and name = $2
          returning id",
        source.bucket,
        source.name,
        destination.bucket,
        destination.name,
        owner.uuid,
        owner.id,
    )
    .fetch_optional(&mut **tx)
    .await?;
    renamed.map(drop).ok_or(Error::NoSuchKey)
}

/// Makes room at a key, in a bucket that keeps versions, for an object that is moved there. By the service role, in the transaction of
/// [`rename`], and before it.
pub(crate) async fn prepare_move(tx: &mut Tx, destination: &ObjectPath) -> Result<()> {
    sqlx::query!("select cloch.prepare_move($1, $2)", destination.bucket, destination.name).execute(&mut **tx).await?;
    Ok(())
}

/// Notes in buckets that keep versions that an object was renamed: it has no version of another bucket, and nothing is at its old key. By
/// the service role, in the transaction of [`rename`], and after it.
pub(crate) async fn finish_move(tx: &mut Tx, source: &ObjectPath, destination: &ObjectPath) -> Result<()> {
    sqlx::query!(
        "select cloch.finish_move($1, $2, $3, $4)",
        source.bucket,
        source.name,
        destination.bucket,
        destination.name,
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Replaces the version that an object's row names, unless it names another one by now.
///
/// # Errors
/// [`Error::Locked`] when it does.
pub(crate) async fn replace_version(
    tx: &mut Tx,
    path: &ObjectPath,
    old: Option<&str>,
    new: BlobKey,
    metadata: &Value,
) -> Result<()> {
    let replaced = sqlx::query!(
        "update storage.objects set version = $4, metadata = $5
          where bucket_id = $1 and name = $2 and version is not distinct from $3",
        path.bucket,
        path.name,
        old,
        new.to_string(),
        metadata,
    )
    .execute(&mut **tx)
    .await?;
    if replaced.rows_affected() == 1 { Ok(()) } else { Err(Error::Locked) }
}

/// Deletes objects of a bucket made before a time, at most `limit`, and returns their versions.
pub(crate) async fn delete_before(
    tx: &mut Tx,
    bucket: &str,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Option<String>>> {
    let versions = sqlx::query_scalar!(
        "delete from storage.objects
          where id in (select id from storage.objects where bucket_id = $1 and created_at <= $2 limit $3)
          returning version",
        bucket,
        before,
        limit,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(versions)
}
