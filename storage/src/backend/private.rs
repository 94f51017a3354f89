//! Files and folders that nobody but this server's user may read: entrants' works lie in them.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;
/// What a folder's group and all others may do.
const STRANGERS: u32 = 0o077;

/// Makes a folder and those above it, where they are absent. One that is there stays as it is: it may be somebody else's.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(folder)
}

/// Makes a folder that is this server's alone. One that is there and that others may look into is closed to them, and with it all
/// that lies in it, whatever modes the files have.
///
/// # Errors
/// As [`create_folder`].
pub(crate) fn close_folder(folder: &Path) -> io::Result<()> {
    create_folder(folder)?;
    if folder.metadata()?.permissions().mode() & STRANGERS != 0
        && let Err(error) = std::fs::set_permissions(folder, Permissions::from_mode(FOLDER))
    {
        tracing::warn!(folder = %folder.display(), "others may look into a folder of files: {error}");
    }
    Ok(())
}

/// How a new file is opened for writing.
pub(crate) fn new_file() -> OpenOptions {
    let mut options = File::options();
    options.write(true).mode(FILE);
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
