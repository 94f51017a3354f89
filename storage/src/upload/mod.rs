//! Handles uploads, from request to object. First the request is parsed (`request`, `form`) and authorized (`authorize`). Then its content
//! is checked (`limits`, `first_bytes`), hashed (`digest`) and stored as a blob to which no row refers yet. Finally an object's row is
//! written, which makes the content visible (`commit`). After a failure or crash at any point, either the old object or the new object is
//! visible.

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

/// An upload of one file: its caller and its destination.
pub(crate) struct Upload<'a> {
    pub(crate) state: &'a StorageState,
    pub(crate) identity: &'a Authenticated,
    pub(crate) operation: Operation,
    pub(crate) target: UploadTarget,
}

/// Destination of an upload and the conditions of writing the object.
#[derive(Clone, Debug)]
pub(crate) struct UploadTarget {
    pub(crate) path: ObjectPath,
    pub(crate) owner: Owner,
    /// Whether an existing object at the destination may be replaced.
    pub(crate) upsert: bool,
    /// Entity tag, including its quotes, that the replaced object must have. `None` for no condition.
    pub(crate) if_match: Option<String>,
    /// Whether RLS policies are checked. For a signed URL, the policies were checked when the URL was signed.
    pub(crate) check_policies: bool,
}

/// Result of a successful upload.
#[derive(Clone, Debug)]
pub(crate) struct StoredObject {
    /// Id of the object's row.
    pub(crate) id: Uuid,
    /// Entity tag of the stored object, without quotes.
    pub(crate) etag: String,
    /// Version id of the stored object; `None` if the bucket does not keep versions.
    pub(crate) version: Option<String>,
    /// Verified checksum that the client sent with the content.
    pub(crate) checksum: Option<Checksum>,
}

impl Upload<'_> {
    /// Stores the file in a request body as an object.
    ///
    /// # Errors
    /// If the bucket's restrictions, the RLS policies or the content do not allow the upload. The stored blob is deleted in this case.
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

    /// Stores a file as an object.
    ///
    /// # Errors
    /// The same errors as [`Upload::receive`].
    pub(crate) async fn store(self, file: IncomingFile) -> Result<StoredObject> {
        metrics::UPLOADS_STARTED.inc();
        let IncomingFile { mut details, bytes, trailing } = file;
        // In a form upload, the content length of the request is the length of the whole form and not of the file.
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

    /// Returns the file properties, including the form fields that come after the file. Checks the properties again that these fields
    /// change.
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
