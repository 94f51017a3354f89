//! Wraps a storage backend to record trace spans.

use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use cloch_core::spans::{Kind, Span};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::{Assembly, Backend, BlobKey, ByteStream, Content, Listed, Piece};
use crate::error::Result;

/// A storage backend that records a trace span for each operation of a request.
#[derive(Debug)]
pub(crate) struct TracedBackend(pub(crate) Arc<dyn Backend>);

/// Records a trace span that lasts until the operation `work` completes. For the download of a large blob, the span ends when the first bytes
/// are available.
fn traced<'a, T: 'a>(name: &'static str, work: BoxFuture<'a, Result<T>>) -> BoxFuture<'a, Result<T>> {
    async move {
        let mut span = Span::begin(name, Kind::Client);
        let outcome = work.await;
        if outcome.is_err() {
            span.fail();
        }
        outcome
    }
    .boxed()
}

impl Backend for TracedBackend {
    fn put(&self, key: BlobKey, body: ByteStream) -> BoxFuture<'_, Result<u64>> {
        traced("store put", self.0.put(key, body))
    }

    fn get(&self, key: BlobKey, range: Range<u64>) -> BoxFuture<'_, Result<Content>> {
        traced("store get", self.0.get(key, range))
    }

    fn copy(&self, from: BlobKey, to: BlobKey) -> BoxFuture<'_, Result<()>> {
        traced("store copy", self.0.copy(from, to))
    }

    fn concatenate(&self, key: BlobKey, pieces: Vec<Piece>) -> BoxFuture<'_, Result<u64>> {
        traced("store concatenate", self.0.concatenate(key, pieces))
    }

    fn delete(&self, key: BlobKey) -> BoxFuture<'_, Result<()>> {
        traced("store delete", self.0.delete(key))
    }

    fn list(&self, after: Option<BlobKey>, limit: usize) -> BoxFuture<'_, Result<Vec<Listed>>> {
        self.0.list(after, limit)
    }

    fn append(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> BoxFuture<'_, Result<Assembly>> {
        traced("store append", self.0.append(key, assembly, body))
    }

    fn assemble(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>> {
        traced("store assemble", self.0.assemble(key, assembly))
    }

    fn abandon(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>> {
        self.0.abandon(key, assembly)
    }

    fn clear_unfinished(&self, before: SystemTime) -> BoxFuture<'_, Result<u64>> {
        self.0.clear_unfinished(before)
    }
}
