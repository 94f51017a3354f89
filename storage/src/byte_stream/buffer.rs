//! Copies the content of an upload into pooled buffers.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::{StreamExt, stream};

use crate::backend::ByteStream;
use crate::buffer_pool::{Buffer, Reservation, UPLOAD_BUFFER_BYTES};
use crate::error::{Error, Result};

/// Copies the stream of an upload into full buffers, which are then hashed and written without a further copy. The memory of the received
/// chunks is released.
pub(crate) fn buffered(bytes: ByteStream) -> ByteStream {
    let buffering =
        Buffering { bytes, full: VecDeque::new(), partial: None, end: None, _reservation: Reservation::new() };
    stream::unfold(buffering, |mut buffering| async move { Some((buffering.next().await?, buffering)) }).boxed()
}

struct Buffering {
    bytes: ByteStream,
    full: VecDeque<Buffer>,
    /// Buffer that is not full yet.
    partial: Option<Buffer>,
    /// Result at the end of the input stream: `Some(None)` for success, `Some(Some(error))` for an error. `None` while the end is not reached.
    end: Option<Option<Error>>,
    _reservation: Reservation,
}

impl Buffering {
    /// Returns the next buffer, or `None` at the end of the stream. If the stream ends with an error, the bytes received before the error are
    /// returned first, because a resumed upload continues after these bytes.
    async fn next(&mut self) -> Option<Result<Bytes>> {
        while self.full.is_empty() && self.end.is_none() {
            self.end = match self.bytes.next().await {
                Some(Ok(bytes)) => self.fill(bytes).err().map(Some),
                Some(Err(error)) => Some(Some(error)),
                None => Some(None),
            };
        }
        match self.full.pop_front().or_else(|| self.partial.take()) {
            Some(buffer) => Some(Ok(buffer.into_bytes())),
            None => self.end.as_mut()?.take().map(Err),
        }
    }

    /// Copies all of `bytes` into buffers, so that the memory of the received chunk is released.
    fn fill(&mut self, mut bytes: Bytes) -> Result<()> {
        while !bytes.is_empty() {
            let mut buffer = match self.partial.take() {
                Some(buffer) => buffer,
                None => Buffer::for_upload().map_err(|error| Error::internal("buffering an upload")(error.into()))?,
            };
            buffer.fill(&mut bytes);
            if buffer.filled() < UPLOAD_BUFFER_BYTES {
                self.partial = Some(buffer);
            } else {
                self.full.push_back(buffer);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn fills_buffers_and_loses_nothing_before_an_error() {
        for sizes in [
            vec![],
            vec![1],
            vec![UPLOAD_BUFFER_BYTES],
            vec![UPLOAD_BUFFER_BYTES - 1, 2, 3 * UPLOAD_BUFFER_BYTES],
            vec![7; 100],
        ] {
            let all: Vec<u8> = (0..sizes.iter().sum()).map(|at: usize| (at % 251) as u8).collect();
            let mut rest = Bytes::from(all.clone());
            let chunks: Vec<_> = sizes.iter().map(|&size| Ok(rest.split_to(size))).collect();
            let body = stream::iter(chunks).chain(stream::iter([Err(Error::Aborted("gone"))])).boxed();
            let mut buffers: Vec<_> = buffered(body).collect().await;
            assert!(matches!(buffers.pop(), Some(Err(Error::Aborted("gone")))));
            let buffers: Vec<_> = buffers.into_iter().map(Result::unwrap).collect();
            assert!(buffers.iter().rev().skip(1).all(|buffer| buffer.len() == UPLOAD_BUFFER_BYTES));
            assert!(buffers.concat() == all);
        }
    }
}
