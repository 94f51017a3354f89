//! The MD5 of bytes on their way in: the entity tag of what is uploaded.
//!
//! Most of what an upload costs is this sum, and one stream cannot be summed up by more than one step at a time. Streams that
//! arrive at once can: they are summed up beside each other (`lanes`), when they meet (`meeting`).

mod abreast;
mod lanes;
mod meeting;
mod sum;

use std::sync::Arc;

use futures_util::{StreamExt, stream};
use md5::digest::common::hazmat::SerializableState;
use md5::{Digest, Md5};

use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::share::share;
use meeting::Meeting;
use sum::{Next, Sum};

static MEETING: Meeting = Meeting::new();

/// The checksum of bytes that have passed.
#[derive(Clone, Debug)]
pub(crate) struct Checksum(Arc<Sum>);

impl Default for Checksum {
    fn default() -> Self {
        Self::of(Md5::new())
    }
}

impl Checksum {
    fn of(md5: Md5) -> Self {
        Self(Arc::new(Sum::new(md5, share)))
    }

    /// Takes in all bytes that pass. They are summed up in another thread while they are written.
    pub(crate) fn over(&self, bytes: ByteStream) -> ByteStream {
        self.0.attend(MEETING.attend());
        stream::unfold(Some((bytes, Guest(Some(self.clone())))), |state| async move {
            let (mut bytes, mut guest) = state?;
            let checksum = guest.0.clone()?;
            // What came last is being written meanwhile.
            if let Err(error) = checksum.settle(Sum::next).await {
                return Some((Err(error), None));
            }
            match bytes.next().await {
                Some(Ok(chunk)) => {
                    checksum.tell(checksum.0.gather(chunk.clone()));
                    Some((Ok(chunk), Some((bytes, guest))))
                }
                Some(Err(error)) => Some((Err(error), Some((bytes, guest)))),
                None => {
                    guest.0 = None;
                    checksum.tell(checksum.0.close());
                    None
                }
            }
        })
        .boxed()
    }

    /// Does what comes next, until the upload may go on.
    async fn settle(&self, next: fn(&Sum) -> Result<Next>) -> Result<()> {
        loop {
            let next = next(&self.0)?;
            self.tell(next);
            match next {
                Next::GoOn | Next::Hurry => return Ok(()),
                Next::Wait => self.0.answered().await,
                Next::Tell => {}
            }
        }
    }

    /// Tells the meeting what it must know.
    fn tell(&self, next: Next) {
        match next {
            Next::Tell => MEETING.join(self.0.clone()),
            Next::Hurry => MEETING.hurry(),
            Next::Wait if self.0.waits() => MEETING.hurry(),
            Next::Wait | Next::GoOn => {}
        }
    }

    /// The state between two parts of an upload: it goes on from there, on any node.
    ///
    /// # Errors
    /// As [`Checksum::hex`].
    pub(crate) async fn save(&self) -> Result<Vec<u8>> {
        self.settle(Sum::end).await?;
        Ok(self.0.md5().serialize().to_vec())
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
        Ok(Self::of(md5))
    }

    /// The MD5 of the bytes that have passed, in hexadecimal digits: what S3 and this API use as an entity tag.
    ///
    /// # Errors
    /// When the thread that sums up was lost.
    pub(crate) async fn hex(&self) -> Result<String> {
        self.settle(Sum::end).await?;
        Ok(hex::encode(self.0.md5().finalize()))
    }
}

/// An upload whose bytes still come. Nobody waits for it any longer when it is given up.
struct Guest(Option<Checksum>);

impl Drop for Guest {
    fn drop(&mut self) {
        if let Some(checksum) = &self.0 {
            checksum.0.leave();
        }
    }
}

#[cfg(test)]
mod tests;
