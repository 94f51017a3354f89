//! Where the batches of uploads that arrive at once meet.
//!
//! Nobody waits for company: whoever sums up takes those that have come while the batches before were summed up. The more arrives
//! at once, the more are taken together, and the cheaper each byte is.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::spawn_blocking;

use super::abreast::{Batch, LANES, sum_up};
use super::sum::Sum;

/// Those who wait, and how many sum up.
#[derive(Default)]
pub(super) struct Meeting(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Arc<Sum>>,
    workers: usize,
}

impl Meeting {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Inner { waiting: VecDeque::new(), workers: 0 }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a batch that was handed over summed up.
    pub(super) fn join(&'static self, sum: Arc<Sum>) {
        if let Some(worker) = self.enter(sum) {
            drop(spawn_blocking(move || worker.run()));
        }
    }

    /// A worker comes when there is none, or when more wait than those at work can take next: two threads with half of the lanes
    /// each would spend more on the same bytes.
    fn enter(&'static self, sum: Arc<Sum>) -> Option<Worker> {
        let mut inner = self.inner();
        inner.waiting.push_back(sum);
        if inner.workers > 0 && inner.waiting.len() <= inner.workers.saturating_mul(LANES) {
            return None;
        }
        inner.workers = inner.workers.saturating_add(1);
        Some(Worker { meeting: self, at_work: true })
    }
}

/// Sums up what waits, until nothing does.
struct Worker {
    meeting: &'static Meeting,
    at_work: bool,
}

impl Worker {
    fn run(mut self) {
        while let Some(mut round) = self.next() {
            let mut batches: Vec<_> = round.0.iter().map(|sum| sum.pick_up()).collect();
            sum_up(&mut batches);
            round.answer(batches, self.meeting);
        }
    }

    fn next(&mut self) -> Option<Round> {
        let mut inner = self.meeting.inner();
        if inner.waiting.is_empty() {
            // Still under the lock: who comes now finds nobody at work, and calls somebody.
            inner.workers = inner.workers.saturating_sub(1);
            self.at_work = false;
            return None;
        }
        let count = inner.waiting.len().min(LANES);
        Some(Round(inner.waiting.drain(..count).collect()))
    }
}

impl Drop for Worker {
    /// The program stops, or something that cannot happen has: nobody is left waiting.
    fn drop(&mut self) {
        if !self.at_work {
            return;
        }
        let mut inner = self.meeting.inner();
        inner.workers = inner.workers.saturating_sub(1);
        let waiting = if inner.workers == 0 { std::mem::take(&mut inner.waiting) } else { VecDeque::new() };
        drop(inner);
        waiting.iter().for_each(|sum| sum.lose());
    }
}

/// Those who are summed up together.
struct Round(Vec<Arc<Sum>>);

impl Round {
    fn answer(&mut self, batches: Vec<Batch>, meeting: &Meeting) {
        let answered = self.0.drain(..).zip(batches);
        let again: Vec<_> = answered.filter_map(|(sum, batch)| sum.answer(batch.md5).then_some(sum)).collect();
        meeting.inner().waiting.extend(again);
    }
}

impl Drop for Round {
    fn drop(&mut self) {
        self.0.iter().for_each(|sum| sum.lose());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use bytes::Bytes;
    use md5::{Digest, Md5};

    use super::*;
    use crate::checksum::sum::Next;

    /// An upload that has handed over a batch.
    fn handed(byte: u8) -> Arc<Sum> {
        let sum = Arc::new(Sum::default());
        sum.gather(Bytes::from(vec![byte; SIZE]));
        assert_eq!(sum.next().unwrap(), Next::Tell);
        sum
    }

    const SIZE: usize = 200_000;

    #[test]
    fn one_worker_takes_all_who_come_meanwhile() {
        static MEETING: Meeting = Meeting::new();
        let sums: Vec<_> = (0..LANES).map(|lane| handed(lane as u8)).collect();
        let workers: Vec<_> = sums.iter().filter_map(|sum| MEETING.enter(Arc::clone(sum))).collect();
        assert_eq!(workers.len(), 1);
        workers.into_iter().for_each(Worker::run);
        for (lane, sum) in sums.iter().enumerate() {
            assert_eq!(sum.end().unwrap(), Next::GoOn);
            assert_eq!(sum.md5().finalize(), Md5::digest(vec![lane as u8; SIZE]));
        }
        assert!(MEETING.enter(handed(0)).is_some(), "nobody stays without work");
    }

    #[test]
    fn more_than_one_can_take_bring_another() {
        static MEETING: Meeting = Meeting::new();
        let workers: Vec<_> = (0..=LANES).filter_map(|_| MEETING.enter(handed(0))).collect();
        assert_eq!(workers.len(), 2);
        workers.into_iter().for_each(Worker::run);
    }

    #[test]
    fn nobody_waits_for_a_worker_that_never_worked() {
        static MEETING: Meeting = Meeting::new();
        let sum = handed(0);
        drop(MEETING.enter(Arc::clone(&sum)));
        assert!(sum.end().is_err());
        let next = handed(1);
        MEETING.enter(Arc::clone(&next)).unwrap().run();
        assert_eq!(next.end().unwrap(), Next::GoOn);
    }

    #[test]
    fn a_round_that_is_not_answered_is_lost() {
        let sum = handed(0);
        drop(Round(vec![Arc::clone(&sum)]));
        assert!(sum.end().is_err());
    }
}
