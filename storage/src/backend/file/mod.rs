//! Stores blobs as files of one folder: `<folder>/<first two digits>/<version>`.
//!
//! A blob is written to `<version>.part`. The file is then renamed and synced together with its folder. Only then is the write
//! acknowledged. The rename comes before the sync, so that a journaling file system commits the content and the name together.
//!
//! A crash can leave files behind, but no database row refers to them. `.part` files are deleted when they are old enough. Complete blobs
//! are deleted by the periodic cleanup of orphaned blobs.

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

pub use self::read::FileBytes;
use self::write::{PartFile, publish, write_all};
use super::blocking_io::{blocking, io_error, sync_folder};
use super::{Assembly, Backend, BlobKey, ByteStream, Content, Listed, Piece, private_files};
use crate::error::{Error, Result};

/// Maximum size in bytes of a blob that is read on the request's own thread. For a small blob, a read from the page cache takes less time
/// than switching to another thread.
const MAX_INLINE_READ_BYTES: usize = 64 * 1024;
/// File name extension of a blob that is written in parts. The file has this extension until the blob is assembled or abandoned.
const ASSEMBLY_EXTENSION: &str = "assembly";

/// Storage backend that stores blobs as files of a folder.
#[derive(Clone, Debug)]
pub struct FileBackend {
    folder: Arc<Path>,
}

impl FileBackend {
    /// Opens the folder of the blobs, and creates it and its 256 subfolders if they are absent.
    ///
    /// # Errors
    /// If the folder cannot be created or is not writable.
    pub fn open(folder: &Path) -> Result<Self> {
        let make = || -> io::Result<()> {
            private_files::create_folder(folder)?;
            for shard in 0..=u8::MAX {
                private_files::close_folder(&folder.join(format!("{shard:02x}")))?;
            }
            sync_folder(folder)
        };
        make().map_err(io_error("opening the folder of objects"))?;
        Ok(Self { folder: folder.into() })
    }

    /// Returns the file path of a blob. No other function builds a blob's path. A key is a UUID, so the path is always two levels below the
    /// folder of the blobs.
    fn path(&self, key: BlobKey) -> PathBuf {
        let name = key.to_string();
        let shard = name.get(..2).unwrap_or("00");
        self.folder.join(shard).join(&name)
    }

    async fn write(&self, key: BlobKey, body: ByteStream) -> Result<u64> {
        let mut part = PartFile::new(self.path(key));
        let path = part.path.clone();
        let (size, file) = write_all(body, move || private_files::new_file().create_new(true).open(&path)).await?;
        let path = part.path.clone();
        blocking("writing an object", move || file.publish(&path)).await?;
        part.kept = true;
        Ok(size)
    }

    async fn write_more(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> Result<Assembly> {
        let (path, start) = (self.path(key).with_extension(ASSEMBLY_EXTENSION), assembly.size);
        let written = self.write_part(key, assembly, body).await;
        if written.is_err() {
            // Truncate the file to its previous size after a failed append, so that the bytes of the failed append do not use disk space.
            let cut = move || {
                if start == 0 { fs::remove_file(path) } else { private_files::new_file().open(path)?.set_len(start) }
            };
            let _ = blocking("cutting a part of an object", cut).await;
        }
        written
    }

    async fn write_part(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> Result<Assembly> {
        let path = self.path(key).with_extension(ASSEMBLY_EXTENSION);
        let start = assembly.size;
        let (size, file) = write_all(body, move || {
            let mut file = private_files::new_file().create(true).truncate(false).open(&path)?;
            if file.metadata()?.len() < start {
                return Err(io::Error::other("acknowledged bytes are missing"));
            }
            // Discard the bytes after `start`, the acknowledged size. A crash or a failed append may have left such bytes in the file.
            file.set_len(start)?;
            file.seek(SeekFrom::Start(start))?;
            Ok(file)
        })
        .await?;
        let folder = self.path(key);
        blocking("writing a part of an object", move || {
            file.finish()?;
            if start == 0 { folder.parent().map_or(Ok(()), sync_folder) } else { Ok(()) }
        })
        .await?;
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
                Ok(length) if length <= MAX_INLINE_READ_BYTES => {
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
            // Create a hard link to the file of the original. Both blobs can share this file, because blobs never change. On a file system
            // without hard links, copy the content.
            if fs::hard_link(&source, &target).is_err() {
                let part = PartFile::new(target.clone());
                fs::copy(&source, &part.path)?;
                return publish(&part.path, || File::open(&target)?.sync_all());
            }
            target.parent().map_or(Ok(()), sync_folder)
        };
        async move {
            blocking("copying an object", move || match copied() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Err(Error::BlobMissing(from.to_string()))),
                outcome => outcome.map(Ok),
            })
            .await?
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
        blocking("listing the folder of objects", move || scan::list(&folder, after, limit)).boxed()
    }

    fn append(&self, key: BlobKey, assembly: Assembly, body: ByteStream) -> BoxFuture<'_, Result<Assembly>> {
        self.write_more(key, assembly, body).boxed()
    }

    fn assemble(&self, key: BlobKey, assembly: Assembly) -> BoxFuture<'_, Result<()>> {
        let done = self.path(key);
        let assembled = move || -> io::Result<()> {
            let parts = done.with_extension(ASSEMBLY_EXTENSION);
            if assembly.size == 0 && !parts.exists() {
                private_files::new_file().create(true).truncate(true).open(&parts)?.sync_all()?;
            }
            match rename(&parts, &done) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && done.exists() => Ok(()),
                outcome => outcome,
            }
        };
        blocking("assembling an object", assembled).boxed()
    }

    fn abandon(&self, key: BlobKey, _: Assembly) -> BoxFuture<'_, Result<()>> {
        let path = self.path(key).with_extension(ASSEMBLY_EXTENSION);
        async move { remove(path).await }.boxed()
    }

    fn clear_unfinished(&self, before: SystemTime) -> BoxFuture<'_, Result<u64>> {
        let folder = self.folder.clone();
        blocking("clearing the folder of objects", move || scan::clear_unfinished(&folder, before)).boxed()
    }
}

async fn remove(path: PathBuf) -> Result<()> {
    blocking("deleting an object", move || match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    })
    .await
}

/// Renames a file within its folder and syncs the folder.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    to.parent().map_or(Ok(()), sync_folder)
}
