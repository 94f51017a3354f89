//! Queries the table `storage.objects`.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::{serialize_text, serialize_time};
use crate::backend::BlobKey;
use crate::db::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::meta::Meta;
use crate::model::object_path::ObjectPath;
use crate::model::owner::Owner;

/// A row of `storage.objects`, in the format of API responses to deletions and copies.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) bucket_id: String,
    #[serde(serialize_with = "serialize_text")]
    pub(crate) owner: Option<Uuid>,
    #[serde(serialize_with = "serialize_text")]
    pub(crate) owner_id: Option<String>,
    #[serde(serialize_with = "serialize_text")]
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

/// Converts a query row that contains at least the columns of an object into an `Object`.
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

/// Returns an object; `None` if the object does not exist or the transaction's role cannot see it.
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

/// Returns an object that the transaction's role can see, or [`Error::NoSuchKey`].
pub(crate) async fn get(tx: &mut Tx, path: &ObjectPath) -> Result<Object> {
    find(tx, path).await?.ok_or(Error::NoSuchKey)
}

/// Returns an object, and whether the bucket keeps the object as a version when the object is replaced. `None` if the object does not exist or
/// the transaction's role cannot see it.
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

/// Returns the objects with the given names that the transaction's role can see.
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

/// Returns the names among `names` for which the transaction's role can see an object.
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

#[derive(Clone, Debug)]
pub(crate) struct Deleted {
    pub(crate) object: Object,
    /// Version whose blob can be deleted, because no row refers to the blob after the deletion. `None` if there is no such version, for
    /// example because the bucket keeps the object as an archived version.
    pub(crate) dropped: Option<String>,
    /// Version of the delete marker that replaced the object, if versioning is enabled for the bucket.
    pub(crate) marker: Option<String>,
}

/// Deletes the given objects, except for objects that `role` cannot see or may not delete, and returns the deleted objects. The transaction
/// must be in the service role with the caller's settings ([`crate::request::Authenticated::begin_as_service`]). After the call, the role
/// of the transaction is unspecified.
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

/// Renames an object that the transaction's role can see and may update. The object's blob is unchanged.
///
/// # Errors
/// [`Error::NoSuchKey`] if the object does not exist; [`Error::AlreadyExists`] if an object with the destination name exists.
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

/// Prepares the destination of a move in a bucket with versioning: archives a delete marker at the destination key. Call this function in
/// the service role, in the transaction of [`rename`] and before [`rename`].
pub(crate) async fn prepare_move(tx: &mut Tx, destination: &ObjectPath) -> Result<()> {
    sqlx::query!("select cloch.prepare_move($1, $2)", destination.bucket, destination.name).execute(&mut **tx).await?;
    Ok(())
}

/// Updates object versions after a move: sets the versioning state of the moved object as the new bucket requires, and adds a delete marker
/// at the object's old key. Call this function in the service role, in the transaction of [`rename`] and after [`rename`].
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

/// Replaces the version in an object's row, but only if the row still contains the version `old`.
///
/// # Errors
/// [`Error::Locked`] if the row contains another version.
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

/// Deletes at most `limit` objects of a bucket that were created at or before `before`, and returns their versions.
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
