//! Taking in the bytes of one request: segment by segment, each safe and noted before the next.

use axum::body::Body;

use super::error::{Result, TusError};
use super::finish;
use super::headers::Expected;
use super::hold::Hold;
use super::record::Record;
use super::right::Right;
use super::source::{End, SEGMENT, Source};
use crate::error::Error;
use crate::operation::Operation;
use crate::space;
use crate::state::StorageState;
use crate::upload::digest::Digest;
use crate::upload::{body, stream};

/// An upload that a request writes to.
pub(crate) struct Receiving {
    pub(crate) state: StorageState,
    pub(crate) hold: Hold,
    pub(crate) record: Record,
    pub(crate) right: Right,
    pub(crate) operation: Operation,
    /// The most bytes the upload may have.
    pub(crate) limit: u64,
    pub(crate) expected: Option<Expected>,
}

/// Takes in a body. This goes on to its end when the client goes away: what has come by then is not lost.
///
/// # Errors
/// When the bytes are too many or not the expected ones, or cannot be stored.
pub(crate) async fn receive(receiving: Receiving, body: Body) -> Result<Record> {
    let task = tokio::spawn(receiving.run(body));
    task.await.map_err(|source| Error::Internal { context: "receiving a resumable upload", source: source.into() })?
}

impl Receiving {
    async fn run(mut self, body: Body) -> Result<Record> {
        let outcome = self.take_in(body).await;
        // Released before the answer: the client's next request need not wait.
        self.hold.release().await;
        outcome.map(|()| self.record)
    }

    async fn take_in(&mut self, body: Body) -> Result<()> {
        let sum = self.expected.as_ref().map(Expected::sum);
        let bytes = body::frames(body, self.state.settings().slow_client);
        let source = Source::new(bytes, self.hold.stop.clone(), sum);
        let before = (self.record.assembly.clone(), self.record.checksum.clone());
        while source.has_more().await {
            let room = self.limit.saturating_sub(self.record.offset());
            if room == 0 {
                return Err(TusError::EXCEEDED);
            }
            self.append(space::guarded(&self.state, source.segment(room.min(SEGMENT)), None)?).await?;
            // Bytes that have to sum up count only when all of them are there.
            if self.expected.is_none() && !self.record.is_whole() {
                self.save().await?;
            }
        }
        let (end, sum) = source.end().await;
        if let (Some(expected), Some(sum)) = (&self.expected, sum) {
            if let Err(error) = expected.check(sum) {
                (self.record.assembly, self.record.checksum) = before;
                return Err(error);
            }
            self.save().await?;
        }
        match end {
            End::Failed(error) if !self.record.is_whole() => Err(error.into()),
            End::Whole | End::Stopped | End::Failed(_) if self.record.is_whole() => self.finish().await,
            End::Whole | End::Stopped | End::Failed(_) => Ok(()),
        }
    }

    async fn append(&mut self, segment: crate::backend::ByteStream) -> Result<()> {
        let digest = match &self.record.checksum {
            Some(saved) => Digest::resume(saved)?,
            None => Digest::default(),
        };
        let (key, assembly) = (self.record.id.version, self.record.assembly.clone());
        let bytes = digest.over(stream::buffered(segment));
        self.record.assembly = self.state.backend().append(key, assembly, bytes).await?;
        self.record.checksum = Some(digest.save().await);
        Ok(())
    }

    async fn save(&mut self) -> Result<()> {
        if self.record.save(&self.state, self.hold.holder).await? {
            Ok(())
        } else {
            // The lease ran out, and another request has the upload: its offset is the one that counts.
            Err(Error::Locked.into())
        }
    }

    async fn finish(&mut self) -> Result<()> {
        self.record.owner = self.right.owner.clone();
        self.record.upsert = self.right.upsert;
        self.record.finishing = true;
        self.save().await?;
        finish::finish(&self.state, &mut self.record, &self.right.asking, self.operation).await
    }
}
