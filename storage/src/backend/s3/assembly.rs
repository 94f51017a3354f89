//! Writes blobs in parts to S3. An S3 part has a minimum size. The bytes at the end of a request that are too few for a part are stored in
//! a separate S3 object, the tail, until the next request.

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use super::spool::Spool;
use super::{MIN_PART_BYTES, MultipartUpload, S3Backend, failed, is_missing, part_size};
use crate::backend::{Assembly, BlobKey, ByteStream};
use crate::error::{Error, Result};

/// State of an unfinished blob between two requests, stored in `Assembly::state`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct State {
    parts: Option<MultipartUpload>,
    /// Offset in the blob at which the tail ends. The tail contains the last bytes, which are too few for an S3 part. The offset is part of the
    /// tail's object key. `None` if there is no tail.
    tail: Option<u64>,
    /// Offset in the blob at which the previous tail ends. The bytes of the previous tail are already in an uploaded part or in the new
    /// tail. The next request deletes the previous tail, because this state is saved before that request.
    old_tail: Option<u64>,
}

impl State {
    fn of(assembly: &Assembly) -> Result<Self> {
        if assembly.state.as_object().is_none_or(serde_json::Map::is_empty) {
            // A blob without parts starts with an empty state. A blob with parts but without a state was written with another storage
            // backend, so its parts are not available here.
            return if assembly.size == 0 { Ok(Self::default()) } else { Err(Error::NoSuchUpload) };
        }
        serde_json::from_value(assembly.state.clone()).map_err(unreadable)
    }

    fn into_assembly(self, size: u64) -> Result<Assembly> {
        Ok(Assembly { size, state: serde_json::to_value(self).map_err(unreadable)? })
    }
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::Internal { context: "reading the state of an upload in parts", source: error.into() }
}

impl S3Backend {
    fn tail(&self, key: BlobKey, end: u64) -> String {
        format!("{}tails/{key}/{end}", self.prefix)
    }

    pub(super) async fn append_part(&self, key: BlobKey, assembly: Assembly, mut body: ByteStream) -> Result<Assembly> {
        let mut state = State::of(&assembly)?;
        let path = self.path(key);
        // Delete the previous tail. The caller passes a state that is already saved, so no saved state refers to the previous tail.
        if let Some(old) = state.old_tail.take() {
            self.delete_tail(key, old).await?;
        }
        let mut spool = self.read_tail(key, state.tail).await?;
        let mut size = assembly.size;
        loop {
            let had = spool.len();
            let ended = spool.fill(&mut body, part_size(size)).await?;
            size += (spool.len() - had) as u64;
            if spool.len() >= MIN_PART_BYTES {
                self.send_part(&path, &mut state.parts, &mut spool).await?;
            }
            if ended {
                break;
            }
        }
        if size == assembly.size {
            return state.into_assembly(size);
        }
        state.old_tail = state.tail.take();
        if spool.len() > 0 {
            self.store(&self.tail(key, size), &mut spool).await?;
            state.tail = Some(size);
        }
        state.into_assembly(size)
    }

    pub(super) async fn assemble_parts(&self, key: BlobKey, assembly: Assembly) -> Result<()> {
        let state = State::of(&assembly)?;
        let path = self.path(key);
        if self.exists(&path).await? {
            return self.delete_tails(key, &state).await;
        }
        let mut last = self.read_tail(key, state.tail).await?;
        match state.parts.clone() {
            None => self.store(&path, &mut last).await?,
            some => {
                let mut parts = some;
                if last.len() > 0 {
                    self.send_part(&path, &mut parts, &mut last).await?;
                }
                self.complete(&path, parts.unwrap_or_default()).await?;
            }
        }
        self.delete_tails(key, &state).await
    }

    pub(super) async fn abandon_parts(&self, key: BlobKey, assembly: Assembly) -> Result<()> {
        let state = State::of(&assembly)?;
        if let Some(parts) = &state.parts {
            match self.bucket.abort_upload(&self.path(key), &parts.upload).await {
                Err(error) if !is_missing(&error) => return Err(failed("aborting an upload in parts")(error)),
                _ => {}
            }
        }
        self.delete_tails(key, &state).await
    }

    async fn delete_tails(&self, key: BlobKey, state: &State) -> Result<()> {
        for end in [state.old_tail, state.tail].into_iter().flatten() {
            self.delete_tail(key, end).await?;
        }
        Ok(())
    }

    async fn read_tail(&self, key: BlobKey, end: Option<u64>) -> Result<Spool> {
        let mut spool = Spool::new(self.spool.clone());
        if let Some(end) = end {
            let reading = failed("reading the tail of an upload");
            let mut got = self.bucket.get_object_stream(self.tail(key, end)).await.map_err(reading)?;
            while let Some(bytes) = got.bytes().next().await {
                spool.push(bytes.map_err(failed("reading the tail of an upload"))?).await?;
            }
        }
        Ok(spool)
    }

    async fn delete_tail(&self, key: BlobKey, end: u64) -> Result<()> {
        match self.bucket.delete_object(self.tail(key, end)).await {
            Err(error) if !is_missing(&error) => Err(failed("deleting the tail of an upload")(error)),
            _ => Ok(()),
        }
    }

    async fn exists(&self, path: &str) -> Result<bool> {
        match self.bucket.head_object(path).await {
            Ok((_, status)) => Ok(status < 300),
            Err(::s3::error::S3Error::HttpFailWithBody(404, _)) => Ok(false),
            Err(error) => Err(failed("checking whether an object exists")(error)),
        }
    }
}
