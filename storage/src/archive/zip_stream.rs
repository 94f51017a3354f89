//! Writes a ZIP file as a stream. Files are stored uncompressed, because the formats of photographs and audio already compress their
//! content.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::backend::{Backend, BlobKey, ByteStream};
use crate::error::{Error, Result};
use crate::model::meta::Meta;

/// An object that becomes an entry of a ZIP archive.
#[derive(Debug)]
pub(super) struct ZipEntry {
    name: String,
    key: BlobKey,
    size: u64,
    modified: DateTime,
}

impl ZipEntry {
    /// Creates an archive entry with the name `name` for the object with the metadata `meta`.
    ///
    /// # Errors
    /// [`Error::BlobMissing`] if the object's row has no valid version or no size.
    pub(super) fn of(name: String, meta: &Meta) -> Result<Self> {
        let key = meta.key()?;
        let size = meta.size.ok_or_else(|| Error::BlobMissing(key.to_string()))?;
        // The ZIP format cannot represent times before 1980. Such a time, or a missing time, becomes 1 January 1980.
        let modified = meta.last_modified.and_then(|time| time.naive_utc().try_into().ok()).unwrap_or_default();
        Ok(Self { name, key, size, modified })
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    fn options(&self) -> SimpleFileOptions {
        SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(self.modified)
            .unix_permissions(0o644)
            .large_file(self.size >= u64::from(u32::MAX))
    }
}

/// Returns the content of the ZIP archive. If an object cannot be read, the stream ends with an error, so that the client does not accept a
/// truncated archive as complete.
pub(super) fn stream(backend: Arc<dyn Backend>, files: Vec<ZipEntry>) -> impl Stream<Item = Result<Bytes>> {
    let sink = Sink::default();
    let writer = Some(ZipWriter::new_stream(sink.clone()));
    let zip = ZipStream { backend, files: files.into(), writer, content: None, sink };
    stream::try_unfold(zip, |mut zip| async move {
        let bytes = zip.advance().await?;
        Ok(bytes.map(|bytes| (bytes, zip)))
    })
}

struct ZipStream {
    backend: Arc<dyn Backend>,
    /// Entries that are not written to the archive yet.
    files: VecDeque<ZipEntry>,
    /// Writer of the archive. `None` after the central directory is written.
    writer: Option<ZipWriter<StreamWriter<Sink>>>,
    /// Remaining content of the entry that is being written.
    content: Option<ByteStream>,
    sink: Sink,
}

impl ZipStream {
    /// Returns the next bytes of the archive, or `None` when the archive is complete.
    async fn advance(&mut self) -> Result<Option<Bytes>> {
        while let Some(mut writer) = self.writer.take() {
            match self.content.as_mut() {
                Some(content) => match content.next().await {
                    Some(chunk) => writer.write_all(&chunk?).map_err(failed)?,
                    None => self.content = None,
                },
                None => match self.files.pop_front() {
                    Some(file) => {
                        let content = self.backend.get(file.key, 0..file.size).await?;
                        writer.start_file(file.name.as_str(), file.options()).map_err(failed)?;
                        self.content = Some(content.into_stream());
                    }
                    None => {
                        writer.finish().map_err(failed)?;
                        return Ok(Some(self.sink.take()));
                    }
                },
            }
            self.writer = Some(writer);
            let bytes = self.sink.take();
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Internal { context: "writing an archive", source: error.into() }
}

/// Output buffer of the ZIP writer, from which the stream of the archive takes the written bytes.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    fn take(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
