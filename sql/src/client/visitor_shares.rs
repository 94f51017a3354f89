//! The part of the visitors' connections that one network may use while they are scarce, so that the slow requests of one network do not keep
//! all other visitors out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::ClientError;

/// Networks from which on those that use nothing are forgotten.
const MAX_IDLE_NETWORKS: usize = 1024;

/// The shares of networks.
#[derive(Debug)]
pub(super) struct VisitorShares {
    /// Visitors' connections.
    total: usize,
    networks: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

impl VisitorShares {
    pub(super) fn new(total: usize) -> Self {
        Self { total, networks: Mutex::default() }
    }

    /// Waits for a part of the network's share, a quarter of all; `None` is needed while more than half of all are free.
    ///
    /// # Errors
    /// Never, but semaphores could be closed.
    pub(super) async fn acquire(
        &self,
        network: IpAddr,
        available: usize,
    ) -> Result<Option<OwnedSemaphorePermit>, ClientError> {
        if available * 2 > self.total {
            return Ok(None);
        }
        let share = self.share_of(network);
        share.acquire_owned().await.map(Some).map_err(|_| ClientError::Busy)
    }

    fn share_of(&self, network: IpAddr) -> Arc<Semaphore> {
        let mut networks = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        if networks.len() >= MAX_IDLE_NETWORKS {
            // Who uses or waits for a share holds it.
            networks.retain(|_, share| Arc::strong_count(share) > 1);
        }
        Arc::clone(networks.entry(network).or_insert_with(|| Arc::new(Semaphore::new((self.total / 4).max(1)))))
    }
}
