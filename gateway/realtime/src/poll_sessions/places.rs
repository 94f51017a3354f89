//! The places of sessions on one node, and who gets one. A session costs its client a request now and then, and no connection: so that a few
//! networks cannot hold all places, a network that has most of them gives one up once none is left.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use super::Session;

/// Sessions of one node. They have no connection of their own, which other limits would count.
pub(crate) const MAX_SESSIONS: usize = 10_000;

/// The sessions by their tokens, and how many each network has.
#[derive(Debug, Default)]
pub(crate) struct Places {
    sessions: HashMap<String, Arc<Session>>,
    networks: HashMap<IpAddr, usize>,
}

/// All places are taken, and no network would have as many as the new session's after giving one up.
#[derive(Debug)]
pub(crate) struct NoPlace;

impl Places {
    pub(crate) fn find(&self, token: &str) -> Option<Arc<Session>> {
        self.sessions.get(token).cloned()
    }

    fn of_network(&self, network: IpAddr) -> usize {
        self.networks.get(&network).copied().unwrap_or_default()
    }

    /// Gives a new session a place: a free one, or that of a session of the network with most, which is returned.
    pub(crate) fn take(&mut self, session: &Arc<Session>) -> Result<Option<Arc<Session>>, NoPlace> {
        let displaced = match self.sessions.len() {
            0..MAX_SESSIONS => None,
            _ => Some(self.displace(self.of_network(session.network) + 1).ok_or(NoPlace)?),
        };
        self.sessions.insert(session.token().to_owned(), Arc::clone(session));
        *self.networks.entry(session.network).or_default() += 1;
        Ok(displaced)
    }

    /// Takes a place away from the network with most sessions, if it keeps at least `least`: from the session whose client has been silent for
    /// the longest time.
    fn displace(&mut self, least: usize) -> Option<Arc<Session>> {
        let (network, _) =
            self.networks.iter().filter(|(_, count)| **count > least).max_by_key(|(_, count)| **count)?;
        let of_network = self.sessions.values().filter(|session| session.network == *network);
        let displaced = Arc::clone(of_network.min_by_key(|session| session.end_of_silence())?);
        self.remove(&displaced);
        Some(displaced)
    }

    /// Frees the place of a session, if it still has it.
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
