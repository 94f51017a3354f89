//! Receives the request body of a resumable upload in segments. Each segment is stored and recorded before the next.

use axum::body::Body;

use super::authorization::Authorization;
use super::error::{Result, TusError};
use super::finish;
use super::headers::ExpectedDigest;
use super::lock::UploadLock;
use super::record::Record;
use super::segments::{BodyEnd, SEGMENT_BYTES, Segments};
use crate::byte_stream::buffer::buffered;
use crate::byte_stream::digest::Digest;
use crate::error::Error;
use crate::operation::Operation;
use crate::request::body::frames;
use crate::state::StorageState;

/// A request that writes to a resumable upload.
pub(crate) struct Receiving {
    pub(crate) state: StorageState,
    pub(crate) lock: UploadLock,
    pub(crate) record: Record,
    pub(crate) authorization: Authorization,
    pub(crate) operation: Operation,
    /// Maximum size of the resumable upload in bytes.
    pub(crate) limit: u64,
    pub(crate) expected: Option<ExpectedDigest>,
}

/// Receives the request body of a resumable upload. This task continues when the client disconnects, so that the content received so far is
/// not lost.
///
/// # Errors
/// If the request body is too large, does not match the expected digest, or cannot be stored.
pub(crate) async fn receive(receiving: Receiving, body: Body) -> Result<Record> {
    let task = tokio::spawn(receiving.run(body));
    task.await.map_err(|source| Error::Internal { context: "receiving a resumable upload", source: source.into() })?
}

impl Receiving {
    async fn run(mut self, body: Body) -> Result<Record> {
        let outcome = self.receive_body(body).await;
        // Release the upload lock before the response is sent, so that the client's next request does not have to wait for it.
        self.lock.release().await;
        outcome.map(|()| self.record)
    }

    async fn receive_body(&mut self, body: Body) -> Result<()> {
        let hasher = self.expected.as_ref().map(ExpectedDigest::hasher);
        let bytes = frames(body, self.state.settings().slow_client);
        let segments = Segments::new(bytes, self.lock.stop.clone(), hasher);
        let before = (self.record.assembly.clone(), self.record.digest_state.clone());
        while segments.has_more().await {
            let room = self.limit.saturating_sub(self.record.offset());
            if room == 0 {
                return Err(TusError::EXCEEDED);
            }
            self.append(self.state.capacity().guard(segments.next(room.min(SEGMENT_BYTES)), None)?).await?;
            // With an expected digest, the progress is saved only after the whole body is verified.
            if self.expected.is_none() && !self.record.is_whole() {
                self.save().await?;
            }
        }
        let (end, hasher) = segments.end().await;
        if let (Some(expected), Some(hasher)) = (&self.expected, hasher) {
            if let Err(error) = expected.check(hasher) {
                (self.record.assembly, self.record.digest_state) = before;
                return Err(error);
            }
            self.save().await?;
        }
        match end {
            BodyEnd::Failed(error) if !self.record.is_whole() => Err(error.into()),
            BodyEnd::Whole | BodyEnd::Stopped | BodyEnd::Failed(_) if self.record.is_whole() => self.finish().await,
            BodyEnd::Whole | BodyEnd::Stopped | BodyEnd::Failed(_) => Ok(()),
        }
    }

    async fn append(&mut self, segment: crate::backend::ByteStream) -> Result<()> {
        let digest = match &self.record.digest_state {
            Some(saved) => Digest::resume(saved)?,
            None => Digest::default(),
        };
        let (key, assembly) = (self.record.id.version, self.record.assembly.clone());
        let bytes = digest.over(buffered(segment));
        self.record.assembly = self.state.backend().append(key, assembly, bytes).await?;
        self.record.digest_state = Some(digest.save().await);
        Ok(())
    }

    async fn save(&mut self) -> Result<()> {
        if self.record.save(&self.state, self.lock.holder).await? {
            Ok(())
        } else {
            // The lease has expired and another request holds the upload lock. Only the offset that this other request saves is valid.
            Err(Error::Locked.into())
        }
    }

    async fn finish(&mut self) -> Result<()> {
        self.record.owner = self.authorization.owner.clone();
        self.record.upsert = self.authorization.upsert;
        self.record.finishing = true;
        self.save().await?;
        finish::finish(&self.state, &mut self.record, &self.authorization.identity, self.operation).await
    }
}
