//! Creates the data folder of an embedded PostgreSQL cluster, either completely or not at all.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Account, Binaries, ClusterSettings, EmbeddedError, SUPERUSER};

/// Suffix of the cluster's folder while the cluster is being created.
const DRAFT_SUFFIX: &str = ".draft";

/// Returns the PostgreSQL version of the cluster in a folder; `None` if the folder contains no cluster.
pub(super) fn version(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join("PG_VERSION")).ok().map(|text| text.trim().to_owned())
}

/// Creates the cluster in a draft folder and renames the folder when it is complete, so that a killed first start leaves no partial
/// cluster. Each attempt has a new draft folder, because initdb of a killed start may still write to the previous draft folder.
pub(super) fn create(
    folder: &Path,
    settings: &ClusterSettings,
    binaries: &Binaries,
    account: Account,
) -> Result<(), EmbeddedError> {
    remove_drafts(folder);
    let attempt = uuid::Uuid::new_v4().simple();
    let draft = beside(folder, &format!("{DRAFT_SUFFIX}{attempt}"));
    account.make_folder(&draft)?;
    let password_file = beside(folder, &format!("{DRAFT_SUFFIX}{attempt}.password"));
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
        let _ = std::fs::remove_dir_all(&draft);
        return Err(EmbeddedError::failed("initdb", folder, &text));
    }
    sync_tree(&draft)?;
    if folder.exists() {
        // The cluster's folder may be an empty mount point or volume. `remove_dir` removes only empty folders.
        std::fs::remove_dir(folder).map_err(EmbeddedError::io(folder))?;
    }
    std::fs::rename(&draft, folder).map_err(EmbeddedError::io(folder))?;
    sync_folder(folder.parent().unwrap_or(folder))
}

pub(super) fn beside(folder: &Path, suffix: &str) -> PathBuf {
    let mut name = folder.file_name().map_or_else(OsString::new, ToOwned::to_owned);
    name.push(suffix);
    folder.with_file_name(name)
}

/// Deletes the draft folders of killed starts. A draft folder to which an initdb still writes cannot be deleted now, and is deleted by a
/// later start.
pub(super) fn remove_drafts(folder: &Path) {
    let parent = folder.parent().unwrap_or(folder);
    let prefix = beside(folder, DRAFT_SUFFIX).file_name().unwrap_or_default().to_string_lossy().into_owned();
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            let _ = std::fs::remove_dir_all(entry.path()).or_else(|_| std::fs::remove_file(entry.path()));
        }
    }
}

fn write_private(path: &Path, text: &str) -> Result<(), EmbeddedError> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(EmbeddedError::io(path))?;
    file.write_all(text.as_bytes()).map_err(EmbeddedError::io(path))
}

/// Syncs all files of a folder to disk. initdb runs with `--no-sync`, because its own sync would walk the folder tree twice.
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

pub(super) fn sync_folder(path: &Path) -> Result<(), EmbeddedError> {
    std::fs::File::open(path).and_then(|file| file.sync_all()).map_err(EmbeddedError::io(path))
}
