//! Delays responses to refused requests (4xx) of networks (an IPv4 address or an IPv6 /64) that have many refused requests. The delay slows
//! down the clients of such a network, because a client waits for a response before its next request. Without the delay, refusing their
//! requests would take processor time from other clients.
//!
//! The rate of refused requests is measured with the generic cell rate algorithm (GCRA, ITU-T I.371), which needs one timestamp per network.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::Request;
use cloch_sql::caller::{Caller, CallerResult, ClientAddress};
use http::StatusCode;
use moka::Entry;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::time::{Instant, sleep};

use crate::connection::limiter::ThrottledLog;
use crate::connection::network_count::network;

const MAX_DELAY: Duration = Duration::from_secs(5);
/// Size of a burst, as a time: a network may send as many refused requests at once, without a delay, as the allowed rate permits within
/// this time.
const BURST_PERIOD: Duration = Duration::from_secs(20);
/// Maximum number of networks in the cache, which then takes about 20 MB. When the cache is full, the networks without refusals for the
/// longest time are evicted.
const MAX_NETWORKS: u64 = 100_000;

/// Rates of refused requests by network (an IPv4 address or an IPv6 /64).
#[derive(Debug)]
pub struct RefusalDelay {
    /// Interval between two refused requests of a network at the maximum rate that causes no delay. `None` if delays are disabled.
    interval: Option<Duration>,
    /// Theoretical arrival time of GCRA for each network: the time at which its next refused request would arrive if its refused requests
    /// arrived exactly at the maximum rate.
    due: Cache<IpAddr, Instant>,
    log: ThrottledLog,
}

impl RefusalDelay {
    /// Creates the counter without refused requests. A network may have `per_minute` refused requests per minute without a delay. Zero
    /// disables delays.
    #[must_use]
    pub fn new(per_minute: u32) -> Self {
        let interval = (per_minute > 0).then(|| Duration::from_secs(60) / per_minute);
        let due = Cache::builder()
            .max_capacity(MAX_NETWORKS)
            .eviction_policy(EvictionPolicy::lru())
            .time_to_live(BURST_PERIOD + MAX_DELAY)
            .build();
        Self { interval, due, log: ThrottledLog::default() }
    }

    /// Returns the client address of a request, if the response may have to be delayed. Returns `None` if delays are disabled, if the
    /// client is on this machine, or if the caller has the role service_role.
    pub(crate) fn client(&self, request: &Request) -> Option<IpAddr> {
        self.interval?;
        let address = request.extensions().get::<ClientAddress>()?;
        let caller = request.extensions().get::<CallerResult>();
        let is_service = caller.is_some_and(|caller| caller.as_ref().is_ok_and(Caller::is_service_role));
        (!address.is_loopback() && !is_service).then_some(address.0)
    }

    /// Waits if the response is a refusal (4xx) and the client's network exceeds the allowed rate of refusals.
    pub(crate) async fn wait(&self, client: Option<IpAddr>, status: StatusCode) {
        let (Some(client), true) = (client, status.is_client_error()) else { return };
        let delay = self.count(network(client), Instant::now());
        if !delay.is_zero() {
            self.log.report(|count| {
                tracing::warn!(
                    %client,
                    count,
                    "http: responses delayed: too many refused requests (status 4xx) from the network of this client"
                )
            });
            sleep(delay).await;
        }
    }

    /// Records a refused request of a network. Returns the time by which its response has to be delayed.
    fn count(&self, network: IpAddr, now: Instant) -> Duration {
        let Some(interval) = self.interval else { return Duration::ZERO };
        let due = self.due.entry(network).and_upsert_with(|last| {
            let last = last.map_or(now, Entry::into_value).max(now);
            (last + interval).min(now + BURST_PERIOD + MAX_DELAY)
        });
        (due.into_value() - now).saturating_sub(BURST_PERIOD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(203, 0, 113, 7));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(203, 0, 113, 8));

    fn delays(refusals: &RefusalDelay, now: Instant, count: u32) -> Vec<Duration> {
        (0..count).map(|_| refusals.count(CLIENT, now)).collect()
    }

    #[test]
    fn refusals_beyond_a_burst_wait_their_turn() {
        let (refusals, now) = (RefusalDelay::new(60), Instant::now());
        let seconds = |delays: Vec<Duration>| delays.iter().map(Duration::as_secs_f64).collect::<Vec<_>>();
        assert!(delays(&refusals, now, 20).iter().all(Duration::is_zero));
        assert_eq!(seconds(delays(&refusals, now, 3)), [1.0, 2.0, 3.0]);
        assert_eq!(delays(&refusals, now, 100).last(), Some(&MAX_DELAY), "no answer waits longer");
        assert!(refusals.count(OTHER, now).is_zero(), "another network");
    }

    #[test]
    fn a_network_that_is_quiet_is_delayed_no_more() {
        let (refusals, now) = (RefusalDelay::new(60), Instant::now());
        delays(&refusals, now, 1_000);
        let later = now + MAX_DELAY + Duration::from_secs(10);
        assert!(delays(&refusals, later, 10).iter().all(Duration::is_zero));
        assert!(!refusals.count(CLIENT, later).is_zero(), "the rate is that of before");
    }

    #[test]
    fn zero_delays_nothing() {
        let (refusals, now) = (RefusalDelay::new(0), Instant::now());
        assert!(delays(&refusals, now, 10_000).iter().all(Duration::is_zero));
    }

    #[test]
    fn only_so_many_networks_are_counted() {
        let (refusals, now) = (RefusalDelay::new(60), Instant::now());
        for n in 0..u32::try_from(MAX_NETWORKS).unwrap_or_default() + 1_000 {
            refusals.count(IpAddr::V4(std::net::Ipv4Addr::from_bits(n)), now);
        }
        refusals.due.run_pending_tasks();
        assert_eq!(refusals.due.entry_count(), MAX_NETWORKS);
    }
}
