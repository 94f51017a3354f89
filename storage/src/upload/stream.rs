//! What bytes pass through on their way in: a limit, a checksum, and a watch on their pace.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use md5::digest::common::hazmat::SerializableState;
use md5::{Digest, Md5};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, timeout};

use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::settings::SlowClient;

/// What is handed to another thread at once.
const SUM_BATCH: usize = 128 * 1024;
/// Up to so many bytes are summed up faster than another thread is woken.
const SMALL: usize = 32 * 1024;

/// Ends with [`Error::EntityTooLarge`] as soon as more than `limit` bytes have come.
pub(crate) fn limited(bytes: ByteStream, limit: u64) -> ByteStream {
    stream::unfold((bytes, 0_u64), move |(mut bytes, mut seen)| async move {
        let item = bytes.next().await?;
        let item = item.and_then(|chunk| {
            seen = seen.saturating_add(chunk.len() as u64);
            if seen > limit { Err(Error::EntityTooLarge) } else { Ok(chunk) }
        });
        Some((item, (bytes, seen)))
    })
    .boxed()
}

/// The checksum of bytes that have passed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checksum(Arc<Mutex<Md5>>);

impl Checksum {
    /// Takes in all bytes that pass. They are summed up in another thread while they are written; when the stream has ended, all of
    /// them have been.
    pub(crate) fn over(&self, bytes: ByteStream) -> ByteStream {
        let summing = Summing { checksum: self.clone(), passed: Vec::new(), size: 0, under_way: None };
        stream::unfold(Some((bytes, summing)), |state| async move {
            let (mut bytes, mut summing) = state?;
            match bytes.next().await {
                Some(Ok(chunk)) => match summing.take(chunk.clone()).await {
                    Ok(()) => Some((Ok(chunk), Some((bytes, summing)))),
                    Err(error) => Some((Err(error), None)),
                },
                Some(Err(error)) => Some((Err(error), Some((bytes, summing)))),
                None => summing.finish().await.err().map(|error| (Err(error), None)),
            }
        })
        .boxed()
    }

    fn update(&self, chunks: &[Bytes]) {
        let mut md5 = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        chunks.iter().for_each(|chunk| md5.update(chunk));
    }

    /// The state between two parts of an upload: it goes on from there, on any node.
    pub(crate) fn save(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).serialize().to_vec()
    }

    /// Goes on from a saved state.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn resume(saved: &[u8]) -> Result<Self> {
        let unreadable = |source: Box<dyn std::error::Error + Send + Sync>| Error::Internal {
            context: "resuming a checksum",
            source,
        };
        let state = saved.try_into().map_err(|_| unreadable("the saved state has another length".into()))?;
        let md5 = Md5::deserialize(state).map_err(|_| unreadable("the saved state is damaged".into()))?;
        Ok(Self(Arc::new(Mutex::new(md5))))
    }

    /// The MD5 of the bytes so far, in hexadecimal digits: what S3 and this API use as an entity tag.
    pub(crate) fn hex(&self) -> String {
        hex::encode(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone().finalize())
    }
}

/// Bytes that have passed and are to be summed up.
struct Summing {
    checksum: Checksum,
    passed: Vec<Bytes>,
    size: usize,
    under_way: Option<JoinHandle<()>>,
}

impl Summing {
    async fn take(&mut self, chunk: Bytes) -> Result<()> {
        self.size += chunk.len();
        self.passed.push(chunk);
        if self.size >= SUM_BATCH { self.sum_up().await } else { Ok(()) }
    }

    /// Hands what has passed to another thread, once that has done with what passed before.
    async fn sum_up(&mut self) -> Result<()> {
        self.settle().await?;
        let (checksum, passed) = (self.checksum.clone(), std::mem::take(&mut self.passed));
        self.size = 0;
        self.under_way = Some(spawn_blocking(move || checksum.update(&passed)));
        Ok(())
    }

    async fn settle(&mut self) -> Result<()> {
        match self.under_way.take() {
            Some(task) => task.await.map_err(|source| Error::internal("summing up an object")(source.into())),
            None => Ok(()),
        }
    }

    async fn finish(&mut self) -> Result<()> {
        if self.size > SMALL {
            self.sum_up().await?;
        }
        self.settle().await?;
        self.checksum.update(&std::mem::take(&mut self.passed));
        Ok(())
    }
}

/// A body whose pace is watched.
struct Watched<S> {
    bytes: S,
    pace: SlowClient,
    /// How much longer the client may be waited for in this window.
    left: Duration,
    arrived: u64,
}

impl<S: Stream<Item = Result<Bytes>> + Unpin> Watched<S> {
    async fn next(&mut self) -> Option<Result<Bytes>> {
        let asked = Instant::now();
        let Ok(item) = timeout(self.left, self.bytes.next()).await else {
            return Some(Err(Error::Aborted("The client sends too slowly")));
        };
        self.left = self.left.saturating_sub(asked.elapsed());
        if let Some(Ok(chunk)) = &item {
            self.arrived = self.arrived.saturating_add(chunk.len() as u64);
            // Enough has come in this window: the next one begins.
            if self.arrived >= self.pace.min_bytes {
                self.arrived = 0;
                self.left = self.pace.window;
            }
        }
        item
    }
}

/// Ends with an error when fewer bytes than the client must send come within a window of time. Only time spent waiting for the
/// client counts: a slow disk is not its fault.
pub(crate) fn paced<S>(bytes: S, pace: SlowClient) -> ByteStream
where
    S: Stream<Item = Result<Bytes>> + Send + Unpin + 'static,
{
    let watched = Watched { bytes, pace, left: pace.window, arrived: 0 };
    stream::unfold(Some(watched), |watched| async move {
        let mut watched = watched?;
        let item = watched.next().await?;
        let next = item.is_ok().then_some(watched);
        Some((item, next))
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn bytes(chunks: &'static [&'static str]) -> ByteStream {
        stream::iter(chunks).map(|chunk| Ok(Bytes::from_static(chunk.as_bytes()))).boxed()
    }

    #[tokio::test]
    async fn cuts_what_is_too_large() {
        let results: Vec<_> = limited(bytes(&["abc", "def"]), 5).collect().await;
        assert!(matches!(results.as_slice(), [Ok(_), Err(Error::EntityTooLarge)]));
        assert!(limited(bytes(&["abc", "de"]), 5).all(|item| async move { item.is_ok() }).await);
    }

    #[tokio::test]
    async fn sums_what_passes() {
        let checksum = Checksum::default();
        let _: Vec<_> = checksum.over(bytes(&["hello ", "world"])).collect().await;
        assert_eq!(checksum.hex(), "5eb63bbbe01eeed093cb22bb8f5acdc3");
    }

    #[tokio::test]
    async fn a_checksum_goes_on_where_it_was() {
        let first = Checksum::default();
        let _: Vec<_> = first.over(bytes(&["hello "])).collect().await;
        let second = Checksum::resume(&first.save()).unwrap();
        let _: Vec<_> = second.over(bytes(&["world"])).collect().await;
        assert_eq!(second.hex(), "5eb63bbbe01eeed093cb22bb8f5acdc3");
        assert!(Checksum::resume(b"x").is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn cuts_off_one_byte_a_second() {
        let drip = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Some((Ok(Bytes::from_static(b"x")), ()))
        });
        let pace = SlowClient { window: Duration::from_secs(10), min_bytes: 100 };
        let got: Vec<_> = paced(Box::pin(drip), pace).collect().await;
        assert!(matches!(got.last(), Some(Err(Error::Aborted(_)))));
        assert!(got.len() <= 11, "{}", got.len());
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_disk_is_not_the_clients_fault() {
        let pace = SlowClient { window: Duration::from_secs(10), min_bytes: 100 };
        let mut body = paced(bytes(&["a", "b", "c"]), pace);
        while let Some(item) = body.next().await {
            assert!(item.is_ok());
            tokio::time::sleep(pace.window * 2).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_but_steady_client_is_served() {
        let steady = stream::iter(0..50).then(|_| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(Bytes::from_static(&[0; 20]))
        });
        let pace = SlowClient { window: Duration::from_secs(10), min_bytes: 100 };
        assert!(paced(Box::pin(steady), pace).all(|item| async move { item.is_ok() }).await);
    }
}
