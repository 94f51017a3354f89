//! Limits the number of ZIP archives that a node builds concurrently.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{Error, Result};

/// Maximum number of ZIP archives built concurrently on this node.
const MAX_CONCURRENT_ARCHIVES: usize = 16;

#[derive(Debug)]
pub(crate) struct ArchivePermits(Arc<Semaphore>);

impl Default for ArchivePermits {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_CONCURRENT_ARCHIVES)))
    }
}

impl ArchivePermits {
    /// Acquires a permit to build a ZIP archive.
    ///
    /// # Errors
    /// [`Error::Busy`] if [`MAX_CONCURRENT_ARCHIVES`] ZIP archives are being built.
    pub(crate) fn try_acquire(&self) -> Result<OwnedSemaphorePermit> {
        let permit = self.0.clone().try_acquire_owned();
        permit.map_err(|_| Error::Busy("Too many archives are being packed. Please try again later."))
    }
}
