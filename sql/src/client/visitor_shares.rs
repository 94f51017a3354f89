//! Limits how many of the connections for visitors (callers without a session) one network (an IPv4 address or an IPv6 /64) may use while
//! connections are scarce, so that slow requests of one network do not block all other visitors.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::ClientError;

/// If more than this number of client networks (an IPv4 address or an IPv6 /64 each) is in memory, the networks without a connection are
/// removed.
const MAX_IDLE_NETWORKS: usize = 1024;

#[derive(Debug)]
pub(super) struct VisitorShares {
    /// Number of connections that all visitors together may use.
    total: usize,
    networks: Mutex<HashMap<IpAddr, Arc<Semaphore>>>,
}

impl VisitorShares {
    pub(super) fn new(total: usize) -> Self {
        Self { total, networks: Mutex::default() }
    }

    /// Waits for a permit of the network, which may use a quarter of all connections for visitors. Returns `None` at once, without a
    /// permit, while more than half of the connections for visitors are free.
    ///
    /// # Errors
    /// Never fails, because the semaphores are never closed.
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
            // Each request that uses a share or waits for a permit of a share holds a reference to it. Shares to which only the map refers
            // are removed.
            networks.retain(|_, share| Arc::strong_count(share) > 1);
        }
        Arc::clone(networks.entry(network).or_insert_with(|| Arc::new(Semaphore::new((self.total / 4).max(1)))))
    }
}
