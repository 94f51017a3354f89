//! Queries S3 multipart uploads and their parts.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

use crate::db::saturating_int;
use crate::db::transaction::Tx;
use crate::error::{Error, Result};
use crate::model::object_path::ObjectPath;

#[derive(Clone, Debug)]
pub(crate) struct MultipartUpload {
    pub(crate) id: String,
    pub(crate) owner_id: Option<String>,
    pub(crate) user_metadata: Option<Value>,
    pub(crate) metadata: Option<Value>,
}

impl MultipartUpload {
    /// Returns a string field of the upload's metadata; `None` if the field is absent.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.metadata.as_ref()?.get(name)?.as_str()
    }
}

/// A stored part of a multipart upload.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) number: i32,
    pub(crate) size: i64,
    /// Entity tag of the part, without quotes.
    pub(crate) etag: String,
    /// Version (blob key) of the part's blob.
    pub(crate) version: String,
    pub(crate) created_at: DateTime<Utc>,
}

/// A new multipart upload. `network` is set only for a visitor (a caller without a session); `max_unfinished` is the maximum number of
/// unfinished uploads of this network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewUpload<'a> {
    pub(crate) id: Uuid,
    pub(crate) network: Option<&'a str>,
    pub(crate) max_unfinished: u32,
}

/// Inserts a multipart upload.
///
/// # Errors
/// [`Error::TooMany`] if the visitor's network has `max_unfinished` unfinished uploads.
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

/// Returns the multipart upload with the given id for the given object path.
///
/// # Errors
/// [`Error::NoSuchUpload`] if the multipart upload does not exist.
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

/// Returns the parts of a multipart upload in the order of part numbers.
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

/// Inserts a part of a multipart upload and deletes parts with the same number. Returns the versions (blob keys) of the deleted parts.
///
/// # Errors
/// [`Error::NoSuchUpload`] if the upload was completed or aborted meanwhile.
pub(crate) async fn insert_part(
    tx: &mut Tx,
    path: &ObjectPath,
    id: &str,
    owner: Option<&str>,
    part: &Part,
) -> Result<Vec<String>> {
    // Lock the multipart upload. If two requests insert the same part number at the same time, the later insert replaces the part of the
    // earlier one.
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

/// Deletes a multipart upload and its parts.
pub(crate) async fn delete(tx: &mut Tx, id: &str) -> Result<()> {
    sqlx::query!("delete from storage.s3_multipart_uploads where id = $1", id).execute(&mut **tx).await?;
    Ok(())
}

/// Deletes a multipart upload, and records the entity tag of the object that it has created.
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

/// Returns the entity tag of the object that a multipart upload has created. `None` if no record of a completed upload with this id exists.
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

/// Deletes multipart uploads that were initiated before `before` and have received no part since then. Also deletes the records of uploads
/// that were completed before `before`. Returns the number of deleted uploads.
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

/// Parameters of one page of a listing of multipart uploads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListUploads<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) prefix: &'a str,
    /// Delimiter: object keys that contain it after the prefix are grouped. Empty for no grouping.
    pub(crate) delimiter: &'a str,
    /// Object key after which the page starts; empty for the first page.
    pub(crate) key_marker: &'a str,
    /// Upload id after which the page starts, among the uploads with the object key `key_marker`. If empty, all uploads with this key are
    /// skipped.
    pub(crate) id_marker: &'a str,
    pub(crate) limit: i64,
}

/// A multipart upload, or a common prefix of object keys, which has no upload id.
#[derive(Clone, Debug)]
pub(crate) struct ListedUpload {
    pub(crate) key: String,
    pub(crate) id: Option<String>,
    pub(crate) created_at: Option<DateTime<Utc>>,
}

/// Lists the multipart uploads of a bucket that the transaction's role can see, by object key and upload id in byte order.
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
