//! A cache of objects that are served publicly or by signed URL, so that serving them again needs no query. Objects whose access policies
//! decide are never cached.
//!
//! The node that changes an object through this API invalidates it at once. Changes on other nodes or in SQL are not noticed: no entry is
//! served for longer than [`TTL`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use moka::sync::Cache;
use tokio::time::Instant;

use crate::backend::BlobKey;
use crate::model::meta::Meta;
use crate::model::object_path::ObjectPath;

/// How long an object may still be served after another node has replaced, deleted or hidden it.
const TTL: Duration = Duration::from_secs(1);
/// Size above which a blob is not cached: reading it takes less time than sending it.
const MAX_BLOB_BYTES: u64 = 32 * 1024;
/// The bytes of all cached blobs together.
const BLOBS_CAPACITY_BYTES: u64 = 8 * 1024 * 1024;
/// Idle time after which a blob is evicted. A blob never changes, so this only frees memory.
const BLOB_IDLE_TIME: Duration = Duration::from_secs(60);
/// What an entry takes besides its bytes and texts, roughly.
const ENTRY_OVERHEAD_BYTES: usize = 256;

/// An object as it is served.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CachedObject {
    pub(crate) meta: Arc<Meta>,
    /// Whether its bucket is public.
    pub(crate) public: bool,
}

/// The objects and small blobs that this node has served lately.
#[derive(Debug)]
pub(crate) struct ObjectCache {
    objects: Cache<ObjectPath, (Arc<CachedObject>, Instant)>,
    blobs: Option<Cache<BlobKey, Bytes>>,
    /// Counts invalidations: a row that was read before an invalidation is not cached after it.
    generation: AtomicU64,
}

impl ObjectCache {
    /// A cache whose objects take so many bytes together. Zero turns it off.
    pub(crate) fn new(capacity_bytes: u64) -> Self {
        let weight = |path: &ObjectPath, (object, _): &(Arc<CachedObject>, Instant)| {
            let texts = path.bucket.len() + path.name.len() + object.meta.weight();
            u32::try_from(ENTRY_OVERHEAD_BYTES + texts).unwrap_or(u32::MAX)
        };
        let blobs = Cache::builder()
            .max_capacity(BLOBS_CAPACITY_BYTES)
            .weigher(|_, bytes: &Bytes| u32::try_from(bytes.len() + ENTRY_OVERHEAD_BYTES).unwrap_or(u32::MAX))
            .time_to_idle(BLOB_IDLE_TIME);
        Self {
            objects: Cache::builder().max_capacity(capacity_bytes).weigher(weight).build(),
            blobs: (capacity_bytes > 0).then(|| blobs.build()),
            generation: AtomicU64::new(0),
        }
    }

    /// The size of the largest blob that is cached.
    pub(crate) fn max_blob_bytes(&self) -> u64 {
        if self.blobs.is_some() { MAX_BLOB_BYTES } else { 0 }
    }

    /// The bytes of a blob.
    pub(crate) fn blob(&self, key: BlobKey) -> Option<Bytes> {
        self.blobs.as_ref()?.get(&key)
    }

    /// Caches a blob.
    pub(crate) fn insert_blob(&self, key: BlobKey, bytes: &Bytes) {
        if let Some(blobs) = &self.blobs {
            blobs.insert(key, bytes.clone());
        }
    }

    /// An object that was cached less than [`TTL`] ago.
    pub(crate) fn get(&self, path: &ObjectPath) -> Option<Arc<CachedObject>> {
        let (object, read_at) = self.objects.get(path)?;
        (read_at.elapsed() < TTL).then_some(object)
    }

    /// Marks the beginning of a read whose row is to be cached.
    pub(crate) fn begin_read(&self) -> Read {
        Read { generation: self.generation.load(Ordering::Acquire), at: Instant::now() }
    }

    /// Caches a row, unless there was an invalidation since its read began.
    pub(crate) fn insert(&self, read: Read, path: &ObjectPath, object: &Arc<CachedObject>) {
        let is_current = || self.generation.load(Ordering::Acquire) == read.generation;
        if is_current() {
            self.objects.insert(path.clone(), (object.clone(), read.at));
            // An invalidation may have happened between the check and the insertion.
            if !is_current() {
                self.objects.invalidate(path);
            }
        }
    }

    /// Invalidates an object, after its change is committed.
    pub(crate) fn invalidate(&self, path: &ObjectPath) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.objects.invalidate(path);
    }

    /// Invalidates all objects, after a change of a bucket is committed.
    pub(crate) fn invalidate_all(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.objects.invalidate_all();
    }
}

/// The cache's generation at the beginning of a read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    generation: u64,
    at: Instant,
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn object() -> Arc<CachedObject> {
        Arc::new(CachedObject { meta: Arc::new(Meta::of_metadata(None)), public: true })
    }

    fn path(name: &str) -> ObjectPath {
        ObjectPath::new("b", name)
    }

    #[tokio::test(start_paused = true)]
    async fn no_object_is_served_for_longer_than_its_time_to_live() {
        assert!(TTL <= Duration::from_secs(1), "what is promised of changes on other nodes");
        let cache = ObjectCache::new(10_000);
        let read = cache.begin_read();
        // It counts from the reading of the row, however late it is cached.
        advance(TTL / 2).await;
        cache.insert(read, &path("a"), &object());
        advance(TTL / 2 - Duration::from_millis(1)).await;
        assert!(cache.get(&path("a")).is_some());
        advance(Duration::from_millis(1)).await;
        assert_eq!(cache.get(&path("a")), None);
        cache.insert(cache.begin_read(), &path("a"), &object());
        assert!(cache.get(&path("a")).is_some(), "it is cached anew");
    }

    #[tokio::test(start_paused = true)]
    async fn long_rows_push_each_other_out() {
        let cache = ObjectCache::new(64 * 1024);
        let metadata = serde_json::json!({ "cacheControl": "x".repeat(8 * 1024) });
        let long = Arc::new(CachedObject { meta: Arc::new(Meta::of_metadata(Some(&metadata))), public: true });
        for number in 0..100 {
            cache.insert(cache.begin_read(), &path(&number.to_string()), &long);
        }
        cache.objects.run_pending_tasks();
        assert!(cache.objects.entry_count() < 8, "{} rows", cache.objects.entry_count());
        assert!(cache.objects.weighted_size() <= 64 * 1024);
    }

    #[tokio::test(start_paused = true)]
    async fn a_row_read_before_an_invalidation_is_not_cached_after_it() {
        let cache = ObjectCache::new(10_000);
        let read = cache.begin_read();
        cache.invalidate(&path("a"));
        cache.insert(read, &path("a"), &object());
        assert_eq!(cache.get(&path("a")), None);
        cache.insert(cache.begin_read(), &path("a"), &object());
        cache.invalidate(&path("other"));
        assert!(cache.get(&path("a")).is_some());
        cache.invalidate_all();
        assert_eq!(cache.get(&path("a")), None);
    }
}
