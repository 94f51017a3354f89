//! Computes when an ACME order may start and when a certificate is renewed.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use cloch_http::certificate::Details;

/// Maximum number of ACME orders that all nodes start per hour. Let's Encrypt allows five failed validations per account, name and hour; one
/// validation is left for manual use.
const MAX_TRIES_PER_HOUR: usize = 4;
/// Pauses in minutes after successive ACME orders that the ACME server refused. The last value applies to all further pauses.
const PAUSES_MINUTES: [u64; 4] = [1, 5, 15, 60];
/// Pauses in seconds after successive ACME orders during which the ACME server did not respond. The last value applies to all further
/// pauses.
const UNREACHABLE_PAUSES_SECONDS: [u64; 5] = [5, 15, 60, 300, 900];
/// Fraction of a certificate's lifetime after which the certificate is renewed if the ACME server suggests no time. Let's Encrypt advises
/// two thirds.
const RENEW_AFTER: (i32, i32) = (2, 3);

/// Failed ACME orders of this node since its start or its last successful order. They are stored in memory only, so that an operator can
/// restart the server to retry immediately.
#[derive(Debug, Default)]
pub(super) struct Pace {
    failed: usize,
    unanswered: usize,
    next: Option<DateTime<Utc>>,
}

impl Pace {
    pub(super) fn admits(
        &self,
        tries: &[DateTime<Utc>],
        wait_until: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> bool {
        let within_hour = tries.iter().filter(|at| now - **at < TimeDelta::hours(1)).count();
        within_hour < MAX_TRIES_PER_HOUR && self.next.max(wait_until).is_none_or(|next| next <= now)
    }

    pub(super) fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// Counts an order that the ACME server refused. Returns the pause until the next order.
    pub(super) fn refused(&mut self, now: DateTime<Utc>) -> Duration {
        let minutes = PAUSES_MINUTES.get(self.failed).or(PAUSES_MINUTES.last()).copied().unwrap_or(60);
        self.failed += 1;
        self.pause(Duration::from_secs(minutes * 60), now)
    }

    /// Counts an order during which the ACME server did not respond. Returns the pause until the next order.
    pub(super) fn unanswered(&mut self, now: DateTime<Utc>) -> Duration {
        let pauses = UNREACHABLE_PAUSES_SECONDS;
        let seconds = pauses.get(self.unanswered).or(pauses.last()).copied().unwrap_or(900);
        self.unanswered += 1;
        self.pause(Duration::from_secs(seconds), now)
    }

    fn pause(&mut self, pause: Duration, now: DateTime<Utc>) -> Duration {
        self.next = Some(now + pause);
        pause
    }
}

/// Returns the time at which a certificate is renewed if the ACME server suggests no time: after the fraction [`RENEW_AFTER`] of its
/// lifetime.
pub(super) fn renewal(details: &Details) -> DateTime<Utc> {
    let (from, until) = (DateTime::<Utc>::from(details.not_before), DateTime::<Utc>::from(details.not_after));
    from + (until - from) / RENEW_AFTER.1 * RENEW_AFTER.0
}

/// Chooses the renewal time within the window that the ACME server suggests (RFC 9773, section 4.2). Returns the planned renewal time `at` if
/// it is in the window, otherwise a random time in the window. `chance` is a random number from 0 to 1.
pub(super) fn within(window: (DateTime<Utc>, DateTime<Utc>), at: DateTime<Utc>, chance: f64) -> DateTime<Utc> {
    let (start, end) = window;
    if start <= at && at <= end || end <= start {
        return at.clamp(start, end.max(start));
    }
    let seconds = (end - start).as_seconds_f64() * chance;
    start + TimeDelta::from_std(Duration::from_secs_f64(seconds.max(0.0))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + seconds, 0).unwrap()
    }

    #[test]
    fn no_more_orders_in_an_hour_than_an_authority_allows_though_a_node_restarts_each_time() {
        let mut tries = Vec::new();
        for second in 0..3600 {
            if Pace::default().admits(&tries, None, at(second)) {
                tries.push(at(second));
            }
        }
        assert_eq!(tries.len(), MAX_TRIES_PER_HOUR);
        assert!(Pace::default().admits(&tries, None, at(3600)), "the first is an hour ago");
    }

    #[test]
    fn failures_are_paused_after_longer_each_time_and_a_success_ends_that() {
        let mut pace = Pace::default();
        let pauses: Vec<u64> = (0..5).map(|_| pace.refused(at(0)).as_secs()).collect();
        assert_eq!(pauses, [60, 300, 900, 3600, 3600]);
        assert!(!pace.admits(&[], None, at(3599)));
        assert!(pace.admits(&[], None, at(3600)));
        let pauses: Vec<u64> = (0..6).map(|_| pace.unanswered(at(0)).as_secs()).collect();
        assert_eq!(pauses, [5, 15, 60, 300, 900, 900]);
        pace.succeeded();
        assert!(pace.admits(&[], None, at(0)));
    }

    #[test]
    fn what_the_authority_says_to_wait_for_holds_after_a_restart() {
        let pace = Pace::default();
        assert!(!pace.admits(&[], Some(at(10)), at(9)));
        assert!(pace.admits(&[], Some(at(10)), at(10)));
    }

    #[test]
    fn a_certificate_is_renewed_after_two_thirds_of_its_lifetime() {
        let details = Details {
            not_before: SystemTime::from(at(0)),
            not_after: SystemTime::from(at(90 * 86_400)),
            domains: Vec::new(),
            issuer_key: None,
            serial: Vec::new(),
        };
        assert_eq!(renewal(&details), at(60 * 86_400));
    }

    #[test]
    fn the_window_of_the_authority_is_kept() {
        let window = (at(100), at(200));
        assert_eq!(within(window, at(150), 0.9), at(150), "within already");
        assert_eq!(within(window, at(500), 0.5), at(150));
        assert_eq!(within(window, at(0), 0.0), at(100));
        assert_eq!(within((at(200), at(100)), at(150), 0.5), at(200), "one that ends before it begins");
    }
}
