//! Manages the locks of resumable uploads that requests of this node hold.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::backend::BlobKey;

/// Locks of resumable uploads that requests of this node hold, each with its holder and the token that cancels the holder's request. If a
/// second request for the same upload arrives at this node, it cancels the first request directly.
#[derive(Clone, Debug, Default)]
pub(crate) struct UploadLocks(Arc<Mutex<HashMap<BlobKey, (Uuid, CancellationToken)>>>);

impl UploadLocks {
    fn held(&self) -> MutexGuard<'_, HashMap<BlobKey, (Uuid, CancellationToken)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stop(&self, version: BlobKey) {
        if let Some((_, stop)) = self.held().get(&version) {
            stop.cancel();
        }
    }

    pub(crate) fn insert(&self, version: BlobKey, holder: Uuid, stop: CancellationToken) {
        self.held().insert(version, (holder, stop));
    }

    pub(crate) fn remove(&self, version: BlobKey, holder: Uuid) {
        let mut held = self.held();
        if held.get(&version).is_some_and(|(current, _)| *current == holder) {
            held.remove(&version);
        }
    }
}
