//! Sockets, grouped by the opaque API key with which they were opened. When a key is revoked, its sockets are disconnected, because HTTP
//! requests with the key are refused too.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cloch_core::Secret;
use cloch_sql::caller::{ApiKeys, IssuedKeys};
use tokio_util::sync::CancellationToken;

/// Time between two checks for revoked API keys. The program reads the table of keys every 2 seconds.
const INTERVAL: Duration = Duration::from_secs(1);

/// API keys with which the open sockets of this node connected. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct KeySockets {
    /// API keys by the SHA-256 hash of the key. Only valid keys open sockets, so the map has at most as many entries as the
    /// project has keys.
    opened: Arc<Mutex<HashMap<[u8; 32], Opened>>>,
    shutdown: CancellationToken,
}

#[derive(Debug)]
struct Opened {
    key: Secret,
    /// Cancelled to disconnect the sockets of the key.
    end: CancellationToken,
}

impl KeySockets {
    pub(super) fn new(shutdown: CancellationToken) -> Self {
        Self { opened: Arc::default(), shutdown }
    }

    fn opened(&self) -> MutexGuard<'_, HashMap<[u8; 32], Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cancellation token of a new socket that was opened with the API key `key`. The token is cancelled when the key is
    /// revoked or the program stops. The calling function must have verified the key.
    pub(super) fn end_of(&self, key: &str) -> CancellationToken {
        // A JWT cannot be revoked. Its socket ends when the JWT expires or its auth session ends.
        if !IssuedKeys::is_opaque(key) {
            return self.shutdown.child_token();
        }
        let new = || Opened { key: Secret::new(key), end: self.shutdown.child_token() };
        self.opened().entry(IssuedKeys::digest(key)).or_insert_with(new).end.child_token()
    }

    /// Disconnects the sockets of keys that are no longer valid.
    fn end_revoked(&self, keys: &ApiKeys) {
        self.opened().retain(|digest, Opened { key, end }| {
            let is_valid = keys.knows(key.expose());
            if !is_valid {
                // The ID that `cloch keys list` shows.
                let key_id = hex::encode(digest.get(..4).unwrap_or_default());
                tracing::info!(key_id, "realtime: API key revoked, all sockets of the key on this node disconnected");
                end.cancel();
            }
            is_valid
        });
    }

    /// Disconnects the sockets of revoked API keys, until the program stops.
    pub(super) async fn run(self, keys: Arc<ApiKeys>) {
        while self.shutdown.run_until_cancelled(tokio::time::sleep(INTERVAL)).await.is_some() {
            self.end_revoked(&keys);
        }
    }
}
