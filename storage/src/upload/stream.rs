//! What bytes pass through on their way in: a limit, a watch on their pace, and blocks that they are gathered in.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::backend::ByteStream;
use crate::blocks::{Block, SIZE};
use crate::error::{Error, Result};
use crate::settings::SlowClient;
use crate::share::Sharing;

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

/// Gathers bytes in whole blocks of memory. From there they are summed up and written without a further copy, and the memory that
/// they came in is free for those that follow.
pub(crate) fn gathered(bytes: ByteStream) -> ByteStream {
    let gathering = Gathering { bytes, full: VecDeque::new(), begun: None, end: None, _sharing: Sharing::begin() };
    stream::unfold(gathering, |mut gathering| async move { Some((gathering.next().await?, gathering)) }).boxed()
}

struct Gathering {
    bytes: ByteStream,
    full: VecDeque<Block>,
    /// One with room for more.
    begun: Option<Block>,
    /// How the bytes have ended.
    end: Option<Option<Error>>,
    _sharing: Sharing,
}

impl Gathering {
    /// The next block. What came before an error is told before it: a resumed upload goes on from there.
    async fn next(&mut self) -> Option<Result<Bytes>> {
        while self.full.is_empty() && self.end.is_none() {
            self.end = match self.bytes.next().await {
                Some(Ok(bytes)) => self.fill(bytes).err().map(Some),
                Some(Err(error)) => Some(Some(error)),
                None => Some(None),
            };
        }
        match self.full.pop_front().or_else(|| self.begun.take()) {
            Some(block) => Some(Ok(block.into_bytes())),
            None => self.end.as_mut()?.take().map(Err),
        }
    }

    /// Puts all of the bytes into blocks, so that nothing holds the memory any longer that they came in.
    fn fill(&mut self, mut bytes: Bytes) -> Result<()> {
        while !bytes.is_empty() {
            let mut block = match self.begun.take() {
                Some(block) => block,
                None => Block::new().map_err(|error| Error::internal("gathering an upload")(error.into()))?,
            };
            block.fill(&mut bytes);
            if block.filled() < SIZE {
                self.begun = Some(block);
            } else {
                self.full.push_back(block);
            }
        }
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
    alarm: Alarm,
}

impl<S: Stream<Item = Result<Bytes>> + Unpin> Watched<S> {
    async fn next(&mut self) -> Option<Result<Bytes>> {
        let asked = Instant::now();
        let item = tokio::select! {
            biased;
            item = self.bytes.next() => item,
            () = self.alarm.at(asked + self.left) => return Some(Err(Error::Aborted("The client sends too slowly"))),
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

/// A time that is waited for while something else is expected again and again. It is set as rarely as can be, for each setting would
/// wake the runtime.
#[derive(Default)]
struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// Waits until a time, which is no earlier than that of the last call.
    async fn at(&mut self, time: Instant) {
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(time)));
        loop {
            sleep.as_mut().await;
            if sleep.deadline() >= time {
                return;
            }
            sleep.as_mut().reset(time);
        }
    }
}

/// Ends with an error when fewer bytes than the client must send come within a window of time. Only time spent waiting for the
/// client counts: a slow disk is not its fault.
pub(crate) fn paced<S>(bytes: S, pace: SlowClient) -> ByteStream
where
    S: Stream<Item = Result<Bytes>> + Send + Unpin + 'static,
{
    let watched = Watched { bytes, pace, left: pace.window, arrived: 0, alarm: Alarm::default() };
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
    async fn gathers_blocks_and_loses_nothing_before_an_error() {
        for sizes in [vec![], vec![1], vec![SIZE], vec![SIZE - 1, 2, 3 * SIZE], vec![7; 100]] {
            let all: Vec<u8> = (0..sizes.iter().sum()).map(|at: usize| (at % 251) as u8).collect();
            let mut rest = Bytes::from(all.clone());
            let chunks: Vec<_> = sizes.iter().map(|&size| Ok(rest.split_to(size))).collect();
            let body = stream::iter(chunks).chain(stream::iter([Err(Error::Aborted("gone"))])).boxed();
            let mut blocks: Vec<_> = gathered(body).collect().await;
            assert!(matches!(blocks.pop(), Some(Err(Error::Aborted("gone")))));
            let blocks: Vec<_> = blocks.into_iter().map(Result::unwrap).collect();
            assert!(blocks.iter().rev().skip(1).all(|block| block.len() == SIZE));
            assert!(blocks.concat() == all);
        }
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
