//! The blobs that the backup still lacks, in the order in which they came.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

use super::BlobKey;

/// Deleted blobs that wait for their copy. Beyond that, blobs are deleted at once: a target that does not answer must not fill the disk.
const MAX_DELETED: usize = 20_000;

/// The blobs that the backup still lacks.
#[derive(Debug, Default)]
pub struct NewBlobs {
    state: Mutex<State>,
    added: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// How many were added up to now.
    count: u64,
    /// Those that wait or are being copied, by their number.
    waiting: BTreeMap<u64, BlobKey>,
    /// The same, by their key.
    numbers: HashMap<BlobKey, u64>,
    /// Those of them that no copy has taken.
    queue: VecDeque<BlobKey>,
    /// Those waiting that are to be deleted after they were copied.
    deleted: HashSet<BlobKey>,
    /// Whether the blobs from before the start were compared with the backup. Until then any may be missing there.
    is_compared: bool,
}

impl NewBlobs {
    /// Adds a blob to copy.
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

    /// Waits until a blob is added, or was since the last call.
    pub async fn added(&self) {
        self.added.notified().await;
    }

    /// Notes that the blobs from before the start are in the backup, or were added.
    pub fn compared(&self) {
        self.lock().is_compared = true;
    }

    /// Whether they were.
    #[must_use]
    pub fn is_compared(&self) -> bool {
        self.lock().is_compared
    }

    /// Takes the next blob to copy.
    #[must_use]
    pub fn take(&self) -> Option<BlobKey> {
        self.lock().queue.pop_front()
    }

    /// Lets all be taken again that were taken and not copied.
    pub fn put_back(&self) {
        let mut state = self.lock();
        state.queue = state.waiting.values().copied().collect();
    }

    /// The number that the next blob gets.
    #[must_use]
    pub fn next_number(&self) -> u64 {
        self.lock().count
    }

    /// Whether all blobs below a number were copied.
    #[must_use]
    pub fn are_copied(&self, below: u64) -> bool {
        self.lock().waiting.first_key_value().is_none_or(|(first, _)| *first >= below)
    }

    /// Notes that a blob was copied; returns whether it is to be deleted now.
    #[must_use]
    pub fn copied(&self, key: BlobKey) -> bool {
        let mut state = self.lock();
        if let Some(number) = state.numbers.remove(&key) {
            state.waiting.remove(&number);
        }
        state.deleted.remove(&key)
    }

    /// Deleted blobs that were never added: those of the time before the comparison, which the backup has by now.
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

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a blob may be deleted at once; otherwise it is when it was copied.
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
