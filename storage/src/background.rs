//! What runs beside the requests.

use crate::state::StorageState;
use crate::{buffer_pool, space, sweep};

/// Sweeps leftover bytes, watches how full the store is, and unmaps idle buffers, until the state's shutdown token is cancelled.
pub async fn background(state: StorageState) {
    let buffers = buffer_pool::release_idle(state.shutdown().clone());
    tokio::join!(sweep::run(state.clone()), space::watch(state.clone()), buffers);
}
