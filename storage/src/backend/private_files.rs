//! Creates files and folders that only this server's user can read, because they contain users' uploads.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
/// Permission bits of a folder's group and of all other operating system users.
const GROUP_AND_OTHERS: u32 = 0o077;

/// Creates a folder and its parents if they are absent. The permissions of an existing folder are unchanged, because the folder may belong
/// to another operating system user.
///
/// # Errors
/// If the folder cannot be created.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder)
}

/// Creates a folder that only this server's user can read. The permissions of an existing folder are restricted, which also protects all
/// files in the folder, whatever their modes.
///
/// # Errors
/// The same errors as [`create_folder`].
pub(crate) fn close_folder(folder: &Path) -> io::Result<()> {
    create_folder(folder)?;
    if folder.metadata()?.permissions().mode() & GROUP_AND_OTHERS != 0
        && let Err(error) = std::fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE))
    {
        tracing::warn!(%error, folder = %folder.display(), "storage: restricting the permissions of a folder of storage failed, other accounts can read its files");
    }
    Ok(())
}

/// Returns the options for creating a file for writing that only this server's user can read.
pub(crate) fn new_file() -> OpenOptions {
    let mut options = File::options();
    options.write(true).mode(FILE_MODE);
    options
}

/// Creates a file with the given content that only this server's user can read.
///
/// # Errors
/// If the file already exists or the file system fails.
pub(crate) async fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use tokio::io::AsyncWriteExt;
    let mut file = tokio::fs::OpenOptions::from(new_file()).create_new(true).open(path).await?;
    file.write_all(bytes).await?;
    file.flush().await
}
