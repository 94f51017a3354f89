//! The checksum of one upload, and the bytes that wait for it.

use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use md5::{Digest, Md5};
use tokio::sync::Notify;

use super::abreast::Batch;
use crate::error::{Error, Result};

/// Up to so many bytes are summed up faster than another thread is woken.
const SMALL: usize = 32 * 1024;

/// So many batches are gathered at most while one is summed up.
const MOST: usize = 3;

/// The upload's end of it gathers bytes and hands them over; the other end sums them up.
#[derive(Debug)]
pub(super) struct Sum {
    /// What is handed to another thread at once, in bytes.
    full: usize,
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
    /// Whether something has been handed over and not been answered.
    under_way: bool,
    /// Whether the last chunk has come.
    closed: bool,
    lost: bool,
}

/// What the upload does next.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    GoOn,
    /// A batch has been handed over: somebody must be told.
    Tell,
    /// Two more have been gathered: the batch before shall wait for no others.
    Hurry,
    /// The batch before must have been answered first.
    Wait,
}

impl Sum {
    pub(super) fn new(md5: Md5, full: usize) -> Self {
        Self { full, inner: Mutex::new(Inner { md5, ..Inner::default() }), answered: Notify::new() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The checksum of all that has been summed up.
    pub(super) fn md5(&self) -> Md5 {
        self.inner().md5.clone()
    }

    pub(super) fn gather(&self, chunk: Bytes) {
        let mut inner = self.inner();
        inner.size = inner.size.saturating_add(chunk.len());
        inner.gathered.push_back(chunk);
    }

    /// Between two chunks.
    pub(super) fn next(&self) -> Result<Next> {
        let mut inner = self.inner();
        inner.check()?;
        Ok(match inner.size / self.full {
            0 => Next::GoOn,
            _ if !inner.under_way => inner.hand_over(self.full),
            MOST.. => Next::Wait,
            2.. if inner.waits() => Next::Hurry,
            _ => Next::GoOn,
        })
    }

    /// After the last chunk: the rest goes the same way, while the upload does what else is to be done.
    pub(super) fn close(&self) -> Next {
        let mut inner = self.inner();
        inner.closed = true;
        if inner.size > SMALL && !inner.under_way { inner.hand_over(self.full) } else { Next::GoOn }
    }

    /// Once the checksum is wanted. [`Next::GoOn`] says that all has been summed up.
    pub(super) fn end(&self) -> Result<Next> {
        let mut inner = self.inner();
        inner.check()?;
        if inner.under_way || inner.size > SMALL {
            return Ok(inner.hand_over(self.full));
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
        inner.under_way = false;
        let follows = inner.size >= self.full || inner.closed && inner.size > SMALL;
        follows && inner.hand_over(self.full) == Next::Tell
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
    /// Hands over a batch: no more than is full, for those that are summed up together had best be of one size.
    fn hand_over(&mut self, full: usize) -> Next {
        if self.under_way {
            return Next::Wait;
        }
        let mut size = 0;
        while let Some(chunk) = self.gathered.pop_front_if(|_| size < full) {
            size += chunk.len();
            self.handed.push(chunk);
        }
        self.size -= size;
        self.under_way = true;
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

    const FULL: usize = 4 * SMALL;

    fn sum() -> Sum {
        Sum::new(Md5::new(), FULL)
    }

    fn gather(sum: &Sum, size: usize) -> Next {
        vec![1; size].chunks(SMALL).for_each(|chunk| sum.gather(Bytes::copy_from_slice(chunk)));
        sum.next().unwrap()
    }

    #[test]
    fn one_batch_is_under_way_and_others_are_gathered() {
        let sum = sum();
        assert_eq!(gather(&sum, FULL - 1), Next::GoOn);
        assert_eq!(gather(&sum, 1), Next::Tell);
        assert_eq!(gather(&sum, 2 * FULL - 1), Next::GoOn);
        assert_eq!(gather(&sum, 1), Next::Hurry);
        let batch = sum.pick_up();
        assert_eq!(gather(&sum, 1), Next::GoOn, "it is being summed up");
        assert_eq!(gather(&sum, FULL), Next::Wait);
        assert!(sum.answer(&batch.md5), "a gathered batch follows at once");
        assert_eq!(gather(&sum, 1), Next::Hurry);
        assert!(sum.answer(&sum.pick_up().md5) && sum.answer(&sum.pick_up().md5));
        assert_eq!(gather(&sum, SMALL / 2), Next::GoOn);
        assert_eq!(sum.end().unwrap(), Next::Wait);
        assert!(!sum.answer(&sum.pick_up().md5), "little is left to the upload itself");
        assert_eq!(sum.end().unwrap(), Next::GoOn);
    }

    #[test]
    fn batches_are_of_one_size() {
        let sum = sum();
        sum.gather(Bytes::from_static(&[0; FULL - 1]));
        sum.gather(Bytes::from_static(&[0; 2]));
        sum.gather(Bytes::from_static(&[0; 1]));
        assert_eq!(sum.next().unwrap(), Next::Tell);
        let sizes: Vec<_> = sum.pick_up().chunks.iter().map(Bytes::len).collect();
        assert_eq!(sizes, [FULL - 1, 2]);
    }

    #[test]
    fn the_rest_follows_when_the_last_chunk_has_come() {
        let sum = sum();
        assert_eq!(gather(&sum, FULL), Next::Tell);
        assert_eq!(gather(&sum, FULL), Next::GoOn);
        assert_eq!(gather(&sum, SMALL + 1), Next::GoOn);
        assert_eq!(sum.close(), Next::GoOn);
        assert!(sum.answer(&sum.pick_up().md5), "it is handed over by whoever answers");
        assert!(sum.answer(&sum.pick_up().md5));
        assert!(!sum.answer(&sum.pick_up().md5));
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
        assert_eq!(gather(&sum, FULL), Next::Tell);
        sum.lose();
        assert!(sum.next().is_err());
        assert!(sum.end().is_err());
    }
}
