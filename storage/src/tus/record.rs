//! The database row of a resumable upload.

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::error::{Result, TusError};
use super::headers::Metadata;
use super::upload_url::UploadId;
use crate::backend::{Assembly, BlobKey};
use crate::db::saturating_int;
use crate::model::owner::Owner;
use crate::state::StorageState;
use crate::validation::media_type::MediaType;

/// A resumable upload and its progress, as stored in `cloch.storage_uploads`.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) id: UploadId,
    pub(crate) length: Option<u64>,
    pub(crate) content_type: Option<MediaType>,
    pub(crate) cache_control: String,
    pub(crate) user_metadata: Option<Value>,
    /// Value of `Upload-Metadata`, as returned by `HEAD`.
    pub(crate) metadata: String,
    pub(crate) owner: Owner,
    pub(crate) upsert: bool,
    pub(crate) assembly: Assembly,
    /// Saved state of the content's MD5 digest; `None` before the first byte.
    pub(crate) digest_state: Option<Vec<u8>>,
    pub(crate) finishing: bool,
    pub(crate) expires_at: DateTime<Utc>,
    pub(crate) completed: bool,
}

fn to_bigint(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

fn from_bigint(size: i64) -> u64 {
    u64::try_from(size).unwrap_or(0)
}

/// Returns the expiry time of a resumable upload that receives content now.
pub(crate) fn expiry(state: &StorageState) -> DateTime<Utc> {
    let life = chrono::Duration::from_std(state.settings().resumable_life).unwrap_or(chrono::Duration::days(1));
    Utc::now() + life
}

impl Record {
    /// Inserts a new resumable upload.
    ///
    /// # Errors
    /// 429 if the network of a visitor (a caller without a session) has too many unfinished uploads.
    pub(crate) async fn insert(
        state: &StorageState,
        id: UploadId,
        length: Option<u64>,
        metadata: Metadata,
        owner: &Owner,
        upsert: bool,
        network: Option<&str>,
    ) -> Result<Self> {
        let expires_at = expiry(state);
        sqlx::query!(
            "insert into cloch.storage_uploads (version, bucket_id, object_name, length_bytes, content_type,
                                                cache_control, user_metadata, upload_metadata, owner_id, upsert, expires_at)
             values (cloch.begin_upload($1, $12, $13), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            id.version.uuid(),
            id.path.bucket,
            id.path.name,
            length.map(to_bigint),
            metadata.content_type.as_ref().map(MediaType::as_str),
            metadata.cache_control,
            metadata.user_metadata,
            metadata.text,
            owner.id,
            upsert,
            expires_at,
            network,
            saturating_int(state.settings().visitors.unfinished_uploads.into()),
        )
        .execute(state.database().admin())
        .await?;
        Ok(Self {
            id,
            length,
            content_type: metadata.content_type,
            cache_control: metadata.cache_control,
            user_metadata: metadata.user_metadata,
            metadata: metadata.text,
            owner: owner.clone(),
            upsert,
            assembly: Assembly::default(),
            digest_state: None,
            finishing: false,
            expires_at,
            completed: false,
        })
    }

    /// Returns a resumable upload that has not expired.
    ///
    /// # Errors
    /// 404 if the upload does not exist.
    pub(crate) async fn find(state: &StorageState, id: &UploadId) -> Result<Self> {
        let row = sqlx::query!(
            "select length_bytes, offset_bytes, content_type, cache_control, user_metadata, upload_metadata, owner_id, upsert,
                    assembly, checksum, finishing, expires_at, completed_at
               from cloch.storage_uploads
              where version = $1 and bucket_id = $2 and object_name = $3 and expires_at > now()",
            id.version.uuid(),
            id.path.bucket,
            id.path.name,
        )
        .fetch_optional(state.database().admin())
        .await?
        .ok_or(TusError::NOT_FOUND)?;
        Ok(Self {
            id: id.clone(),
            length: row.length_bytes.map(from_bigint),
            content_type: row.content_type.as_deref().map(MediaType::parse_or_default),
            cache_control: row.cache_control,
            user_metadata: row.user_metadata,
            metadata: row.upload_metadata,
            owner: Owner::of(row.owner_id.as_deref()),
            upsert: row.upsert,
            assembly: Assembly { size: from_bigint(row.offset_bytes), state: row.assembly },
            digest_state: row.checksum,
            finishing: row.finishing,
            expires_at: row.expires_at,
            completed: row.completed_at.is_some(),
        })
    }

    /// Returns the number of stored bytes: the value of `Upload-Offset`.
    pub(crate) fn offset(&self) -> u64 {
        self.assembly.size
    }

    /// Whether all bytes of the resumable upload have been received.
    pub(crate) fn is_whole(&self) -> bool {
        self.length == Some(self.offset())
    }

    /// Saves the progress of the resumable upload if this request still holds the upload lock. Returns whether the request holds the lock.
    pub(crate) async fn save(&mut self, state: &StorageState, holder: Uuid) -> Result<bool> {
        self.expires_at = expiry(state);
        let saved = sqlx::query!(
            "update cloch.storage_uploads
                set length_bytes = $3, offset_bytes = $4, assembly = $5, checksum = $6, finishing = $7, owner_id = $8,
                    upsert = $9, expires_at = $10
              where version = $1 and held_by = $2",
            self.id.version.uuid(),
            holder,
            self.length.map(to_bigint),
            to_bigint(self.assembly.size),
            self.assembly.state,
            self.digest_state,
            self.finishing,
            self.owner.id,
            self.upsert,
            self.expires_at,
        )
        .execute(state.database().admin())
        .await?;
        Ok(saved.rows_affected() > 0)
    }

    pub(crate) async fn complete(&mut self, state: &StorageState) -> Result<()> {
        sqlx::query!(
            "update cloch.storage_uploads set completed_at = now(), finishing = false where version = $1",
            self.id.version.uuid(),
        )
        .execute(state.database().admin())
        .await?;
        self.completed = true;
        Ok(())
    }
}

pub(crate) async fn delete(state: &StorageState, version: BlobKey) -> Result<()> {
    sqlx::query!("delete from cloch.storage_uploads where version = $1", version.uuid())
        .execute(state.database().admin())
        .await?;
    Ok(())
}

/// Deletes expired uploads and their content. Returns the number of deleted uploads.
///
/// # Errors
/// The first error of a deletion. The next cleanup deletes the remaining uploads.
pub(crate) async fn expire(state: &StorageState) -> crate::Result<u64> {
    let expired = sqlx::query!(
        "select version, offset_bytes, assembly, completed_at is not null as \"completed!\"
           from cloch.storage_uploads
          where expires_at <= now() and (held_until is null or held_until < now())
          limit 1000",
    )
    .fetch_all(state.database().admin())
    .await?;
    sqlx::query!("select cloch.forget_ended_uploads(null)").execute(state.database().admin()).await?;
    let count = expired.len() as u64;
    for row in expired {
        let Some(key) = BlobKey::parse(&row.version.to_string()) else { continue };
        if !row.completed {
            state.backend().abandon(key, Assembly { size: from_bigint(row.offset_bytes), state: row.assembly }).await?;
        }
        sqlx::query!("delete from cloch.storage_uploads where version = $1", row.version)
            .execute(state.database().admin())
            .await?;
    }
    Ok(count)
}
