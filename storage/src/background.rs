//! Background tasks of the storage API.

use crate::error::Result;
use crate::state::StorageState;
use crate::{buffer_pool, sweep};

/// Runs the periodic cleanup of orphaned blobs, the capacity measurement and the release of idle buffers until the shutdown token of
/// `state` is cancelled.
pub async fn background(state: StorageState) {
    let capacity = state.capacity().watch(state.database(), state.shutdown());
    let buffers = buffer_pool::release_idle(state.shutdown().clone());
    tokio::join!(sweep::run(state.clone()), capacity, buffers);
}

/// Measures the used capacity of the storage once.
///
/// # Errors
/// If the database query fails.
pub async fn measure_capacity(state: &StorageState) -> Result<()> {
    state.capacity().measure(state.database()).await
}
