//! The MD5 of bytes on their way in: the entity tag of what is uploaded.
//!
//! Most of what an upload costs is this sum, and one stream cannot be summed up by more than one step at a time. Streams that
//! arrive at once can: they are summed up beside each other (`lanes`), whenever they meet (`meeting`).

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
use meeting::Meeting;
use sum::{Next, Sum};

static MEETING: Meeting = Meeting::new();

/// The checksum of bytes that have passed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checksum(Arc<Sum>);

impl Checksum {
    /// Takes in all bytes that pass. They are summed up in another thread while they are written; when the stream has ended, all of
    /// them have been.
    pub(crate) fn over(&self, bytes: ByteStream) -> ByteStream {
        stream::unfold(Some((bytes, self.clone())), |state| async move {
            let (mut bytes, checksum) = state?;
            match bytes.next().await {
                Some(Ok(chunk)) => {
                    checksum.0.gather(chunk.clone());
                    match checksum.settle(Sum::next).await {
                        Ok(()) => Some((Ok(chunk), Some((bytes, checksum)))),
                        Err(error) => Some((Err(error), None)),
                    }
                }
                Some(Err(error)) => Some((Err(error), Some((bytes, checksum)))),
                None => checksum.settle(Sum::end).await.err().map(|error| (Err(error), None)),
            }
        })
        .boxed()
    }

    /// Does what comes next, until the upload may go on.
    async fn settle(&self, next: fn(&Sum) -> Result<Next>) -> Result<()> {
        loop {
            match next(&self.0)? {
                Next::GoOn => return Ok(()),
                Next::Tell => MEETING.join(self.0.clone()),
                Next::Wait => self.0.answered().await,
            }
        }
    }

    /// The state between two parts of an upload: it goes on from there, on any node.
    pub(crate) fn save(&self) -> Vec<u8> {
        self.0.md5().serialize().to_vec()
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
        Ok(Self(Arc::new(Sum::from(md5))))
    }

    /// The MD5 of the bytes so far, in hexadecimal digits: what S3 and this API use as an entity tag.
    pub(crate) fn hex(&self) -> String {
        hex::encode(self.0.md5().finalize())
    }
}

#[cfg(test)]
mod tests;
