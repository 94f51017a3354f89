//! Rows of `storage.objects`.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::serialize_time;
use crate::error::{Error, Kind, Result};
use crate::request::Tx;
use crate::request::asking::Owner;

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

/// A row to be written: for good, or as a trial that is rolled back.
#[derive(Clone, Debug)]
pub(crate) struct NewObject<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) name: &'a str,
    pub(crate) owner: &'a Owner,
    pub(crate) version: &'a str,
    pub(crate) metadata: &'a Value,
    /// `None` leaves the old row's in an upsert.
    pub(crate) user_metadata: Option<&'a Value>,
}

/// What writing a row gave: its id, and the version that it replaced.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) id: Uuid,
    pub(crate) replaced: Option<String>,
}

/// Finds an object that the transaction's role may see.
pub(crate) async fn find(tx: &mut Tx, bucket: &str, name: &str) -> Result<Option<Object>> {
    let object = sqlx::query_as!(
        Object,
        r#"select name as "name!", bucket_id as "bucket_id!", owner, owner_id, version, id, updated_at, created_at,
                  last_accessed_at, metadata, user_metadata
             from storage.objects where bucket_id = $1 and name = $2"#,
        bucket,
        name,
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(object)
}

/// Finds an object, or fails with [`Error::NoSuchKey`].
pub(crate) async fn get(tx: &mut Tx, bucket: &str, name: &str) -> Result<Object> {
    find(tx, bucket, name).await?.ok_or(Error::NoSuchKey)
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

fn key_exists(error: sqlx::Error) -> Error {
    match error.into() {
        Error::AlreadyExists(_) => Error::AlreadyExists(Kind::Key),
        other => other,
    }
}

/// Inserts a row. Nothing is read back, so a caller with no more than an INSERT policy may do it.
///
/// # Errors
/// [`Error::AlreadyExists`] when the key is taken.
pub(crate) async fn insert(tx: &mut Tx, object: &NewObject<'_>) -> Result<()> {
    sqlx::query!(
        "insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
         values ($1, $2, $3, $4, $5, $6, $7)",
        object.bucket,
        object.name,
        object.owner.uuid,
        object.owner.id,
        object.version,
        object.metadata,
        object.user_metadata,
    )
    .execute(&mut **tx)
    .await
    .map_err(key_exists)?;
    Ok(())
}

/// Inserts a row and tells its id. The service role's form of [`insert`].
///
/// # Errors
/// [`Error::AlreadyExists`] when the key is taken.
pub(crate) async fn insert_returning(tx: &mut Tx, object: &NewObject<'_>) -> Result<Written> {
    let id = sqlx::query_scalar!(
        "insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
         values ($1, $2, $3, $4, $5, $6, $7)
         returning id",
        object.bucket,
        object.name,
        object.owner.uuid,
        object.owner.id,
        object.version,
        object.metadata,
        object.user_metadata,
    )
    .fetch_one(&mut **tx)
    .await
    .map_err(key_exists)?;
    Ok(Written { id, replaced: None })
}

/// Inserts a row, or replaces what is at the key. The row keeps its id; its owner and custom metadata too, unless new ones are
/// given. Of two upserts at once the replaced version of one may be told wrongly; the sweeper finds what neither deletes.
pub(crate) async fn upsert(tx: &mut Tx, object: &NewObject<'_>) -> Result<Written> {
    let row = sqlx::query!(
        r#"with old as (
             select version from storage.objects where bucket_id = $1 and name = $2
           )
           insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (bucket_id, name) do update
             set metadata = excluded.metadata,
                 version = excluded.version,
                 user_metadata = coalesce(excluded.user_metadata, o.user_metadata),
                 owner = coalesce(excluded.owner, o.owner),
                 owner_id = coalesce(excluded.owner_id, o.owner_id)
           returning id, (select version from old) as replaced"#,
        object.bucket,
        object.name,
        object.owner.uuid,
        object.owner.id,
        object.version,
        object.metadata,
        object.user_metadata,
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(Written { id: row.id, replaced: row.replaced })
}

/// Deletes objects that the transaction's role may see and delete, and returns them.
pub(crate) async fn delete(tx: &mut Tx, bucket: &str, names: &[String]) -> Result<Vec<Object>> {
    let deleted = sqlx::query_as!(
        Object,
        r#"delete from storage.objects where bucket_id = $1 and name = any($2)
           returning name as "name!", bucket_id as "bucket_id!", owner, owner_id, version, id, updated_at, created_at,
                     last_accessed_at, metadata, user_metadata"#,
        bucket,
        names,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(deleted)
}

/// Renames an object that the transaction's role may see and change. Its bytes stay where they are.
///
/// # Errors
/// [`Error::NoSuchKey`] when there is none; [`Error::AlreadyExists`] when the destination is taken.
pub(crate) async fn rename(
    tx: &mut Tx,
    (bucket, name): (&str, &str),
    (new_bucket, new_name): (&str, &str),
    owner: &Owner,
) -> Result<()> {
    let renamed = sqlx::query!(
        "update storage.objects
            set bucket_id = $3, name = $4, owner = coalesce($5, owner), owner_id = coalesce($6, owner_id)
          where bucket_id = $1 and name = $2
          returning id",
        bucket,
        name,
        new_bucket,
        new_name,
        owner.uuid,
        owner.id,
    )
    .fetch_optional(&mut **tx)
    .await?;
    renamed.map(drop).ok_or(Error::NoSuchKey)
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
