//! A storage backend with fault injection: the n-th operation fails, before or after its execution. Tests run with every n.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use cloch_storage::Error;
use cloch_storage::backend::{Assembly, Backend, BlobKey, ByteStream, Content, Listed, Piece};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

type Outcome<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// Moment at which the chosen backend operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// The operation is not executed.
    Before,
    /// The operation is executed, but returns an error, as if the connection was lost before the response.
    After,
}

/// A storage backend that wraps another backend and fails one operation.
#[derive(Debug)]
pub(crate) struct FaultyBackend {
    inner: Arc<dyn Backend>,
    nth: usize,
    moment: Moment,
    count: AtomicUsize,
}

impl FaultyBackend {
    /// Creates a backend that fails the `nth` operation, counted from 1. With 0, no operation fails.
    pub(crate) fn new(inner: Arc<dyn Backend>, nth: usize, moment: Moment) -> Self {
        Self { inner, nth, moment, count: AtomicUsize::new(0) }
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    async fn run<T>(&self, operation: Outcome<'_, T>) -> Result<T, Error> {
        let fails = self.count.fetch_add(1, Ordering::SeqCst) + 1 == self.nth;
        let fault = || Error::internal("testing")("a fault on purpose".into());
        match self.moment {
            Moment::Before if fails => Err(fault()),
            Moment::After if fails => operation.await.and_then(|_| Err(fault())),
            _ => operation.await,
        }
    }
}

impl Backend for FaultyBackend {
    fn put(&self, key: BlobKey, body: ByteStream) -> Outcome<'_, u64> {
        self.run(self.inner.put(key, body)).boxed()
    }

    fn get(&self, key: BlobKey, range: Range<u64>) -> Outcome<'_, Content> {
        self.run(self.inner.get(key, range)).boxed()
    }

    fn copy(&self, from: BlobKey, to: BlobKey) -> Outcome<'_, ()> {
        self.run(self.inner.copy(from, to)).boxed()
    }

    fn concatenate(&self, key: BlobKey, pieces: Vec<Piece>) -> Outcome<'_, u64> {
        self.run(self.inner.concatenate(key, pieces)).boxed()
    }

    fn delete(&self, key: BlobKey) -> Outcome<'_, ()> {
        self.run(self.inner.delete(key)).boxed()
    }

    fn list(&self, after: Option<BlobKey>, limit: usize) -> Outcome<'_, Vec<Listed>> {
        self.run(self.inner.list(after, limit)).boxed()
    }

    fn append(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> Outcome<'_, Assembly> {
        self.run(self.inner.append(key, assembly, body)).boxed()
    }

    fn assemble(&self, key: BlobKey, assembly: Assembly) -> Outcome<'_, ()> {
        self.run(self.inner.assemble(key, assembly)).boxed()
    }

    fn abandon(&self, key: BlobKey, assembly: Assembly) -> Outcome<'_, ()> {
        self.run(self.inner.abandon(key, assembly)).boxed()
    }

    fn clear_unfinished(&self, before: SystemTime) -> Outcome<'_, u64> {
        self.run(self.inner.clear_unfinished(before)).boxed()
    }
}
