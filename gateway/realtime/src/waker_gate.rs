//! Polls a future only after its waker was called, even if the task is woken thousands of times per second for other reasons.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// Flag that is set when the future polled with [`WakeFlag::poll`] is woken, and cleared when the future is polled.
pub(super) struct WakeFlag {
    state: Arc<State>,
    waker: Waker,
}

#[derive(Debug, Default)]
struct State {
    is_woken: AtomicBool,
    task: AtomicWaker,
}

impl Wake for State {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl WakeFlag {
    /// Creates a flag that is set.
    pub(super) fn new() -> Self {
        let state = Arc::<State>::default();
        let waker = Waker::from(Arc::clone(&state));
        let flag = Self { state, waker };
        flag.set();
        flag
    }

    /// Sets the flag, so that the next call of [`WakeFlag::poll`] polls its future. Needed for a new future, because a future that was
    /// never polled cannot be woken.
    pub(super) fn set(&self) {
        self.state.is_woken.store(true, Ordering::Release);
    }

    /// Polls a future if the flag is set. If the future is ready, sets the flag again, because the caller's next future must be polled once
    /// before anything can wake it.
    pub(super) fn poll<F: Future>(&self, context: &Context<'_>, future: Pin<&mut F>) -> Poll<F::Output> {
        // The task is registered before the flag is read, so that a wake between the two steps is not lost.
        self.state.task.register(context.waker());
        if !self.state.is_woken.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        let polled = future.poll(&mut Context::from_waker(&self.waker));
        if polled.is_ready() {
            self.set();
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::poll_fn;
    use std::pin::pin;

    use super::*;

    #[test]
    fn a_future_is_polled_when_it_was_woken_and_only_then() {
        let (polls, inner) = (Cell::new(0), AtomicWaker::new());
        let mut future = pin!(poll_fn(|context| {
            polls.set(polls.get() + 1);
            inner.register(context.waker());
            if polls.get() < 3 { Poll::Pending } else { Poll::Ready(()) }
        }));
        let flag = WakeFlag::new();
        let outer = Arc::<State>::default();
        let waker = Waker::from(Arc::clone(&outer));
        let mut poll = || flag.poll(&Context::from_waker(&waker), future.as_mut());
        for _ in 0..3 {
            assert!(poll().is_pending());
        }
        assert_eq!(polls.get(), 1);
        assert!(!outer.is_woken.load(Ordering::Relaxed));

        inner.wake();
        assert!(outer.is_woken.load(Ordering::Relaxed), "the task is woken as well");
        assert!(poll().is_pending() && poll().is_pending());
        assert_eq!(polls.get(), 2);

        flag.set();
        assert!(poll().is_ready());
        assert!(flag.state.is_woken.load(Ordering::Relaxed), "what comes next is polled");
    }
}
