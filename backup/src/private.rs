//! Folders and files that only the account that restores may open: rows hold hashes of passwords, and files are as private as their rows.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use crate::error::{BackupError, Result};

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Makes a folder and those above it that are not there.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path).map_err(BackupError::io(path))
}

/// Makes a file that is not there yet, for writing.
pub(crate) fn make_file(path: &Path) -> Result<File> {
    File::options().write(true).create_new(true).mode(FILE_MODE).open(path).map_err(BackupError::io(path))
}
