//! Computes the MD5 of an upload's content, which clients and the S3 protocol use as entity tag (`ETag`).
//!
//! A blocking thread hashes received chunks while more chunks are received and written. MD5 cannot be computed in parallel, so an upload
//! uses at most one thread at a time, and only while chunks are queued.

use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::StreamExt;
use md5::digest::common::hazmat::SerializableState;
use md5::{Digest as _, Md5};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

use crate::backend::ByteStream;
use crate::buffer_pool::upload_budget;
use crate::error::{Error, Result};

/// Number of queued bytes up to which no blocking thread is started, because hashing so few bytes on the current thread is faster.
const MAX_INLINE_BYTES: usize = 32 * 1024;

/// MD5 digest of the bytes that have passed through [`Digest::over`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Digest(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Notifies the upload when the blocking thread has hashed queued chunks.
    progress: Notify,
}

#[derive(Debug, Default)]
struct State {
    md5: Md5,
    queue: Vec<Bytes>,
    /// Bytes that are queued or being hashed by the blocking thread.
    pending_bytes: usize,
    is_hashing: bool,
}

impl Digest {
    /// Returns a stream with the same bytes as `bytes` and hashes all of them. The stream pauses while more bytes wait to be hashed than
    /// one upload may buffer in memory.
    pub(crate) fn over(&self, bytes: ByteStream) -> ByteStream {
        let digest = self.clone();
        bytes
            .then(move |chunk| {
                let digest = digest.clone();
                async move {
                    let chunk = chunk?;
                    digest.push(chunk.clone());
                    digest.wait_until(|state| state.pending_bytes < upload_budget()).await;
                    Ok(chunk)
                }
            })
            .boxed()
    }

    /// Returns the state of the MD5 computation, to be stored between two requests of a resumable upload. Any node can continue with
    /// [`Digest::resume`].
    pub(crate) async fn save(&self) -> Vec<u8> {
        self.finish().await.serialize().to_vec()
    }

    /// Continues the MD5 computation from a saved state.
    ///
    /// # Errors
    /// If the saved state is invalid.
    pub(crate) fn resume(saved: &[u8]) -> Result<Self> {
        let state = saved.try_into().ok().and_then(|state| Md5::deserialize(state).ok());
        let md5 = state.ok_or_else(|| Error::internal("resuming a digest")("the saved state is damaged".into()))?;
        let state = Mutex::new(State { md5, ..State::default() });
        Ok(Self(Arc::new(Shared { state, progress: Notify::new() })))
    }

    /// Returns the MD5 as hexadecimal digits.
    pub(crate) async fn hex(&self) -> String {
        hex::encode(self.finish().await.finalize())
    }

    /// Returns the MD5 state of all bytes so far, after hashing the queued chunks.
    async fn finish(&self) -> Md5 {
        self.wait_until(|state| !state.is_hashing).await;
        let mut state = self.state();
        for chunk in take(&mut state.queue) {
            state.md5.update(chunk);
        }
        state.pending_bytes = 0;
        state.md5.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn wait_until(&self, reached: impl Fn(&State) -> bool) {
        while !reached(&self.state()) {
            self.0.progress.notified().await;
        }
    }

    fn push(&self, chunk: Bytes) {
        let mut state = self.state();
        state.pending_bytes += chunk.len();
        state.queue.push(chunk);
        if !state.is_hashing && state.pending_bytes > MAX_INLINE_BYTES {
            state.is_hashing = true;
            let digest = self.clone();
            drop(spawn_blocking(move || while digest.hash_queue() {}));
        }
    }

    /// Hashes the queued chunks on a blocking thread. Returns whether chunks were queued.
    fn hash_queue(&self) -> bool {
        let (mut md5, chunks) = {
            let mut state = self.state();
            state.is_hashing = !state.queue.is_empty();
            (state.md5.clone(), take(&mut state.queue))
        };
        for chunk in &chunks {
            md5.update(chunk);
        }
        if !chunks.is_empty() {
            let mut state = self.state();
            state.md5 = md5;
            state.pending_bytes -= chunks.iter().map(Bytes::len).sum::<usize>();
        }
        self.0.progress.notify_one();
        !chunks.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn body(chunks: Vec<Vec<u8>>) -> ByteStream {
        // Yields to other tasks before each chunk, as a network connection does.
        let chunk = |chunk| async {
            tokio::task::yield_now().await;
            Ok(Bytes::from(chunk))
        };
        stream::iter(chunks).then(chunk).boxed()
    }

    async fn hash(digest: &Digest, chunks: Vec<Vec<u8>>) {
        assert!(digest.over(body(chunks)).all(|item| async move { item.is_ok() }).await);
    }

    #[tokio::test]
    async fn hashes_what_passes() {
        let digest = Digest::default();
        hash(&digest, vec![b"hello ".to_vec(), b"world".to_vec()]).await;
        assert_eq!(digest.hex().await, "5eb63bbbe01eeed093cb22bb8f5acdc3");
    }

    #[tokio::test]
    async fn a_digest_is_resumed_where_it_was_saved() {
        let first = Digest::default();
        hash(&first, vec![b"hello ".to_vec()]).await;
        let second = Digest::resume(&first.save().await).unwrap();
        hash(&second, vec![b"world".to_vec()]).await;
        assert_eq!(second.hex().await, "5eb63bbbe01eeed093cb22bb8f5acdc3");
        assert!(Digest::resume(b"x").is_err());
    }

    /// The format of a saved MD5 state must not change, because rows of resumable uploads contain such states: 16 bytes of MD5 state, 8
    /// bytes of block count, 1 byte of pending length, and 63 bytes for the pending input.
    #[tokio::test]
    async fn a_state_saved_by_an_earlier_version_is_resumed() {
        let saved = hex::decode(SAVED).unwrap();
        let digest = Digest::resume(&saved).unwrap();
        assert_eq!(digest.save().await, saved);
        let rest = vec![vec![b'b'; 100_000]; 5];
        let whole = [&[b'a'; 100], rest.concat().as_slice()].concat();
        hash(&digest, rest).await;
        assert_eq!(digest.hex().await, hex::encode(Md5::digest(whole)));
    }

    const SAVED: &str = "\
        56ffd48962d95c1233deca6925e333000100000000000000246161616161616161616161616161616161616161616161\
        61616161616161616161616161000000000000000000000000000000000000000000000000000000";

    #[tokio::test]
    async fn an_error_of_the_body_is_passed_on_and_the_bytes_before_it_count() {
        let digest = Digest::default();
        let broken = body(vec![vec![7; 100_000]]).chain(stream::iter([Err(Error::Aborted("gone"))])).boxed();
        let items: Vec<_> = digest.over(broken).collect().await;
        assert!(matches!(items.as_slice(), [Ok(_), Err(Error::Aborted("gone"))]));
        assert_eq!(digest.hex().await, hex::encode(Md5::digest([7; 100_000])));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn the_digest_does_not_depend_on_how_the_bytes_are_cut(
            chunks in vec((any::<u8>(), prop_oneof![0_usize..3000, 0_usize..150_000]), 0..40),
            given_up_after in 0_usize..40,
        ) {
            let chunks: Vec<_> = chunks.into_iter().map(|(byte, size)| vec![byte; size]).collect();
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
            runtime.block_on(async {
                // Cancel an upload first, to test that a cancelled upload does not change the digest of other uploads.
                drop(Digest::default().over(body(chunks.clone())).take(given_up_after).collect::<Vec<_>>().await);
                let digest = Digest::default();
                hash(&digest, chunks.clone()).await;
                assert_eq!(digest.hex().await, hex::encode(Md5::digest(chunks.concat())));
            });
        }
    }
}
