//! Wraps a storage backend for the backup. Each new blob is added to the queue of blobs that the backup must copy. A blob that is deleted
//! before it is copied stays in the backend until the copy is complete, so that the backup contains the content of every object at every
//! point in time.

use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::{Assembly, Backend, BlobKey, ByteStream, Content, Listed, NewBlobs, Piece};
use crate::error::Result;

/// A storage backend and the queue of its new blobs for the backup.
#[derive(Debug)]
pub(crate) struct TrackedBackend {
    inner: Arc<dyn Backend>,
    new_blobs: Arc<NewBlobs>,
}

impl TrackedBackend {
    pub(crate) fn new(inner: Arc<dyn Backend>, new_blobs: Arc<NewBlobs>) -> Self {
        Self { inner, new_blobs }
    }

    /// Adds a blob to the backup queue as soon as the blob is complete, before the caller can write the row that refers to the blob.
    async fn noted<T>(&self, key: BlobKey, written: BoxFuture<'_, Result<T>>) -> Result<T> {
        let outcome = written.await;
        if outcome.is_ok() {
            self.new_blobs.add(key);
        }
        outcome
    }
}

impl Backend for TrackedBackend {
    fn put(&self, key: BlobKey, body: ByteStream) -> BoxFuture<'_, Result<u64>> {
        self.noted(key, self.inner.put(key, body)).boxed()
    }

    fn get(&self, key: BlobKey, range: Range<u64>) -> BoxFuture<'_, Result<Content>> {
        self.inner.get(key, range)
    }

    fn copy(&self, from: BlobKey, to: BlobKey) -> BoxFuture<'_, Result<()>> {
        self.noted(to, self.inner.copy(from, to)).boxed()
    }

    fn concatenate(&self, key: BlobKey, pieces: Vec<Piece>) -> BoxFuture<'_, Result<u64>> {
        self.noted(key, self.inner.concatenate(key, pieces)).boxed()
    }

    fn delete(&self, key: BlobKey) -> BoxFuture<'_, Result<()>> {
        if self.new_blobs.may_delete(key) { self.inner.delete(key) } else { async { Ok(()) }.boxed() }
    }

    fn list(&self, after: Option<BlobKey>, limit: usize) -> BoxFuture<'_, Result<Vec<Listed>>> {
        self.inner.list(after, limit)
    }

    fn append(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> BoxFuture<'_, Result<Assembly>> {
        self.inner.append(key, assembly, body)
    }

    fn assemble(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>> {
        self.noted(key, self.inner.assemble(key, assembly)).boxed()
    }

    fn abandon(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>> {
        self.inner.abandon(key, assembly)
    }

    fn clear_unfinished(&self, before: SystemTime) -> BoxFuture<'_, Result<u64>> {
        self.inner.clear_unfinished(before)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};

    use super::*;
    use crate::backend::file::FileBackend;

    fn body() -> ByteStream {
        stream::iter([Ok(bytes::Bytes::from_static(b"bytes"))]).boxed()
    }

    #[tokio::test]
    async fn a_blob_that_was_not_copied_outlives_its_deletion() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, new_blobs) = (Arc::new(FileBackend::open(folder.path()).unwrap()), Arc::new(NewBlobs::default()));
        let backend = TrackedBackend::new(inner.clone(), Arc::clone(&new_blobs));
        let (old, key) = (BlobKey::fresh(), BlobKey::fresh());
        inner.put(old, body()).await.unwrap();
        backend.delete(old).await.unwrap();
        assert_eq!(inner.list(None, 9).await.unwrap().len(), 1, "before the comparison nothing is deleted");

        backend.put(key, body()).await.unwrap();
        new_blobs.compared();
        assert_eq!(new_blobs.take_deleted(), [old]);
        backend.delete(key).await.unwrap();
        assert_eq!(inner.list(None, 9).await.unwrap().len(), 2);
        assert_eq!(new_blobs.take(), Some(key));
        assert!(new_blobs.copied(key), "deleted once it was copied");
        backend.delete(key).await.unwrap();
        assert_eq!(inner.list(None, 9).await.unwrap().len(), 1);
    }
}
