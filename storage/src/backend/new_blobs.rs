//! Queue of blobs that are not in the backup yet, in the order in which the blobs were written.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use super::BlobKey;

/// Maximum number of deleted blobs that are kept until they are copied to the backup. Beyond this number, blobs are deleted immediately, so
/// that an unreachable backup target does not fill the disk.
const MAX_DELETED: usize = 20_000;

/// Blobs that are not in the backup yet.
#[derive(Debug, Default)]
pub struct NewBlobs {
    state: Mutex<State>,
    added: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Number of blobs added since the start of the server, which is also the queue number of the next blob.
    count: u64,
    /// Blobs that are queued or being copied to the backup, by queue number.
    waiting: BTreeMap<u64, BlobKey>,
    /// Queue numbers of the blobs in `waiting`, by blob key.
    numbers: HashMap<BlobKey, u64>,
    /// Blobs in `waiting` that no copy task of the backup has taken.
    queue: VecDeque<BlobKey>,
    /// Blobs to delete after they are copied to the backup.
    deleted: HashSet<BlobKey>,
    /// Whether the blobs from before the start of the server have been compared with the backup. Until then, any of these blobs may be
    /// missing in the backup.
    is_compared: bool,
}

impl NewBlobs {
    /// Adds a blob that must be copied to the backup.
    pub fn add(&self, key: BlobKey) {
        let mut state = self.lock();
        let number = state.count;
        if state.numbers.contains_key(&key) {
            return;
        }
        state.count += 1;
        state.numbers.insert(key, number);
        state.waiting.insert(number, key);
        state.queue.push_back(key);
        drop(state);
        self.added.notify_one();
    }

    /// Waits until a blob is added to the queue. Returns immediately if a blob was added since the last call.
    pub async fn added(&self) {
        self.added.notified().await;
    }

    /// Records the end of the comparison: every blob that was written before the start of the server is in the backup or was added to this
    /// queue.
    pub fn compared(&self) {
        self.lock().is_compared = true;
    }

    /// Whether the blobs from before the start of the server have been compared with the backup (see [`NewBlobs::compared`]).
    #[must_use]
    pub fn is_compared(&self) -> bool {
        self.lock().is_compared
    }

    /// Removes and returns the next blob to copy to the backup; `None` if the queue is empty.
    #[must_use]
    pub fn take(&self) -> Option<BlobKey> {
        self.lock().queue.pop_front()
    }

    /// Requeues all blobs that were taken from the queue and not copied.
    pub fn put_back(&self) {
        let mut state = self.lock();
        state.queue = state.waiting.values().copied().collect();
    }

    /// Returns the queue number that the next added blob will have.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.lock().count
    }

    /// Whether all blobs with queue numbers lower than `below` are copied to the backup.
    #[must_use]
    pub fn are_copied(&self, below: u64) -> bool {
        self.lock().waiting.first_key_value().is_none_or(|(first, _)| *first >= below)
    }

    /// Records that a blob is copied to the backup. If the return value is `true`, a deletion of the blob was requested before the copy,
    /// and the caller must delete the blob now.
    #[must_use]
    pub fn copied(&self, key: BlobKey) -> bool {
        let mut state = self.lock();
        if let Some(number) = state.numbers.remove(&key) {
            state.waiting.remove(&number);
        }
        state.deleted.remove(&key)
    }

    /// Removes and returns deleted blobs that are not in the queue. They were written before the comparison with the backup, and the
    /// comparison did not add them to the queue. Therefore they are in the backup.
    #[must_use]
    pub fn take_deleted(&self) -> Vec<BlobKey> {
        let mut state = self.lock();
        let ready: Vec<BlobKey> =
            state.deleted.iter().filter(|key| !state.numbers.contains_key(key)).copied().collect();
        for key in &ready {
            state.deleted.remove(key);
        }
        ready
    }

    /// Returns the number of blobs that are not copied to the backup yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Whether all blobs are copied to the backup.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a blob may be deleted immediately. Otherwise, records the blob for deletion after its copy to the backup.
    pub(super) fn may_delete(&self, key: BlobKey) -> bool {
        let mut state = self.lock();
        let is_copied = state.is_compared && !state.numbers.contains_key(&key);
        if is_copied || state.deleted.len() >= MAX_DELETED {
            return true;
        }
        state.deleted.insert(key);
        false
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_reached_when_all_before_it_were_copied() {
        let blobs = NewBlobs::default();
        let [first, second, third] = [BlobKey::fresh(), BlobKey::fresh(), BlobKey::fresh()];
        blobs.add(first);
        blobs.add(second);
        blobs.add(first);
        let number = blobs.next_number();
        assert_eq!(number, 2, "one that waits already is added once");
        blobs.add(third);
        let taken: Vec<BlobKey> = std::iter::from_fn(|| blobs.take()).collect();
        assert_eq!(taken, [first, second, third]);
        assert!(!blobs.copied(second));
        assert!(!blobs.are_copied(number));
        assert!(blobs.are_copied(0));
        assert!(!blobs.copied(first));
        assert!(blobs.are_copied(number), "a later one does not count");
        blobs.put_back();
        assert_eq!(blobs.take(), Some(third), "what was not copied is taken again");
        assert_eq!(blobs.take(), None);
        assert_eq!(blobs.len(), 1);
    }
}
