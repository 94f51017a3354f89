//! Memory budget of sockets. Queued frames, presence and joined channels are counted in bytes, per socket and in total. A socket that exceeds
//! the limit per socket is disconnected. If the total exceeds the limit of all sockets, sockets that use more than an equal share of that
//! limit are disconnected.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Estimated memory of a queued frame in addition to its payload, in bytes.
const FRAME_OVERHEAD_BYTES: usize = 128;

/// Memory limits and memory use of all sockets, in bytes.
#[derive(Debug)]
pub(super) struct Budget {
    limit: usize,
    per_socket: usize,
    held: AtomicUsize,
    sockets: AtomicUsize,
}

/// Memory use of one socket, in bytes.
#[derive(Debug)]
pub(super) struct Account {
    budget: Arc<Budget>,
    held: AtomicUsize,
    /// Part of `held`: bytes of incoming frames that are not received completely.
    incoming: AtomicUsize,
}

/// Bytes that count towards the memory of all sockets until the value is dropped. They count only once, even if several
/// sockets share the same frame.
#[derive(Debug)]
pub(super) struct Charge {
    budget: Arc<Budget>,
    bytes: usize,
}

/// Bytes that count towards the memory of one socket until the value is dropped.
#[derive(Debug)]
pub(super) struct Held {
    account: Arc<Account>,
    charge: Arc<Charge>,
}

/// Error: the socket exceeds its memory limit, or its share of the limit of all sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OverBudget;

impl Budget {
    pub(super) fn new(limit: usize, per_socket: usize) -> Arc<Self> {
        Arc::new(Self { limit, per_socket, held: AtomicUsize::new(0), sockets: AtomicUsize::new(0) })
    }

    pub(super) fn open(self: &Arc<Self>) -> Arc<Account> {
        self.sockets.fetch_add(1, Ordering::Relaxed);
        Arc::new(Account { budget: Arc::clone(self), held: AtomicUsize::new(0), incoming: AtomicUsize::new(0) })
    }

    /// Counts the memory of a frame towards the memory of all sockets until the returned value is dropped. `bytes` is the
    /// size of the frame's payload.
    pub(super) fn charge_frame(self: &Arc<Self>, bytes: usize) -> Arc<Charge> {
        self.charge(bytes + FRAME_OVERHEAD_BYTES)
    }

    fn charge(self: &Arc<Self>, bytes: usize) -> Arc<Charge> {
        self.held.fetch_add(bytes, Ordering::Relaxed);
        Arc::new(Charge { budget: Arc::clone(self), bytes })
    }
}

impl Account {
    pub(super) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    pub(super) fn hold(self: &Arc<Self>, bytes: usize) -> Result<Held, OverBudget> {
        self.hold_shared(self.budget.charge(bytes))
    }

    /// Counts the bytes of `charge` towards the memory of this socket until the returned value is dropped. `charge` already counts them
    /// towards the memory of all sockets, only once even if several sockets share the same frame.
    pub(super) fn hold_shared(self: &Arc<Self>, charge: Arc<Charge>) -> Result<Held, OverBudget> {
        let held = self.held.fetch_add(charge.bytes, Ordering::Relaxed) + charge.bytes;
        // Created before the check, because dropping `holding` on an error subtracts the bytes again.
        let holding = Held { account: Arc::clone(self), charge };
        if self.is_over(held) { Err(OverBudget) } else { Ok(holding) }
    }

    fn is_over(&self, held: usize) -> bool {
        let budget = &self.budget;
        let share = budget.limit / budget.sockets.load(Ordering::Relaxed).max(1);
        held > budget.per_socket || (budget.held.load(Ordering::Relaxed) > budget.limit && held > share)
    }

    /// Counts incoming bytes towards the memory of this socket until [`Account::received`] is called. Returns false if the
    /// socket exceeds its limit.
    pub(super) fn receive(&self, bytes: usize) -> bool {
        self.incoming.fetch_add(bytes, Ordering::Relaxed);
        self.budget.held.fetch_add(bytes, Ordering::Relaxed);
        !self.is_over(self.held.fetch_add(bytes, Ordering::Relaxed) + bytes)
    }

    pub(super) fn received(&self) {
        let bytes = self.incoming.swap(0, Ordering::Relaxed);
        self.held.fetch_sub(bytes, Ordering::Relaxed);
        self.budget.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.received();
        self.budget.sockets.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.account.held.fetch_sub(self.charge.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_holds_so_much_and_no_more() {
        let budget = Budget::new(1_000, 100);
        let account = budget.open();
        let held = account.hold(60).unwrap();
        assert_eq!(account.hold(41).unwrap_err(), OverBudget);
        assert!(account.hold(40).is_ok(), "what was refused is not held");
        drop(held);
        assert!(account.hold(100).is_ok());
        assert_eq!(budget.held.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn when_all_hold_too_much_who_holds_most_is_refused() {
        let budget = Budget::new(100, 1_000);
        let (greedy, modest) = (budget.open(), budget.open());
        let _much = greedy.hold(99).unwrap();
        let _little = modest.hold(10).unwrap();
        assert_eq!(greedy.hold(1).unwrap_err(), OverBudget);
        assert!(modest.hold(10).is_ok());
    }

    #[test]
    fn what_comes_is_held_until_its_message_is_whole() {
        let budget = Budget::new(1_000, 100);
        let account = budget.open();
        assert!(account.receive(60) && account.receive(40) && !account.receive(1));
        account.received();
        assert!(account.receive(100));
        drop(account);
        assert_eq!(budget.held.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn what_is_shared_is_counted_once() {
        let budget = Budget::new(1_000, 1_000);
        let charge = budget.charge(300);
        let accounts: Vec<_> = (0..10).map(|_| budget.open()).collect();
        let held: Vec<_> = accounts.iter().map(|account| account.hold_shared(Arc::clone(&charge)).unwrap()).collect();
        assert_eq!(budget.held.load(Ordering::Relaxed), 300);
        drop((charge, held));
        assert_eq!(budget.held.load(Ordering::Relaxed), 0);
    }
}
