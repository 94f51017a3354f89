//! Concatenates blobs into one file. The kernel copies the content (`copy_file_range`). Therefore the content does not pass through this
//! process, and on file systems with reflinks the files share the blocks.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::write::{PartFile, publish};
use super::{FileBackend, read};
use crate::backend::blocking_io::{blocking, io_error};
use crate::backend::{BlobKey, Piece, private_files};
use crate::error::Result;

const CONTEXT: &str = "concatenating blobs";

impl FileBackend {
    pub(super) async fn write_pieces(&self, key: BlobKey, pieces: Vec<Piece>) -> Result<u64> {
        let mut part = PartFile::new(self.path(key));
        let path = part.path.clone();
        let mut file = blocking(CONTEXT, move || private_files::new_file().create_new(true).open(path)).await?;
        let mut size = 0;
        // Start a separate blocking task for each blob. If the request is dropped, the work stops after the current blob.
        for piece in pieces {
            let path = self.path(piece.key);
            let appended = blocking(CONTEXT, move || Ok(append(file, &path, piece))).await?;
            file = appended?;
            size += piece.size;
        }
        let path = part.path.clone();
        blocking(CONTEXT, move || publish(&path, || file.sync_all())).await?;
        part.kept = true;
        Ok(size)
    }
}

/// Appends the content of one blob to the file.
fn append(mut file: File, path: &Path, piece: Piece) -> Result<File> {
    let source = read::open(path, piece.key)?;
    // `io::copy` uses `copy_file_range` on Linux.
    let copied = io::copy(&mut source.take(piece.size), &mut file).and_then(|copied| match copied == piece.size {
        true => Ok(file),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    });
    copied.map_err(io_error(CONTEXT))
}
