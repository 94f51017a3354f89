//! Remembering the rows of objects that are served to everybody or through signed links, so that serving them again asks no
//! database. What the policies decide is never remembered.
//!
//! PostgreSQL tells of every change (see the platform's SQL), on whichever node or in SQL it is made; an upload that replaces a file
//! tells by itself (`rows/question.rs`). While PostgreSQL's voice cannot be heard, nothing is remembered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use cloch_sql::client::PING_TIMEOUT;
use moka::sync::Cache;
use sqlx::postgres::PgListener;
use tokio::time::timeout;

use crate::backend::BlobKey;
use crate::object::meta::Meta;
use crate::state::StorageState;

pub(crate) const CHANNEL: &str = "cloch_storage";
/// However reliable the telling is: nothing is believed for longer.
const LIFE: Duration = Duration::from_secs(60);
const RECONNECT: Duration = Duration::from_secs(1);
/// When nothing was told for this long, PostgreSQL is asked whether it is there.
const PING_INTERVAL: Duration = Duration::from_secs(5);
/// A larger blob is read each time, which takes less than sending it.
const LARGEST_BLOB: u64 = 32 * 1024;
/// The bytes of all remembered blobs together.
const BLOBS: u64 = 8 * 1024 * 1024;
/// What a remembered blob or row takes besides its bytes and texts, roughly.
const OVERHEAD: usize = 256;

/// What is remembered of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) meta: Arc<Meta>,
    /// Whether its bucket is public.
    pub(crate) public: bool,
}

/// The name of an object here and in what PostgreSQL tells. The length keeps `a/b` + `c` apart from `a` + `b/c`.
pub(crate) fn path(bucket: &str, name: &str) -> String {
    format!("{}:{bucket}/{name}", bucket.chars().count())
}

/// The memory.
#[derive(Debug)]
pub(crate) struct Memory {
    objects: Cache<String, Arc<Known>>,
    /// Small blobs. A blob never changes, so it is only a matter of room; what makes it visible is its row.
    blobs: Option<Cache<BlobKey, Bytes>>,
    listening: AtomicBool,
    /// Counts changes, so that a row read before one is not remembered after it.
    changes: AtomicU64,
}

impl Memory {
    /// A memory of rows that take so many bytes together.
    pub(crate) fn new(capacity: u64) -> Self {
        let weight = |path: &String, known: &Arc<Known>| {
            u32::try_from(OVERHEAD + path.len() + known.meta.weight()).unwrap_or(u32::MAX)
        };
        let objects = Cache::builder().max_capacity(capacity).weigher(weight).time_to_live(LIFE).build();
        let blobs = Cache::builder()
            .max_capacity(BLOBS)
            .weigher(|_, bytes: &Bytes| u32::try_from(bytes.len() + OVERHEAD).unwrap_or(u32::MAX))
            .time_to_live(LIFE);
        let blobs = (capacity > 0).then(|| blobs.build());
        Self { objects, blobs, listening: AtomicBool::new(false), changes: AtomicU64::new(0) }
    }

    /// The size of the largest blob that is remembered.
    pub(crate) fn largest_blob(&self) -> u64 {
        if self.blobs.is_some() { LARGEST_BLOB } else { 0 }
    }

    /// The bytes of a blob.
    pub(crate) fn blob(&self, key: BlobKey) -> Option<Bytes> {
        self.blobs.as_ref()?.get(&key)
    }

    /// Remembers a blob.
    pub(crate) fn insert_blob(&self, key: BlobKey, bytes: &Bytes) {
        if let Some(blobs) = &self.blobs {
            blobs.insert(key, bytes.clone());
        }
    }

    /// What is known of an object.
    pub(crate) fn get(&self, path: &str) -> Option<Arc<Known>> {
        self.listening.load(Ordering::Acquire).then(|| self.objects.get(path)).flatten()
    }

    /// A mark to be taken before a row is read that shall be remembered.
    pub(crate) fn mark(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Remembers a row, unless anything has changed since the mark.
    pub(crate) fn insert(&self, mark: u64, path: &str, known: &Arc<Known>) {
        if self.listening.load(Ordering::Acquire) && self.mark() == mark {
            self.objects.insert(path.to_owned(), known.clone());
            // A change may have come between the look and the insertion.
            if self.mark() != mark {
                self.objects.invalidate(path);
            }
        }
    }

    /// Forgets an object.
    pub(crate) fn forget_object(&self, bucket: &str, name: &str) {
        self.forget(&path(bucket, name));
    }

    /// Forgets everything.
    pub(crate) fn forget_all(&self) {
        self.forget("");
    }

    /// Forgets the object at a path, or all of them for the empty one.
    fn forget(&self, path: &str) {
        self.changes.fetch_add(1, Ordering::AcqRel);
        if path.is_empty() {
            self.objects.invalidate_all();
        } else {
            self.objects.invalidate(path);
        }
    }

    fn set_listening(&self, listening: bool) {
        self.listening.store(listening, Ordering::Release);
        self.forget_all();
    }
}

/// Listens to changes until the server shuts down.
pub(crate) async fn listen(state: StorageState) {
    let shutdown = state.shutdown().clone();
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            outcome = hear(&state) => {
                state.memory().set_listening(false);
                if let Err(error) = outcome {
                    tracing::warn!("changes of objects cannot be heard, so none are remembered: {error}");
                }
            }
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(RECONNECT) => {}
        }
    }
}

/// Listens on one connection until it breaks.
async fn hear(state: &StorageState) -> sqlx::Result<()> {
    let mut listener = PgListener::connect_with(state.database().admin()).await?;
    listener.listen(CHANNEL).await?;
    state.memory().set_listening(true);
    loop {
        match timeout(PING_INTERVAL, listener.try_recv()).await {
            Ok(Ok(Some(change))) => state.memory().forget(change.payload()),
            Ok(Ok(None)) => return Ok(()),
            Ok(Err(error)) => return Err(error),
            // Silence may be a network that broke without a word.
            Err(_) => {
                let ping = timeout(PING_TIMEOUT, sqlx::raw_sql("").execute(&mut listener));
                ping.await.map_err(|_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))??;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn known() -> Arc<Known> {
        Arc::new(Known { meta: Arc::new(Meta::of_metadata(None)), public: true })
    }

    #[test]
    fn nothing_is_remembered_unheard() {
        let memory = Memory::new(10_000);
        memory.insert(memory.mark(), "b/a", &known());
        assert_eq!(memory.get("b/a"), None);
        memory.set_listening(true);
        memory.insert(memory.mark(), "b/a", &known());
        assert!(memory.get("b/a").is_some());
        memory.set_listening(false);
        assert_eq!(memory.get("b/a"), None);
    }

    #[test]
    fn long_rows_push_each_other_out() {
        let memory = Memory::new(64 * 1024);
        memory.set_listening(true);
        let metadata = serde_json::json!({ "cacheControl": "x".repeat(8 * 1024) });
        let long = Arc::new(Known { meta: Arc::new(Meta::of_metadata(Some(&metadata))), public: true });
        for number in 0..100 {
            memory.insert(memory.mark(), &format!("b/{number}"), &long);
        }
        memory.objects.run_pending_tasks();
        assert!(memory.objects.entry_count() < 8, "{} rows", memory.objects.entry_count());
        assert!(memory.objects.weighted_size() <= 64 * 1024);
    }

    #[test]
    fn a_row_read_before_a_change_is_not_remembered_after_it() {
        let memory = Memory::new(10_000);
        memory.set_listening(true);
        let mark = memory.mark();
        memory.forget("b/a");
        memory.insert(mark, "b/a", &known());
        assert_eq!(memory.get("b/a"), None);
        memory.insert(memory.mark(), "b/a", &known());
        memory.forget("b/other");
        assert!(memory.get("b/a").is_some());
        memory.forget("");
        assert_eq!(memory.get("b/a"), None);
    }
}
