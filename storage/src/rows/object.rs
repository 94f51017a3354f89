//! Rows of `storage.objects`.

use chrono::{DateTime, Utc};
use cloch_sql::LocalSettings;
use serde::Serialize;
use serde_json::Value;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::bucket::Bucket;
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
    /// Whether what is at the key may be replaced. The row keeps its id then; its owner and custom metadata too, unless new ones
    /// are given.
    pub(crate) upsert: bool,
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

/// Asks whether the caller may write a row, by writing it as them and taking it back; returns the bucket. A plain insert needs no
/// more than an INSERT policy; one that may replace needs SELECT, and UPDATE where the key is taken.
///
/// # Errors
/// What policies, constraints and triggers say, which [`taken`] puts into words.
pub(crate) async fn try_write(
    connection: &mut PgConnection,
    (caller, settings): (&str, &LocalSettings),
    object: &NewObject<'_>,
) -> sqlx::Result<Option<Bucket>> {
    sqlx::query_as!(
        Bucket,
        r#"select id as "id!", name as "name!", owner, coalesce(public, false) as "public!", file_size_limit,
                  allowed_mime_types, created_at, updated_at
             from cloch.try_object($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"#,
        settings.names(),
        settings.values(),
        caller,
        object.bucket,
        object.name,
        object.owner.uuid,
        object.owner.id,
        object.metadata,
        object.user_metadata,
        object.upsert,
    )
    .fetch_optional(connection)
    .await
}

/// Writes a row for good, in a transaction of its own: inserts it, or replaces what is at the key.
///
/// # Errors
/// Those of the database, which [`taken`] puts into words.
pub(crate) async fn write(
    connection: &mut PgConnection,
    settings: &LocalSettings,
    version: &str,
    object: &NewObject<'_>,
) -> sqlx::Result<Written> {
    let row = sqlx::query!(
        r#"select id as "id!", replaced from cloch.write_object($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"#,
        settings.names(),
        settings.values(),
        object.bucket,
        object.name,
        object.owner.uuid,
        object.owner.id,
        version,
        object.metadata,
        object.user_metadata,
        object.upsert,
    )
    .fetch_one(connection)
    .await?;
    Ok(Written { id: row.id, replaced: row.replaced })
}

/// The object of a version, whoever may see it.
pub(crate) async fn find_version(pool: &PgPool, version: &str) -> sqlx::Result<Option<Uuid>> {
    sqlx::query_scalar!("select id from storage.objects where version = $1", version).fetch_optional(pool).await
}

/// The failure of a write. A key that is taken is no other duplicate.
pub(crate) fn taken(error: sqlx::Error, upsert: bool) -> Error {
    match error.into() {
        Error::AlreadyExists(_) if !upsert => Error::AlreadyExists(Kind::Key),
        other => other,
    }
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
