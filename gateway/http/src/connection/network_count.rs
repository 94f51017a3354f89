//! Counts open connections or WebSockets, in total and per network (an IPv4 address or an IPv6 /64).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum numbers of open connections or WebSockets. Zero means no limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountLimits {
    /// Maximum number of open connections of all clients together.
    pub total: usize,
    /// Maximum number of open connections per network (an IPv4 address or an IPv6 /64).
    pub per_network: usize,
}

/// The limit that a new connection would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitReached {
    /// The limit [`CountLimits::total`].
    Total,
    /// The limit [`CountLimits::per_network`].
    PerNetwork,
}

/// Counter of open connections or WebSockets, with their limits.
#[derive(Debug)]
pub struct NetworkCount {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    limits: CountLimits,
    total: usize,
    networks: HashMap<IpAddr, usize>,
}

impl NetworkCount {
    /// Creates a counter without open connections.
    #[must_use]
    pub fn new(limits: CountLimits) -> Arc<Self> {
        Arc::new(Self { open: Mutex::new(Open { limits, ..Open::default() }) })
    }

    /// Replaces the limits. Open connections stay open, even if there are more than the new limits allow.
    pub fn set_limits(&self, limits: CountLimits) {
        self.open().limits = limits;
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a client's connection as open until the returned permit is dropped.
    ///
    /// # Errors
    /// When the total limit or the limit of the client's network is reached.
    pub fn acquire(self: &Arc<Self>, client: IpAddr) -> Result<CountPermit, LimitReached> {
        self.count(network(client), true)
    }

    /// Counts a trusted proxy's connection as open until the returned permit is dropped. The connections of a proxy belong to many clients,
    /// so only the limit of the total number applies.
    ///
    /// # Errors
    /// When the total limit is reached.
    pub fn acquire_for_proxy(self: &Arc<Self>, proxy: IpAddr) -> Result<CountPermit, LimitReached> {
        self.count(network(proxy), false)
    }

    fn count(self: &Arc<Self>, network: IpAddr, is_limited: bool) -> Result<CountPermit, LimitReached> {
        let is_full = |limit: usize, count: usize| limit > 0 && count >= limit;
        let mut open = self.open();
        if is_full(open.limits.total, open.total) {
            return Err(LimitReached::Total);
        }
        let of_network = open.networks.get(&network).copied().unwrap_or_default();
        if is_limited && is_full(open.limits.per_network, of_network) {
            return Err(LimitReached::PerNetwork);
        }
        open.total += 1;
        open.networks.insert(network, of_network + 1);
        Ok(CountPermit { count: Arc::clone(self), network })
    }

    /// Returns the number of open connections.
    #[must_use]
    pub fn total(&self) -> usize {
        self.open().total
    }
}

/// Permit of an open connection. The connection is counted until the permit is dropped.
#[derive(Debug)]
pub struct CountPermit {
    count: Arc<NetworkCount>,
    network: IpAddr,
}

impl CountPermit {
    /// Returns the network towards whose limit the connection counts.
    #[must_use]
    pub fn network(&self) -> IpAddr {
        self.network
    }
}

impl Drop for CountPermit {
    fn drop(&mut self) {
        let mut open = self.count.open();
        open.total = open.total.saturating_sub(1);
        if let Entry::Occupied(mut entry) = open.networks.entry(self.network) {
            match *entry.get() {
                0 | 1 => drop(entry.remove()),
                more => *entry.get_mut() = more - 1,
            }
        }
    }
}

/// Returns the network of a client: the IPv4 address, or the /64 of an IPv6 address. Limits count clients by this network.
pub(crate) fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(total: usize, per_network: usize) -> Arc<NetworkCount> {
        NetworkCount::new(CountLimits { total, per_network })
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn one_network_has_so_many_and_no_more() {
        let count = count(0, 2);
        let permits: Vec<_> = ["2001:db8::1", "2001:db8::2"].map(|text| count.acquire(address(text)).unwrap()).into();
        assert_eq!(count.acquire(address("2001:db8::3")).unwrap_err(), LimitReached::PerNetwork);
        assert!(count.acquire(address("2001:db8:0:1::3")).is_ok(), "another network");
        drop(permits);
        assert!(count.acquire(address("2001:db8::3")).is_ok());
        assert_eq!((count.total(), count.open().networks.len()), (0, 0), "nothing is kept of closed ones");
    }

    #[test]
    fn all_have_so_many_and_no_more() {
        let count = count(2, 0);
        let _first = count.acquire(address("192.0.2.1")).unwrap();
        let second = count.acquire(address("192.0.2.1")).unwrap();
        assert_eq!(count.acquire(address("192.0.2.2")).unwrap_err(), LimitReached::Total);
        drop(second);
        assert!(count.acquire(address("192.0.2.2")).is_ok());
    }

    #[test]
    fn other_limits_count_what_is_open() {
        let count = count(0, 1);
        let _first = count.acquire(address("192.0.2.1")).unwrap();
        count.set_limits(CountLimits { total: 0, per_network: 2 });
        let _second = count.acquire(address("192.0.2.1")).unwrap();
        count.set_limits(CountLimits { total: 0, per_network: 1 });
        assert_eq!(count.acquire(address("192.0.2.1")).unwrap_err(), LimitReached::PerNetwork);
        assert_eq!(count.total(), 2);
    }

    #[test]
    fn a_proxy_counts_towards_the_total_alone() {
        let count = count(3, 1);
        let _proxied = [(); 3].map(|()| count.acquire_for_proxy(address("10.0.0.1")).unwrap());
        assert_eq!(count.acquire_for_proxy(address("10.0.0.1")).unwrap_err(), LimitReached::Total);
    }

    #[test]
    fn a_mapped_address_is_the_plain_one() {
        let count = count(0, 1);
        let _permit = count.acquire(address("::ffff:192.0.2.1")).unwrap();
        assert_eq!(count.acquire(address("192.0.2.1")).unwrap_err(), LimitReached::PerNetwork);
    }
}
