//! What runs beside the requests.

use crate::state::StorageState;
use crate::{blocks, remember, space, sweep};

/// Clears leftovers away, listens to changes, watches how full everything is, and gives memory back, until the state's shutdown token is cancelled.
pub async fn background(state: StorageState) {
    let listening = async {
        if state.settings().remembered_bytes > 0 {
            remember::listen(state.clone()).await;
        }
    };
    let watching = space::watch(state.clone());
    tokio::join!(sweep::run(state.clone()), listening, watching, blocks::tend(state.shutdown().clone()));
}
