//! Creates files and folders that only this server's user can read, because they contain users' uploads.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
/// The permission bits of a folder's group and of all others.
const GROUP_AND_OTHERS: u32 = 0o077;

/// Creates a folder and its parents if absent. An existing one is unchanged: it may belong to somebody else.
///
/// # Errors
/// When it cannot be created.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)
}

/// Creates a folder that only this server's user can read. The permissions of an existing one are restricted, which closes all files in it
/// as well, whatever their modes.
///
/// # Errors
/// As [`create_folder`].
pub(crate) fn close_folder(folder: &Path) -> io::Result<()> {
    create_folder(folder)?;
    if folder.metadata()?.permissions().mode() & GROUP_AND_OTHERS != 0
        && let Err(error) = std::fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE))
    {
        tracing::warn!(folder = %folder.display(), "restricting the permissions of the objects folder failed: {error}");
    }
    Ok(())
}

/// How a new file is opened for writing.
pub(crate) fn new_file() -> OpenOptions {
    let mut options = File::options();
    options.write(true).mode(FILE_MODE);
    options
}

/// Writes a whole new file.
///
/// # Errors
/// Those of the file system.
pub(crate) async fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use tokio::io::AsyncWriteExt;
    let mut file = tokio::fs::OpenOptions::from(new_file()).create_new(true).open(path).await?;
    file.write_all(bytes).await?;
    file.flush().await
}
