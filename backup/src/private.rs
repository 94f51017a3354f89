//! Creates folders and files that only the operating system account of the restore may open. Rows contain password hashes, and files must
//! be as private as the rows that name them.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use crate::error::{BackupError, Result};

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Creates a folder and its missing parents with mode 0700.
pub(crate) fn make_folder(path: &Path) -> Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path).map_err(BackupError::io(path))
}

/// Creates a new file for writing with mode 0600. Fails if the file exists.
pub(crate) fn make_file(path: &Path) -> Result<File> {
    File::options().write(true).create_new(true).mode(FILE_MODE).open(path).map_err(BackupError::io(path))
}
