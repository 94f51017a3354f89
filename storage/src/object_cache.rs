//! Caches objects that are served publicly or by signed URL, so that repeated requests need no database query. Objects are never cached if
//! RLS policies control access to them.
//!
//! A change through this API invalidates the cached object immediately on the same node. Changes on other nodes or by SQL are not detected,
//! so no cached object is served for longer than [`TTL`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use moka::sync::Cache;
use tokio::time::Instant;

use crate::backend::BlobKey;
use crate::model::meta::Meta;
use crate::model::object_path::ObjectPath;

/// Maximum time for which a node may still serve a cached object after another node has replaced, deleted or hidden the object.
const TTL: Duration = Duration::from_secs(1);
/// Blobs larger than this number of bytes are not cached, because reading them takes less time than sending them.
const MAX_BLOB_BYTES: u64 = 32 * 1024;
/// Maximum total size of all cached blobs in bytes.
const BLOBS_CAPACITY_BYTES: u64 = 8 * 1024 * 1024;
/// Idle time after which a cached blob is evicted. A blob never changes, so eviction only frees memory.
const BLOB_IDLE_TIME: Duration = Duration::from_secs(60);
/// Estimated memory per cache entry in bytes, in addition to the entry's content and strings.
const ENTRY_OVERHEAD_BYTES: usize = 256;

/// A cached row of an object, with the visibility of its bucket.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CachedObject {
    pub(crate) meta: Arc<Meta>,
    /// Whether the bucket of the object is public.
    pub(crate) public: bool,
}

/// Cache of the objects and small blobs that this node served recently.
#[derive(Debug)]
pub(crate) struct ObjectCache {
    objects: Cache<ObjectPath, (Arc<CachedObject>, Instant)>,
    blobs: Option<Cache<BlobKey, Bytes>>,
    /// Number of invalidations of the cache. A row whose query began before an invalidation is not cached, because the row may be outdated.
    generation: AtomicU64,
}

impl ObjectCache {
    /// Creates a cache that holds at most `capacity_bytes` of object rows. The capacity 0 disables the cache.
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

    /// Returns the maximum size of a cached blob in bytes; 0 if the cache is disabled.
    pub(crate) fn max_blob_bytes(&self) -> u64 {
        if self.blobs.is_some() { MAX_BLOB_BYTES } else { 0 }
    }

    pub(crate) fn blob(&self, key: BlobKey) -> Option<Bytes> {
        self.blobs.as_ref()?.get(&key)
    }

    pub(crate) fn insert_blob(&self, key: BlobKey, bytes: &Bytes) {
        if let Some(blobs) = &self.blobs {
            blobs.insert(key, bytes.clone());
        }
    }

    /// Returns a cached object; `None` if the object is not cached or was cached [`TTL`] ago or earlier.
    pub(crate) fn get(&self, path: &ObjectPath) -> Option<Arc<CachedObject>> {
        let (object, read_at) = self.objects.get(path)?;
        (read_at.elapsed() < TTL).then_some(object)
    }

    /// Returns the generation of the cache (the number of invalidations) and the current time. Call this function before the query for a
    /// row that will be cached.
    pub(crate) fn begin_read(&self) -> Read {
        Read { generation: self.generation.load(Ordering::Acquire), at: Instant::now() }
    }

    /// Caches an object's row, unless an invalidation happened after [`ObjectCache::begin_read`].
    pub(crate) fn insert(&self, read: Read, path: &ObjectPath, object: &Arc<CachedObject>) {
        let is_current = || self.generation.load(Ordering::Acquire) == read.generation;
        if is_current() {
            self.objects.insert(path.clone(), (object.clone(), read.at));
            // Remove the row again if an invalidation happened between the check and the insertion.
            if !is_current() {
                self.objects.invalidate(path);
            }
        }
    }

    /// Invalidates one object. Call this function after the commit of the transaction that changed the object.
    pub(crate) fn invalidate(&self, path: &ObjectPath) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.objects.invalidate(path);
    }

    /// Invalidates all objects. Call this function after the commit of a change of a bucket.
    pub(crate) fn invalidate_all(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
        self.objects.invalidate_all();
    }
}

/// The generation of the cache and the time at the start of reading a row.
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
        // Tests that the time to live starts at [`ObjectCache::begin_read`], not at the insertion.
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
