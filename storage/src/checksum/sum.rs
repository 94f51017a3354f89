//! The checksum of one upload, and the bytes that wait for it.

use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use md5::{Digest, Md5};
use tokio::sync::Notify;

use super::abreast::Batch;
use super::meeting::Attendance;
use crate::error::{Error, Result};
use crate::share::part;

/// Up to so many bytes are summed up faster than another thread is woken.
const SMALL: usize = 32 * 1024;

/// So many bytes are handed over at once at most.
const BATCH: usize = 256 * 1024;

/// The upload's end of it gathers bytes and hands them over; the other end sums them up.
#[derive(Debug)]
pub(super) struct Sum {
    /// How many bytes may wait, now that there are as many uploads as there are.
    share: fn() -> usize,
    inner: Mutex<Inner>,
    /// Tells the upload that the other end has done with a batch.
    answered: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    md5: Md5,
    gathered: VecDeque<Bytes>,
    size: usize,
    /// What has been handed over and not been picked up.
    handed: Vec<Bytes>,
    /// How many bytes have been handed over and not been answered.
    under_way: usize,
    /// Whether the last chunk has come.
    closed: bool,
    /// Others wait for its batches until the last one has been summed up.
    attendance: Option<Attendance>,
    lost: bool,
}

/// What the upload does next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Next {
    GoOn,
    /// A batch has been handed over: somebody must be told.
    Tell,
    /// Half of what may wait does: the batch before shall wait for no others.
    Hurry,
    /// The batch before must have been answered first.
    Wait,
}

impl Sum {
    pub(super) fn new(md5: Md5, share: fn() -> usize) -> Self {
        Self { share, inner: Mutex::new(Inner { md5, ..Inner::default() }), answered: Notify::new() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The checksum of all that has been summed up.
    pub(super) fn md5(&self) -> Md5 {
        self.inner().md5.clone()
    }

    /// Bytes will come.
    pub(super) fn attend(&self, attendance: Attendance) {
        let mut inner = self.inner();
        inner.closed = false;
        let before = inner.attendance.replace(attendance);
        drop(inner);
        drop(before);
    }

    /// Others need wait for it no longer: its last batch is summed up, or it was given up.
    pub(super) fn leave(&self) {
        // Dropped once the lock is free: the meeting has one of its own.
        let attendance = self.inner().attendance.take();
        drop(attendance);
    }

    /// Takes a chunk.
    pub(super) fn gather(&self, chunk: Bytes) -> Next {
        let mut inner = self.inner();
        inner.size = inner.size.saturating_add(chunk.len());
        inner.gathered.push_back(chunk);
        inner.next((self.share)())
    }

    /// Before the next chunk.
    pub(super) fn next(&self) -> Result<Next> {
        let mut inner = self.inner();
        inner.check()?;
        Ok(inner.next((self.share)()))
    }

    /// After the last chunk: the rest goes the same way, while the upload does what else is to be done.
    pub(super) fn close(&self) -> Next {
        let mut inner = self.inner();
        inner.closed = true;
        if inner.under_way > 0 {
            return Next::GoOn;
        }
        if inner.size > SMALL {
            return inner.hand_over((self.share)());
        }
        drop(inner);
        self.leave();
        Next::GoOn
    }

    /// Once the checksum is wanted. [`Next::GoOn`] says that all has been summed up.
    pub(super) fn end(&self) -> Result<Next> {
        let mut inner = self.inner();
        inner.check()?;
        if inner.under_way > 0 || inner.size > SMALL {
            return Ok(inner.hand_over((self.share)()));
        }
        inner.size = 0;
        let rest = take(&mut inner.gathered);
        rest.iter().for_each(|chunk| inner.md5.update(chunk));
        Ok(Next::GoOn)
    }

    /// Whether what was handed over has not been picked up.
    pub(super) fn waits(&self) -> bool {
        self.inner().waits()
    }

    /// Waits until the other end has done something.
    pub(super) async fn answered(&self) {
        self.answered.notified().await;
    }

    /// At the other end: takes what has been handed over.
    pub(super) fn pick_up(&self) -> Batch {
        let mut inner = self.inner();
        Batch { md5: inner.md5.clone(), chunks: take(&mut inner.handed) }
    }

    /// At the other end: gives the checksum back. What has been gathered meanwhile is as good as handed over when it is a whole
    /// batch: returns whether there is such a one.
    pub(super) fn answer(&self, md5: &Md5) -> bool {
        let mut inner = self.inner();
        inner.md5 = md5.clone();
        inner.under_way = 0;
        let share = (self.share)();
        let follows = inner.size >= part(share, BATCH) || inner.closed && inner.size > SMALL;
        if follows {
            return inner.hand_over(share) == Next::Tell;
        }
        let is_last = inner.closed;
        drop(inner);
        if is_last {
            self.leave();
        }
        false
    }

    /// At the other end: says that it has answered, once what follows waits where the upload can hurry it.
    pub(super) fn tell(&self) {
        self.answered.notify_one();
    }

    /// At the other end: says that a batch will never be summed up.
    pub(super) fn lose(&self) {
        self.inner().lost = true;
        self.tell();
    }
}

impl Inner {
    fn next(&mut self, share: usize) -> Next {
        let all = self.size + self.under_way;
        if self.under_way == 0 && self.size >= part(share, BATCH) {
            self.hand_over(share)
        } else if all >= share {
            Next::Wait
        } else if all >= share / 2 && self.waits() {
            Next::Hurry
        } else {
            Next::GoOn
        }
    }

    /// Hands over a batch, and no more: those that are summed up together had best be of one size.
    fn hand_over(&mut self, share: usize) -> Next {
        if self.under_way > 0 {
            return Next::Wait;
        }
        let full = part(share, BATCH);
        while let Some(chunk) = self.gathered.pop_front_if(|_| self.under_way < full) {
            self.under_way += chunk.len();
            self.handed.push(chunk);
        }
        self.size -= self.under_way;
        Next::Tell
    }

    fn waits(&self) -> bool {
        !self.handed.is_empty()
    }

    fn check(&self) -> Result<()> {
        if self.lost { Err(Error::internal("summing up an object")("a batch was lost".into())) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::blocks::SIZE;

    const SHARE: usize = 4 * BATCH;

    fn sum() -> Sum {
        Sum::new(Md5::new(), || SHARE)
    }

    /// The last of so many bytes.
    fn gather(sum: &Sum, size: usize) -> Next {
        vec![1; size].chunks(SMALL).map(|chunk| sum.gather(Bytes::copy_from_slice(chunk))).last().unwrap()
    }

    fn answer(sum: &Sum) -> bool {
        sum.answer(&sum.pick_up().md5)
    }

    #[test]
    fn one_batch_is_under_way_and_others_are_gathered() {
        let sum = sum();
        assert_eq!(gather(&sum, BATCH - 1), Next::GoOn);
        assert_eq!(gather(&sum, 1), Next::Tell);
        assert_eq!(gather(&sum, BATCH - 1), Next::GoOn);
        assert_eq!(gather(&sum, 1), Next::Hurry);
        let batch = sum.pick_up();
        assert_eq!(gather(&sum, 1), Next::GoOn, "it is being summed up");
        assert_eq!(gather(&sum, 2 * BATCH - 1), Next::Wait);
        assert_eq!(sum.next().unwrap(), Next::Wait);
        assert!(sum.answer(&batch.md5), "a gathered batch follows at once");
        assert_eq!(sum.next().unwrap(), Next::Hurry);
        assert!(answer(&sum) && !answer(&sum), "the rest is no whole batch");
        assert_eq!(gather(&sum, 1), Next::Tell);
        assert_eq!(gather(&sum, SMALL / 2), Next::GoOn);
        assert_eq!(sum.end().unwrap(), Next::Wait);
        assert!(!answer(&sum), "little is left to the upload itself");
        assert_eq!(sum.end().unwrap(), Next::GoOn);
    }

    #[test]
    fn in_a_crowd_a_block_waits_until_the_one_before_is_summed_up() {
        let sum = Sum::new(Md5::new(), || SIZE);
        assert_eq!(gather(&sum, SIZE), Next::Tell);
        assert_eq!(sum.next().unwrap(), Next::Wait);
        assert!(!answer(&sum));
        assert_eq!(sum.next().unwrap(), Next::GoOn);
    }

    #[test]
    fn batches_are_of_one_size() {
        let sum = sum();
        assert_eq!(sum.gather(Bytes::from_static(&[0; BATCH - 1])), Next::GoOn);
        assert_eq!(sum.gather(Bytes::from_static(&[0; 2])), Next::Tell);
        assert_eq!(sum.gather(Bytes::from_static(&[0; BATCH])), Next::Hurry);
        let sizes: Vec<_> = sum.pick_up().chunks.iter().map(Bytes::len).collect();
        assert_eq!(sizes, [BATCH - 1, 2]);
    }

    #[test]
    fn the_rest_follows_when_the_last_chunk_has_come() {
        let sum = sum();
        assert_eq!(gather(&sum, BATCH), Next::Tell);
        assert_eq!(gather(&sum, BATCH - SMALL), Next::GoOn);
        assert_eq!(sum.close(), Next::GoOn);
        assert!(answer(&sum), "it is handed over by whoever answers");
        assert!(!answer(&sum));
        assert_eq!(sum.end().unwrap(), Next::GoOn);
        assert_eq!(gather(&sum, SMALL + 1), Next::GoOn);
        assert_eq!(sum.close(), Next::Tell);
    }

    #[test]
    fn a_small_file_is_summed_up_where_it_is() {
        let sum = sum();
        assert_eq!(gather(&sum, SMALL), Next::GoOn);
        assert_eq!(sum.end().unwrap(), Next::GoOn);
        assert_eq!(sum.md5().finalize(), Md5::digest([1; SMALL]));
    }

    #[test]
    fn a_lost_batch_ends_the_upload() {
        let sum = sum();
        assert_eq!(gather(&sum, BATCH), Next::Tell);
        sum.lose();
        assert!(sum.next().is_err());
        assert!(sum.end().is_err());
    }
}
