//! Background tasks of the storage API.

use crate::error::Result;
use crate::state::StorageState;
use crate::{buffer_pool, sweep};

/// Sweeps leftover bytes, measures the capacity, and unmaps idle buffers, until the state's shutdown token is cancelled.
pub async fn background(state: StorageState) {
    let capacity = state.capacity().watch(state.database(), state.shutdown());
    let buffers = buffer_pool::release_idle(state.shutdown().clone());
    tokio::join!(sweep::run(state.clone()), capacity, buffers);
}

/// Measures the capacity of the store now.
///
/// # Errors
/// When the database cannot be queried.
pub async fn measure_capacity(state: &StorageState) -> Result<()> {
    state.capacity().measure(state.database()).await
}
