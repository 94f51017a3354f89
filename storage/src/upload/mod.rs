//! How bytes become an object, from top to bottom: the request is read (`request`, `form`), PostgreSQL allows it (`authorize`), the bytes
//! are checked (`limits`, `first_bytes`), hashed (`digest`) and stored under a version that no row names yet, and a row makes them
//! visible (`commit`). A failure or a crash at any point leaves the old object or the new one, never a mixture.

pub(crate) mod authorize;
pub(crate) mod checksum;
pub(crate) mod commit;
pub(crate) mod content_md5;
pub(crate) mod first_bytes;
pub(crate) mod form;
pub(crate) mod limits;
pub(crate) mod preconditions;
pub(crate) mod request;
pub(crate) mod visitor_quota;

use axum::body::Body;
use uuid::Uuid;

use self::authorize::find_bucket;
use self::checksum::Checksum;
use self::commit::{NewVersion, UncommittedBlob};
use self::first_bytes::FirstBytes;
use self::form::TrailingFields;
use self::request::{FileDetails, IncomingFile};
use crate::backend::BlobKey;
use crate::byte_stream::buffer;
use crate::byte_stream::digest::Digest;
use crate::db::buckets::BucketRules;
use crate::error::{Error, Result};
use crate::metrics;
use crate::model::blob::StoredBlob;
use crate::model::object_path::ObjectPath;
use crate::model::owner::Owner;
use crate::operation::Operation;
use crate::request::Authenticated;
use crate::state::StorageState;
use crate::validation::names;

/// An upload of one file: who sends it, and where it goes.
pub(crate) struct Upload<'a> {
    pub(crate) state: &'a StorageState,
    pub(crate) identity: &'a Authenticated,
    pub(crate) operation: Operation,
    pub(crate) target: UploadTarget,
}

/// Where a file goes, and how.
#[derive(Clone, Debug)]
pub(crate) struct UploadTarget {
    pub(crate) path: ObjectPath,
    pub(crate) owner: Owner,
    /// Whether an object that is there may be replaced.
    pub(crate) upsert: bool,
    /// The entity tag, with its quotes, that a replaced object must have, where one is demanded.
    pub(crate) if_match: Option<String>,
    /// Whether the policies decide. For a signed URL they have, when it was signed.
    pub(crate) check_policies: bool,
}

/// An object that has been stored.
#[derive(Clone, Debug)]
pub(crate) struct StoredObject {
    /// Its row's id.
    pub(crate) id: Uuid,
    /// Its entity tag, without quotes.
    pub(crate) etag: String,
    /// Its version, where its bucket keeps versions.
    pub(crate) version: Option<String>,
    /// The checksum that came with its bytes and that they have.
    pub(crate) checksum: Option<Checksum>,
}

impl Upload<'_> {
    /// Stores the file in a request's body.
    ///
    /// # Errors
    /// When the bucket's rules, the policies or the bytes do not allow it. Nothing is left behind then.
    pub(crate) async fn receive(self, body: Body) -> Result<StoredObject> {
        names::valid_bucket(&self.target.path.bucket)?;
        match request::open(self.identity.headers(), body, self.state.settings().slow_client).await {
            Ok(file) => self.store(file).await,
            Err(malformed) => {
                find_bucket(self.state, &self.target.path.bucket).await?;
                Err(malformed)
            }
        }
    }

    /// Stores a file.
    ///
    /// # Errors
    /// As [`Upload::receive`].
    pub(crate) async fn store(self, file: IncomingFile) -> Result<StoredObject> {
        metrics::UPLOADS_STARTED.inc();
        let IncomingFile { mut details, bytes, trailing } = file;
        // That of a form is not the file's.
        let declared_size = if trailing.is_none() { details.declared_length } else { None };
        let rules = self.admit(&details, declared_size).await?;

        let (state, path) = (self.state, &self.target.path);
        let bytes = limits::limited(bytes, limits::max_file_bytes(state, &rules, &path.name));
        let bytes = state.capacity().guard(bytes, declared_size)?;
        let (bytes, first_bytes) = first_bytes::checked(bytes, &rules, &path.name, &details.mimetype);
        let (key, digest) = (BlobKey::fresh(), Digest::default());
        let size = state.backend().put(key, digest.over(buffer::buffered(bytes))).await?;
        let uncommitted = UncommittedBlob::new(state, key);

        if let Some(trailing) = trailing {
            details = self.with_trailing_fields(&rules, &first_bytes, details, trailing).await?;
        }
        let blob = StoredBlob { key, size, etag: digest.hex().await };
        let (uncommitted, blob) =
            uncommitted.strip_metadata(&path.bucket, blob, (&details.mimetype, &details.representation)).await?;
        let mut metadata =
            commit::metadata(&blob, &details.mimetype, details.cache_control.as_str(), details.robots.as_deref());
        details.representation.describe(&mut metadata);
        let checksum = details.checksum.get().filter(|_| blob.key == key).cloned();
        checksum.iter().for_each(|checksum| checksum.describe(&mut metadata));
        let object = NewVersion {
            path: self.target.path,
            owner: self.target.owner,
            upsert: self.target.upsert,
            if_match: self.target.if_match,
            key: blob.key,
            metadata,
            user_metadata: Some(details.user_metadata.unwrap_or_else(|| serde_json::json!({}))),
        };
        let written = uncommitted.commit(self.identity, self.operation, object).await?;
        let version = written.is_versioned.then(|| blob.key.to_string());
        Ok(StoredObject { id: written.id, etag: blob.etag, version, checksum })
    }

    /// The details with the fields that a form had after the file; what these change is checked again.
    async fn with_trailing_fields(
        &self,
        rules: &BucketRules,
        first_bytes: &FirstBytes,
        before: FileDetails,
        trailing: TrailingFields,
    ) -> Result<FileDetails> {
        let fields = trailing.await.map_err(|source| Error::internal("reading a form")(source.into()))?;
        let mut details = before.clone();
        fields.describe(&mut details)?;
        let has_other_type = details.mimetype != before.mimetype;
        if has_other_type {
            first_bytes::check_again(rules, &self.target.path.name, &details.mimetype, first_bytes)?;
        }
        if self.target.check_policies && (has_other_type || details.user_metadata != before.user_metadata) {
            self.check_policies(&details, None).await?;
        }
        Ok(details)
    }
}
