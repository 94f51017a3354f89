//! Runs file operations on blocking threads, and converts their errors.

use std::fs::File;
use std::io;
use std::path::Path;

use cloch_core::disk_full;
use tokio::task::{JoinError, spawn_blocking};

use crate::error::{Error, Result};

/// Runs a file operation on a blocking thread.
///
/// # Errors
/// The same errors as [`io_error`].
pub(crate) async fn blocking<T: Send + 'static>(
    context: &'static str,
    operation: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T> {
    spawn_blocking(operation).await.map_err(join_error)?.map_err(io_error(context))
}

/// Converts the error of a file operation. A full disk becomes [`Error::OutOfSpace`], which the operator must resolve; other errors are
/// internal.
pub(crate) fn io_error(context: &'static str) -> impl FnOnce(io::Error) -> Error {
    let is_full = |error: &io::Error| disk_full::is_cause(error) || error.kind() == io::ErrorKind::FileTooLarge;
    move |source| match is_full(&source) {
        true => Error::OutOfSpace("The server's disk is full"),
        false => Error::Internal { context, source: source.into() },
    }
}

/// Converts the error of a task on a blocking thread (a panic or a cancellation).
pub(crate) fn join_error(error: JoinError) -> Error {
    Error::internal("waiting for a file operation")(error.into())
}

/// Syncs a folder, so that created, renamed and deleted files survive a crash.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
