//! Blobs as files of one folder: `<folder>/<first two digits>/<version>`.
//!
//! A blob is written to `<version>.part`, renamed, synced, and its folder synced; only then is it acknowledged. (Renamed first, so that
//! a file system with a journal makes bytes and name safe in one go.) What a crash leaves behind, under either name, no row shows: a
//! `.part` is cleared away by age, and a blob by the sweep.

mod concatenate;
mod read;
mod scan;
mod write;

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::task::spawn_blocking;

pub use self::read::FileBytes;
use self::write::{PartFile, publish, write_all};
use super::{Assembly, Backend, BlobKey, ByteStream, Content, Listed, Piece, private};
use crate::error::{Error, Result};

/// Up to this size a file is read at once and where the request runs: the page cache answers faster than a thread switch.
const INLINE: usize = 64 * 1024;
const UNFINISHED: &str = "part";
/// A blob that comes in parts: kept until it is assembled or abandoned.
const ASSEMBLY: &str = "assembly";

/// A folder of blobs.
#[derive(Clone, Debug)]
pub struct FileBackend {
    folder: Arc<Path>,
}

impl FileBackend {
    /// Opens a folder, and makes it and its 256 sub-folders if they are absent.
    ///
    /// # Errors
    /// When the folder cannot be made or written.
    pub fn open(folder: &Path) -> Result<Self> {
        let make = || -> io::Result<()> {
            private::create_folder(folder)?;
            for shard in 0..=u8::MAX {
                private::close_folder(&folder.join(format!("{shard:02x}")))?;
            }
            sync_folder(folder)
        };
        make().map_err(io_error("opening the folder of objects"))?;
        Ok(Self { folder: folder.into() })
    }

    /// The one place where a path is made. A key is a UUID, so the path is always two levels below the folder.
    fn path(&self, key: BlobKey) -> PathBuf {
        let name = key.to_string();
        let shard = name.get(..2).unwrap_or("00");
        self.folder.join(shard).join(&name)
    }

    async fn write(&self, key: BlobKey, body: ByteStream) -> Result<u64> {
        let mut part = PartFile::new(self.path(key));
        let path = part.path.clone();
        let (size, file) = write_all(body, move || private::new_file().create_new(true).open(&path)).await?;
        let path = part.path.clone();
        spawn_blocking(move || file.publish(&path)).await.map_err(joined)?.map_err(io_error("writing an object"))?;
        part.kept = true;
        Ok(size)
    }

    async fn write_more(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> Result<Assembly> {
        let (path, start) = (self.path(key).with_extension(ASSEMBLY), assembly.size);
        let written = self.write_part(key, assembly, body).await;
        if written.is_err() {
            // Bytes that do not count take no room.
            let cut =
                move || if start == 0 { fs::remove_file(path) } else { private::new_file().open(path)?.set_len(start) };
            let _ = spawn_blocking(cut).await;
        }
        written
    }

    async fn write_part(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> Result<Assembly> {
        let path = self.path(key).with_extension(ASSEMBLY);
        let start = assembly.size;
        let (size, file) = write_all(body, move || {
            let mut file = private::new_file().create(true).truncate(false).open(&path)?;
            if file.metadata()?.len() < start {
                return Err(io::Error::other("bytes that were acknowledged are missing"));
            }
            // What a crash or a refused part left behind the safe bytes does not count.
            file.set_len(start)?;
            file.seek(SeekFrom::Start(start))?;
            Ok(file)
        })
        .await?;
        let folder = self.path(key);
        spawn_blocking(move || {
            file.finish()?;
            if start == 0 { folder.parent().map_or(Ok(()), sync_folder) } else { Ok(()) }
        })
        .await
        .map_err(joined)?
        .map_err(io_error("writing a part of an object"))?;
        Ok(Assembly { size: start + size, state: assembly.state })
    }
}

impl Backend for FileBackend {
    fn put(&self, key: BlobKey, body: ByteStream) -> BoxFuture<'_, Result<u64>> {
        self.write(key, body).boxed()
    }

    fn get(&self, key: BlobKey, range: Range<u64>) -> BoxFuture<'_, Result<Content>> {
        let path = self.path(key);
        let length = range.end.saturating_sub(range.start);
        async move {
            let file = read::open(&path, key)?;
            match usize::try_from(length) {
                Ok(length) if length <= INLINE => {
                    read::read(&file, range.start, length).map(Content::Whole).map_err(io_error("reading an object"))
                }
                _ => Ok(Content::File(FileBytes::new(file, range))),
            }
        }
        .boxed()
    }

    fn copy(&self, from: BlobKey, to: BlobKey) -> BoxFuture<'_, Result<()>> {
        let (source, target) = (self.path(from), self.path(to));
        let copied = move || -> io::Result<()> {
            // Blobs never change, so two names can share the bytes. A file system without links gets a copy.
            if fs::hard_link(&source, &target).is_err() {
                let part = PartFile::new(target.clone());
                fs::copy(&source, &part.path)?;
                return publish(&part.path, || File::open(&target)?.sync_all());
            }
            target.parent().map_or(Ok(()), sync_folder)
        };
        async move {
            spawn_blocking(copied).await.map_err(joined)?.map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => Error::BlobMissing(from.to_string()),
                _ => io_error("copying an object")(error),
            })
        }
        .boxed()
    }

    fn concatenate(&self, key: BlobKey, pieces: Vec<Piece>) -> BoxFuture<'_, Result<u64>> {
        self.write_pieces(key, pieces).boxed()
    }

    fn delete(&self, key: BlobKey) -> BoxFuture<'_, Result<()>> {
        remove(self.path(key)).boxed()
    }

    fn list(&self, after: Option<BlobKey>, limit: usize) -> BoxFuture<'_, Result<Vec<Listed>>> {
        let folder = self.folder.clone();
        async move {
            spawn_blocking(move || scan::list(&folder, after, limit))
                .await
                .map_err(joined)?
                .map_err(io_error("listing the folder of objects"))
        }
        .boxed()
    }

    fn append(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> BoxFuture<'_, Result<Assembly>> {
        self.write_more(key, assembly, body).boxed()
    }

    fn assemble(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>> {
        let done = self.path(key);
        let assembled = move || -> io::Result<()> {
            let parts = done.with_extension(ASSEMBLY);
            if assembly.size == 0 && !parts.exists() {
                private::new_file().create(true).truncate(true).open(&parts)?.sync_all()?;
            }
            match rename(&parts, &done) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && done.exists() => Ok(()),
                outcome => outcome,
            }
        };
        async move { spawn_blocking(assembled).await.map_err(joined)?.map_err(io_error("assembling an object")) }
            .boxed()
    }

    fn abandon(&self, key: BlobKey, _: Assembly) -> BoxFuture<'_, Result<()>> {
        let path = self.path(key).with_extension(ASSEMBLY);
        async move { remove(path).await }.boxed()
    }

    fn clear_unfinished(&self, before: SystemTime) -> BoxFuture<'_, Result<u64>> {
        let folder = self.folder.clone();
        async move {
            spawn_blocking(move || scan::clear_unfinished(&folder, before))
                .await
                .map_err(joined)?
                .map_err(io_error("clearing the folder of objects"))
        }
        .boxed()
    }
}

async fn remove(path: PathBuf) -> Result<()> {
    match spawn_blocking(move || fs::remove_file(path)).await.map_err(joined)? {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(io_error("deleting an object")(error)),
        _ => Ok(()),
    }
}

/// Renames a file within its folder, and makes that safe.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    to.parent().map_or(Ok(()), sync_folder)
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

pub(super) fn io_error(context: &'static str) -> impl FnOnce(io::Error) -> Error {
    move |source| match is_full(&source) {
        true => Error::OutOfSpace("The server's disk is full"),
        false => Error::Internal { context, source: source.into() },
    }
}

/// Whether the disk has no room, or this server may take no more of it.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

fn joined(error: tokio::task::JoinError) -> Error {
    Error::Internal { context: "waiting for a file operation", source: error.into() }
}
