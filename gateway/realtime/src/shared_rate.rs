//! Rate limit shared by the nodes of a project. Each node decides alone which amounts (such as joins) it admits. The other nodes report
//! their admitted amounts to this node with a delay.
//!
//! The limit is a token bucket with a capacity of one second, stored as the time until which the rate is used up (GCRA). The amounts of
//! other nodes can make the bucket negative. Then this node admits nothing until the bucket is refilled, so that all nodes together keep
//! the rate over time, independent of the nodes to which clients are connected.

use std::time::{Duration, Instant};

/// Capacity of the token bucket: the amount that the limited rate admits in this time.
const BURST: Duration = Duration::from_secs(1);
/// Maximum amount that a node can admit between two reports to the other nodes: the amount that the limited rate admits in this time. One
/// second is for the full bucket, and one second for its refill.
const MAX_TAKEN: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(super) struct SharedRate {
    /// Maximum amount per second on all nodes together. Zero means no limit.
    limit: u32,
    /// Time until which the admitted amounts use up the rate (the theoretical arrival time of GCRA).
    spent_until: Instant,
    /// Amount that this node admitted since its last report to the other nodes.
    untold: u32,
}

/// Error: an amount exceeds the rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exceeded {
    /// The rate is used up at this moment, so even an amount of 1 is refused.
    Rate,
    /// The amount is too large, but a smaller amount would be admitted.
    Amount,
}

impl SharedRate {
    pub(super) fn new(limit: u32, now: Instant) -> Self {
        Self { limit, spent_until: now, untold: 0 }
    }

    /// Replaces the limit. The part of the rate that is used up stays used up.
    pub(super) fn set_limit(&mut self, limit: u32) {
        self.limit = limit;
    }

    pub(super) fn is_limited(&self) -> bool {
        self.limit > 0
    }

    /// Admits an amount completely, or returns an error and admits nothing.
    pub(super) fn take(&mut self, amount: u32, now: Instant) -> Result<(), Exceeded> {
        if self.is_limited() {
            let end = self.after(amount, now);
            if end > now + BURST {
                let fits_one = amount > 1 && self.after(1, now) <= now + BURST;
                return Err(if fits_one { Exceeded::Amount } else { Exceeded::Rate });
            }
            self.spent_until = end;
        }
        self.untold = self.untold.saturating_add(amount);
        Ok(())
    }

    /// Subtracts from the bucket an amount that another node has admitted. The deficit of the bucket is at most [`MAX_TAKEN`] times
    /// `nodes`, the number of nodes, even if many late reports arrive at the same time.
    pub(super) fn charge(&mut self, amount: u32, nodes: u32, now: Instant) {
        if self.is_limited() {
            self.spent_until = self.after(amount, now).min(now + MAX_TAKEN * nodes);
        }
    }

    /// Whether this node admitted an amount since its last report to the other nodes.
    pub(super) fn has_untold(&self) -> bool {
        self.untold > 0
    }

    /// Returns the amount that this node admitted since the last call.
    pub(super) fn tell(&mut self) -> u32 {
        std::mem::take(&mut self.untold)
    }

    /// Returns the time until which the rate is used up if `amount` is admitted.
    fn after(&self, amount: u32, now: Instant) -> Instant {
        let nanoseconds = u64::from(amount) * 1_000_000_000 / u64::from(self.limit.max(1));
        self.spent_until.max(now) + Duration::from_nanos(nanoseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_second_s_worth_fits_at_once_and_comes_back_with_time() {
        let now = Instant::now();
        let mut rate = SharedRate::new(4, now);
        assert_eq!(rate.take(5, now), Err(Exceeded::Amount));
        assert_eq!([rate.take(3, now), rate.take(1, now)], [Ok(()), Ok(())]);
        assert_eq!([rate.take(1, now), rate.take(2, now)], [Err(Exceeded::Rate); 2]);
        assert_eq!(rate.take(2, now + SECOND / 4), Err(Exceeded::Amount));
        assert_eq!(rate.take(1, now + SECOND / 4), Ok(()));
        assert_eq!(
            rate.take(5, now + 100 * SECOND),
            Err(Exceeded::Amount),
            "no more than a second's worth is saved up"
        );
        assert_eq!(rate.take(4, now + 100 * SECOND), Ok(()));
        assert_eq!((rate.tell(), rate.tell()), (9, 0), "what was refused is not told, and nothing twice");
    }

    #[test]
    fn what_others_took_is_not_there_and_is_made_up_for() {
        let now = Instant::now();
        let mut rate = SharedRate::new(10, now);
        rate.charge(15, 2, now);
        assert_eq!(rate.take(1, now), Err(Exceeded::Rate));
        assert_eq!(rate.take(1, now + SECOND / 2), Err(Exceeded::Rate));
        assert_eq!(rate.take(1, now + SECOND * 3 / 5), Ok(()));
        assert_eq!(rate.tell(), 1, "the others tell theirs themselves");
    }

    #[test]
    fn what_is_heard_late_all_at_once_is_made_up_for_within_seconds() {
        let now = Instant::now();
        let mut rate = SharedRate::new(10, now);
        (0..100).for_each(|_| rate.charge(u32::MAX, 2, now));
        assert_eq!(rate.take(1, now + 3 * SECOND), Err(Exceeded::Rate));
        assert_eq!(rate.take(1, now + 4 * SECOND), Ok(()));
    }

    #[test]
    fn without_a_limit_everything_fits_and_is_told() {
        let now = Instant::now();
        let mut rate = SharedRate::new(0, now);
        rate.charge(u32::MAX, 9, now);
        assert_eq!([rate.take(u32::MAX, now), rate.take(u32::MAX, now)], [Ok(()), Ok(())]);
        assert_eq!(rate.tell(), u32::MAX);
    }

    /// Simulates nodes with unlimited demand that report once per second, each at its own offset. Returns the total amount that the nodes
    /// admit.
    fn let_through(nodes: u32, limit: u32, seconds: u32) -> u32 {
        let start = Instant::now();
        let mut rates: Vec<_> = (0..nodes).map(|_| SharedRate::new(limit, start)).collect();
        let mut taken = 0;
        for step in 0..seconds * 100 {
            let now = start + step * SECOND / 100;
            for rate in &mut rates {
                while rate.take(1, now).is_ok() {
                    taken += 1;
                }
            }
            for teller in (0..nodes).filter(|teller| (step + teller * 7) % 100 == 99) {
                let told = rates.get_mut(teller as usize).map_or(0, SharedRate::tell);
                let others = rates.iter_mut().zip(0..nodes).filter(|(_, number)| *number != teller);
                others.for_each(|(rate, _)| rate.charge(told, nodes, now));
            }
        }
        taken
    }

    #[test]
    fn all_nodes_together_keep_the_rate_but_for_one_interval_s_burst_of_each() {
        let (limit, seconds) = (50, 60);
        for nodes in [1, 2, 3, 5, 9] {
            let taken = let_through(nodes, limit, seconds);
            assert!(taken <= limit * (seconds + 1) + (nodes - 1) * 2 * limit, "{nodes} nodes: {taken}");
            assert!(taken >= limit * seconds * 9 / 10, "{nodes} nodes: {taken}, which is too little");
        }
    }
}
