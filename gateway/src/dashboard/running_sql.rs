//! SQL scripts that are running on this node. Each is identified by the operator's id, and by an id that the browser chose for the script.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cloch_sql::client::Canceller;
use uuid::Uuid;

/// Handles for cancelling running SQL scripts. The number of handles is bounded by the maximum number of SQL sessions.
#[derive(Debug, Default)]
pub struct Running {
    by_id: Arc<Mutex<HashMap<(Uuid, Uuid), Canceller>>>,
}

/// A running SQL script. If the value is dropped without a call of `end`, for example because the client has disconnected, the script is
/// cancelled.
pub(in crate::dashboard) struct Run {
    by_id: Arc<Mutex<HashMap<(Uuid, Uuid), Canceller>>>,
    id: (Uuid, Uuid),
    canceller: Canceller,
    has_ended: bool,
}

impl Running {
    pub(in crate::dashboard) fn begin(&self, operator: Uuid, id: Option<Uuid>, canceller: Canceller) -> Run {
        let id = (operator, id.unwrap_or_else(Uuid::new_v4));
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner).insert(id, canceller.clone());
        Run { by_id: Arc::clone(&self.by_id), id, canceller, has_ended: false }
    }

    pub(in crate::dashboard) fn find(&self, id: (Uuid, Uuid)) -> Option<Canceller> {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }
}

impl Run {
    pub(in crate::dashboard) fn end(mut self) {
        self.has_ended = true;
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        if self.has_ended {
            return;
        }
        let canceller = self.canceller.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = canceller.cancel().await {
                    tracing::debug!(%error, "dashboard: cancelling a running SQL script failed");
                }
            });
        }
    }
}
