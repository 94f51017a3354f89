//! Making a cluster's data folder, whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Account, Binaries, ClusterSettings, EmbeddedError, SUPERUSER};

/// The version that made the cluster in a folder; none where there is no cluster yet.
pub(super) fn version(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join("PG_VERSION")).ok().map(|text| text.trim().to_owned())
}

/// Makes the cluster beside its final place and moves it there when it is whole, so that a killed first start leaves nothing half
/// made.
pub(super) fn create(
    folder: &Path,
    settings: &ClusterSettings,
    binaries: &Binaries,
    account: Account,
) -> Result<(), EmbeddedError> {
    let draft = beside(folder, "draft");
    remove(&draft)?;
    account.make_folder(&draft)?;
    let password_file = beside(folder, "password");
    write_private(&password_file, settings.password.expose())?;
    account.own(&password_file)?;

    let output = account
        .command(&binaries.program("initdb"))
        .arg("--pgdata")
        .arg(&draft)
        .args(["--username", SUPERUSER, "--auth=scram-sha-256", "--encoding=UTF8"])
        .args(["--locale=C.UTF-8", "--data-checksums", "--no-instructions", "--no-sync"])
        .arg("--pwfile")
        .arg(&password_file)
        .current_dir("/")
        .output()
        .map_err(EmbeddedError::io(binaries.program("initdb")));
    let _ = std::fs::remove_file(&password_file);
    let output = output?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let _ = remove(&draft);
        return Err(EmbeddedError::failed("initdb", folder, &text));
    }
    sync_tree(&draft)?;
    if folder.exists() {
        // An empty folder may have been prepared (a mount point, a volume): only such a one may be replaced.
        std::fs::remove_dir(folder).map_err(EmbeddedError::io(folder))?;
    }
    std::fs::rename(&draft, folder).map_err(EmbeddedError::io(folder))?;
    sync_folder(folder.parent().unwrap_or(folder))
}

fn beside(folder: &Path, suffix: &str) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder.with_file_name(format!("{name}.{suffix}"))
}

fn remove(folder: &Path) -> Result<(), EmbeddedError> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(EmbeddedError::io(folder)(error)),
        _ => Ok(()),
    }
}

fn write_private(path: &Path, text: &str) -> Result<(), EmbeddedError> {
    use std::os::unix::fs::OpenOptionsExt;
    let _ = std::fs::remove_file(path);
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(EmbeddedError::io(path))?;
    file.write_all(text.as_bytes()).map_err(EmbeddedError::io(path))
}

/// initdb's own sync walks the tree twice; one walk before the rename is what the rename needs.
fn sync_tree(folder: &Path) -> Result<(), EmbeddedError> {
    for entry in std::fs::read_dir(folder).map_err(EmbeddedError::io(folder))? {
        let entry = entry.map_err(EmbeddedError::io(folder))?;
        let kind = entry.file_type().map_err(EmbeddedError::io(entry.path()))?;
        if kind.is_dir() {
            sync_tree(&entry.path())?;
        } else if kind.is_file() {
            sync_folder(&entry.path())?;
        }
    }
    sync_folder(folder)
}

fn sync_folder(path: &Path) -> Result<(), EmbeddedError> {
    std::fs::File::open(path).and_then(|file| file.sync_all()).map_err(EmbeddedError::io(path))
}
