//! One file of the bytes of others. The system copies them: it moves no bytes through this program, and shares the blocks where
//! the file system can.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use tokio::task::spawn_blocking;

use super::write::{PartFile, publish};
use super::{FileBackend, io_error, joined, read};
use crate::backend::{BlobKey, Piece, private};
use crate::error::Result;

impl FileBackend {
    pub(super) async fn write_pieces(&self, key: BlobKey, pieces: Vec<Piece>) -> Result<u64> {
        let failed = io_error("putting an object together");
        let mut part = PartFile::new(self.path(key));
        let path = part.path.clone();
        let mut file = spawn_blocking(move || private::new_file().create_new(true).open(path))
            .await
            .map_err(joined)?
            .map_err(failed)?;
        let mut size = 0;
        // Each piece by itself, so that a request that is dropped is not worked on much longer.
        for piece in pieces {
            let path = self.path(piece.key);
            file = spawn_blocking(move || append(file, &path, piece)).await.map_err(joined)??;
            size += piece.size;
        }
        let path = part.path.clone();
        spawn_blocking(move || publish(&path, || file.sync_all()))
            .await
            .map_err(joined)?
            .map_err(io_error("putting an object together"))?;
        part.kept = true;
        Ok(size)
    }
}

/// Appends a piece to the file.
fn append(mut file: File, path: &Path, piece: Piece) -> Result<File> {
    let source = read::open(path, piece.key)?;
    // `copy_file_range` on Linux.
    let copied = io::copy(&mut source.take(piece.size), &mut file).and_then(|copied| match copied == piece.size {
        true => Ok(file),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    });
    copied.map_err(io_error("putting an object together"))
}
