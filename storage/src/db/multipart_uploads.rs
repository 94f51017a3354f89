//! Rows of multipart uploads (S3).

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

use crate::db::saturating_int;
use crate::db::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::object_path::ObjectPath;

/// A multipart upload.
#[derive(Clone, Debug)]
pub(crate) struct MultipartUpload {
    pub(crate) id: String,
    pub(crate) owner_id: Option<String>,
    pub(crate) user_metadata: Option<Value>,
    pub(crate) metadata: Option<Value>,
}

impl MultipartUpload {
    /// A text field of the metadata.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.metadata.as_ref()?.get(name)?.as_str()
    }
}

/// A stored part.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) number: i32,
    pub(crate) size: i64,
    /// Without quotes.
    pub(crate) etag: String,
    /// The version of its blob.
    pub(crate) version: String,
    pub(crate) created_at: DateTime<Utc>,
}

/// An upload that begins, and the quota of its visitor's network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewUpload<'a> {
    pub(crate) id: Uuid,
    pub(crate) network: Option<&'a str>,
    pub(crate) max_unfinished: u32,
}

/// Inserts an upload.
///
/// # Errors
/// [`Error::TooMany`] when the network has too many that are not finished.
pub(crate) async fn insert(
    pool: &PgPool,
    path: &ObjectPath,
    new: &NewUpload<'_>,
    upload: &MultipartUpload,
) -> Result<()> {
    sqlx::query!(
        "insert into storage.s3_multipart_uploads
                (id, upload_signature, bucket_id, key, version, owner_id, user_metadata, metadata)
         values (cloch.begin_upload($7, $8, $9)::text, '', $2, $3, $1, $4, $5, $6)",
        upload.id,
        path.bucket,
        path.name,
        upload.owner_id,
        upload.user_metadata,
        upload.metadata,
        new.id,
        new.network,
        saturating_int(new.max_unfinished.into()),
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Finds an upload to a path.
///
/// # Errors
/// [`Error::NoSuchUpload`].
pub(crate) async fn find(tx: &mut Tx, path: &ObjectPath, id: &str) -> Result<MultipartUpload> {
    sqlx::query_as!(
        MultipartUpload,
        "select id, owner_id, user_metadata, metadata from storage.s3_multipart_uploads
          where id = $1 and bucket_id = $2 and key = $3",
        id,
        path.bucket,
        path.name,
    )
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(Error::NoSuchUpload)
}

/// The parts of an upload, in order.
pub(crate) async fn parts(tx: &mut Tx, id: &str) -> Result<Vec<Part>> {
    let parts = sqlx::query_as!(
        Part,
        "select part_number as number, size, etag, version, created_at from storage.s3_multipart_uploads_parts
          where upload_id = $1 order by part_number",
        id,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(parts)
}

/// Inserts a part; returns the versions of those that it replaces.
///
/// # Errors
/// [`Error::NoSuchUpload`] when the upload has ended meanwhile.
pub(crate) async fn insert_part(
    tx: &mut Tx,
    path: &ObjectPath,
    id: &str,
    owner: Option<&str>,
    part: &Part,
) -> Result<Vec<String>> {
    // One after the other, so that no part of the same number is overlooked.
    sqlx::query!("select id from storage.s3_multipart_uploads where id = $1 for update", id)
        .fetch_optional(&mut **tx)
        .await?
        .ok_or(Error::NoSuchUpload)?;
    let replaced = sqlx::query_scalar!(
        "delete from storage.s3_multipart_uploads_parts where upload_id = $1 and part_number = $2 returning version",
        id,
        part.number,
    )
    .fetch_all(&mut **tx)
    .await?;
    sqlx::query!(
        "insert into storage.s3_multipart_uploads_parts (upload_id, size, part_number, bucket_id, key, etag, owner_id, version)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        id,
        part.size,
        part.number,
        path.bucket,
        path.name,
        part.etag,
        owner,
        part.version,
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "update storage.s3_multipart_uploads
            set in_progress_size = (select coalesce(sum(size), 0)::bigint from storage.s3_multipart_uploads_parts
                                     where upload_id = $1)
          where id = $1",
        id,
    )
    .execute(&mut **tx)
    .await?;
    Ok(replaced)
}

/// Deletes an upload and its parts.
pub(crate) async fn delete(tx: &mut Tx, id: &str) -> Result<()> {
    sqlx::query!("delete from storage.s3_multipart_uploads where id = $1", id).execute(&mut **tx).await?;
    Ok(())
}

/// Records that an upload has become an object with this entity tag, in place of the upload.
pub(crate) async fn complete(pool: &PgPool, path: &ObjectPath, id: &str, etag: &str) -> Result<()> {
    sqlx::query!(
        "with ended as (delete from storage.s3_multipart_uploads where id = $1)
         insert into cloch.storage_completed (upload_id, bucket_id, key, etag) values ($1, $2, $3, $4)
         on conflict do nothing",
        id,
        path.bucket,
        path.name,
        etag,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The entity tag of the object that an upload has become lately.
pub(crate) async fn completed(pool: &PgPool, path: &ObjectPath, id: &str) -> Result<Option<String>> {
    let etag = sqlx::query_scalar!(
        "select etag from cloch.storage_completed where upload_id = $1 and bucket_id = $2 and key = $3",
        id,
        path.bucket,
        path.name,
    )
    .fetch_optional(pool)
    .await?;
    Ok(etag)
}

/// Deletes uploads that were begun before a time and have received no part since, and records of those that were completed before it.
/// Returns how many of the first there were.
pub(crate) async fn expire(pool: &PgPool, before: DateTime<Utc>) -> Result<u64> {
    let expired = sqlx::query!(
        "delete from storage.s3_multipart_uploads as u
          where created_at < $1
            and not exists (select from storage.s3_multipart_uploads_parts as p
                             where p.upload_id = u.id and p.created_at >= $1)",
        before,
    )
    .execute(pool)
    .await?;
    sqlx::query!("delete from cloch.storage_completed where completed_at < $1", before).execute(pool).await?;
    Ok(expired.rows_affected())
}

/// A page of the uploads in a bucket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListUploads<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) prefix: &'a str,
    /// Keys that have it after the prefix are grouped; empty for none.
    pub(crate) delimiter: &'a str,
    /// The key that the page begins after; empty for the first page.
    pub(crate) key_marker: &'a str,
    /// Of that key, the upload that the page begins after; empty to leave out all of that key.
    pub(crate) id_marker: &'a str,
    pub(crate) limit: i64,
}

/// An upload, or without an id the common prefix of the keys of some.
#[derive(Clone, Debug)]
pub(crate) struct ListedUpload {
    pub(crate) key: String,
    pub(crate) id: Option<String>,
    pub(crate) created_at: Option<DateTime<Utc>>,
}

/// The uploads in a bucket that the transaction's role may see, by key and id in byte order.
pub(crate) async fn list(tx: &mut Tx, wanted: &ListUploads<'_>) -> Result<Vec<ListedUpload>> {
    let entries = sqlx::query_as!(
        ListedUpload,
        r#"with matching as (
             select u.key, u.id, u.created_at,
                    case when $3 = '' then null else storage.get_common_prefix(u.key, $2, $3) end as folder
               from storage.s3_multipart_uploads as u
              where u.bucket_id = $1 and starts_with(u.key, $2)
           ), entries as (
             select key, id, created_at from matching where folder is null
             union all
             select distinct folder, null::text, null::timestamptz from matching where folder is not null
           )
           select key as "key!", id as "id?", created_at as "created_at?"
             from entries
            where key collate "C" > $4 collate "C" or ($5 <> '' and key = $4 and id collate "C" > $5 collate "C")
            order by key collate "C", id collate "C"
            limit $6"#,
        wanted.bucket,
        wanted.prefix,
        wanted.delimiter,
        wanted.key_marker,
        wanted.id_marker,
        wanted.limit,
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(entries)
}
