//! Limit of long-polling sessions on one node. A session needs no open connection, only an occasional request. When the maximum is reached, a
//! new session displaces a session of the network with the most sessions, so that a few networks cannot occupy all places.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::Session;

/// Maximum number of sessions on one node. Sessions keep no connection open, so the connection limits do not bound their number.
pub(crate) const MAX_SESSIONS: usize = 10_000;

/// Long-polling sessions by session token, and the number of sessions of each network.
#[derive(Debug, Default)]
pub(crate) struct Places {
    sessions: HashMap<String, Arc<Session>>,
    networks: HashMap<IpAddr, usize>,
}

/// Error: the maximum number of sessions is reached, and no other network has enough sessions to lose one to the network of the new session.
#[derive(Debug)]
pub(crate) struct NoPlace;

impl Places {
    pub(crate) fn find(&self, token: &str) -> Option<Arc<Session>> {
        self.sessions.get(token).cloned()
    }

    fn of_network(&self, network: IpAddr) -> usize {
        self.networks.get(&network).copied().unwrap_or_default()
    }

    /// Adds a session. If the maximum number of sessions is reached, removes and returns a session of the network with the most sessions.
    pub(crate) fn take(&mut self, session: &Arc<Session>) -> Result<Option<Arc<Session>>, NoPlace> {
        let displaced = match self.sessions.len() {
            0..MAX_SESSIONS => None,
            _ => Some(self.displace(self.of_network(session.network) + 1).ok_or(NoPlace)?),
        };
        self.sessions.insert(session.token().to_owned(), Arc::clone(session));
        *self.networks.entry(session.network).or_default() += 1;
        Ok(displaced)
    }

    /// Removes a session of the network with the most sessions, if that network then still has at least `least` sessions. Removes the session
    /// whose client has been silent for the longest time.
    fn displace(&mut self, least: usize) -> Option<Arc<Session>> {
        let (network, _) =
            self.networks.iter().filter(|(_, count)| **count > least).max_by_key(|(_, count)| **count)?;
        let of_network = self.sessions.values().filter(|session| session.network == *network);
        let displaced = Arc::clone(of_network.min_by_key(|session| session.end_of_silence())?);
        self.remove(&displaced);
        Some(displaced)
    }

    pub(crate) fn remove(&mut self, session: &Session) {
        if self.sessions.remove(session.token()).is_none() {
            return;
        }
        if let Some(count) = self.networks.get_mut(&session.network) {
            *count -= 1;
            if *count == 0 {
                self.networks.remove(&session.network);
            }
        }
    }
}
