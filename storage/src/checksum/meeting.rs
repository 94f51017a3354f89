//! Where the batches of uploads that arrive at once meet.
//!
//! The more are taken together, the cheaper each byte is. So a batch waits until there is one of each upload that has more to bring, or
//! until its upload has gathered half of what it may: then those that are there are taken.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;

use super::abreast::{Batch, LANES, sum_up};
use super::sum::Sum;

/// Those who wait, and how many sum up.
#[derive(Debug)]
pub(super) struct Meeting(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    waiting: VecDeque<Arc<Sum>>,
    workers: usize,
    /// Uploads of which more may come.
    attending: usize,
    /// Whether an upload cannot wait for others.
    hurried: bool,
}

impl Meeting {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Inner { waiting: VecDeque::new(), workers: 0, attending: 0, hurried: false }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An upload begins.
    pub(super) fn attend(&'static self) -> Attendance {
        let mut inner = self.inner();
        inner.attending = inner.attending.saturating_add(1);
        Attendance(self)
    }

    /// Has a batch that was handed over summed up.
    pub(super) fn join(&'static self, sum: Arc<Sum>) {
        send(self.enter(sum));
    }

    /// An upload cannot wait: nobody else is waited for.
    pub(super) fn hurry(&'static self) {
        send(self.call());
    }

    fn enter(&'static self, sum: Arc<Sum>) -> Option<Worker> {
        let mut inner = self.inner();
        inner.waiting.push_back(sum);
        self.worker(inner)
    }

    fn call(&'static self) -> Option<Worker> {
        let mut inner = self.inner();
        inner.hurried = !inner.waiting.is_empty();
        self.worker(inner)
    }

    fn leave(&'static self) -> Option<Worker> {
        let mut inner = self.inner();
        inner.attending = inner.attending.saturating_sub(1);
        self.worker(inner)
    }

    /// A worker comes when there is none, or when more wait than those at work can take next: two threads with half of the lanes
    /// each would spend more on the same bytes.
    fn worker(&'static self, mut inner: MutexGuard<'_, Inner>) -> Option<Worker> {
        let at_work = inner.workers.saturating_mul(LANES);
        let wanted = if inner.workers == 0 { inner.is_time() } else { inner.waiting.len() > at_work };
        if !wanted {
            return None;
        }
        inner.workers = inner.workers.saturating_add(1);
        Some(Worker { meeting: self, at_work: true })
    }
}

impl Inner {
    /// Whether those who wait shall be summed up now.
    fn is_time(&self) -> bool {
        !self.waiting.is_empty() && (self.hurried || self.waiting.len() >= self.attending.min(LANES))
    }

    fn next_round(&mut self) -> Round {
        let count = self.waiting.len().min(LANES);
        let round = self.waiting.drain(..count).collect();
        // Who hurries may be among those who are left.
        self.hurried &= !self.waiting.is_empty();
        Round(round)
    }
}

fn send(worker: Option<Worker>) {
    // Without a runtime the program has stopped, and those who wait are lost with the worker.
    if let (Some(worker), Ok(runtime)) = (worker, Handle::try_current()) {
        drop(runtime.spawn_blocking(move || worker.run()));
    }
}

/// An upload that may bring more. Those who wait do not wait for it any longer once this is dropped.
#[derive(Debug)]
pub(super) struct Attendance(&'static Meeting);

impl Drop for Attendance {
    fn drop(&mut self) {
        send(self.0.leave());
    }
}

/// Sums up what waits, until it is time for company.
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
        if !inner.is_time() {
            // Still under the lock: who comes now finds nobody at work, and calls somebody.
            inner.workers = inner.workers.saturating_sub(1);
            self.at_work = false;
            return None;
        }
        Some(inner.next_round())
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
        let again: Vec<_> = self.0.iter().zip(batches).filter(|(sum, batch)| sum.answer(&batch.md5)).collect();
        meeting.inner().waiting.extend(again.into_iter().map(|(sum, _)| Arc::clone(sum)));
        self.0.drain(..).for_each(|sum| sum.tell());
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
    use crate::blocks::SIZE;
    use crate::checksum::sum::Next;

    /// An upload that has handed over a batch.
    fn handed(byte: u8) -> Arc<Sum> {
        let sum = Arc::new(Sum::new(Md5::new(), || SIZE));
        assert_eq!(sum.gather(Bytes::from(vec![byte; SIZE])), Next::Tell);
        sum
    }

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
    }

    #[test]
    fn a_batch_waits_for_all_who_attend_and_not_when_its_upload_cannot() {
        static MEETING: Meeting = Meeting::new();
        let enter = |byte| MEETING.enter(handed(byte));
        let attending = [(); 3].map(|()| MEETING.attend());
        assert!(MEETING.call().is_none(), "there is nothing to be summed up");
        assert!(enter(0).is_none() && enter(1).is_none(), "there are three");
        enter(2).unwrap().run();

        let sum = handed(3);
        assert!(MEETING.enter(Arc::clone(&sum)).is_none());
        let at_work = MEETING.call().unwrap();
        assert!(MEETING.call().is_none(), "somebody is at work already");
        at_work.run();
        assert_eq!(sum.end().unwrap(), Next::GoOn);

        assert!(enter(4).is_none() && enter(5).is_none());
        let [first, second, third] = attending;
        std::mem::forget(first);
        MEETING.leave().unwrap().run();
        assert!(enter(6).is_none());
        drop((second, third));
        assert_eq!(MEETING.inner().attending, 0);
    }

    #[test]
    fn an_upload_is_waited_for_until_its_last_batch_is_summed_up() {
        static MEETING: Meeting = Meeting::new();
        let sum = handed(0);
        sum.attend(MEETING.attend());
        assert_eq!(sum.gather(Bytes::from(vec![1; SIZE])), Next::Wait);
        assert_eq!(sum.close(), Next::GoOn);
        assert_eq!(MEETING.inner().attending, 1);
        MEETING.enter(Arc::clone(&sum)).unwrap().run();
        assert_eq!(MEETING.inner().attending, 0);
        assert_eq!(sum.end().unwrap(), Next::GoOn);

        sum.attend(MEETING.attend());
        sum.leave();
        assert_eq!(MEETING.inner().attending, 0, "it was given up");
    }

    #[test]
    fn many_who_attend_are_no_more_than_can_be_taken() {
        static MEETING: Meeting = Meeting::new();
        let attending: Vec<_> = (0..3 * LANES).map(|_| MEETING.attend()).collect();
        let mut workers = (0..LANES).filter_map(|_| MEETING.enter(handed(0)));
        workers.next().unwrap().run();
        assert!(workers.next().is_none());
        drop(attending);
    }

    #[test]
    fn who_is_in_a_hurry_is_taken_also_when_more_are_before_them() {
        static MEETING: Meeting = Meeting::new();
        let sums: Vec<_> = (0..LANES + 2).map(|_| handed(0)).collect();
        let mut workers = sums.iter().filter_map(|sum| MEETING.enter(Arc::clone(sum)));
        let (first, second) = (workers.next().unwrap(), workers.next().unwrap());
        assert!(workers.next().is_none() && MEETING.call().is_none());
        drop(workers);
        first.run();
        second.run();
        assert!(sums.iter().all(|sum| sum.end().unwrap() == Next::GoOn));
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
