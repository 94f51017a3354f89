//! Limit of long-polling sessions on one node. A session needs no open connection, only an occasional request. When the maximum is reached,
//! a new session displaces (ends) a session of the network (IPv4 address or IPv6 /64) with the most sessions. The clients of a few networks
//! therefore cannot use up the limit.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::Session;

/// Maximum number of sessions on one node. The limits of connections do not limit the number of sessions, because sessions keep no
/// connection open.
pub(crate) const MAX_SESSIONS: usize = 10_000;

/// Long-polling sessions by session token, and the number of sessions of each network.
#[derive(Debug, Default)]
pub(crate) struct Places {
    sessions: HashMap<String, Arc<Session>>,
    networks: HashMap<IpAddr, usize>,
}

/// Error: the maximum number of sessions is reached, and no session can be ended to make room: every other network has at most one session
/// more than the network of the new session.
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
    /// Returns an error if no network has at least two sessions more than the network of the new session.
    pub(crate) fn take(&mut self, session: &Arc<Session>) -> Result<Option<Arc<Session>>, NoPlace> {
        let displaced = match self.sessions.len() {
            0..MAX_SESSIONS => None,
            _ => Some(self.displace(self.of_network(session.network) + 1).ok_or(NoPlace)?),
        };
        self.sessions.insert(session.token().to_owned(), Arc::clone(session));
        *self.networks.entry(session.network).or_default() += 1;
        Ok(displaced)
    }

    /// Removes and returns a session of the network with the most sessions: the session whose client has been silent for the longest time.
    /// `None` if fewer than `least` sessions of this network would remain.
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
