//! Finds symbolic links in a project that lead outside of the allowed folders.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::ProjectPaths;

/// Folders of tools, which the server does not read.
const SKIPPED: [&str; 4] = ["node_modules", ".git", ".temp", ".branches"];

/// Returns the first link in `folder` that leads outside of the allowed folders, and the reason. Skips the folder `but`, the link
/// `but_link`, and the folders in `SKIPPED`.
pub(super) fn leading_out(
    paths: &ProjectPaths,
    folder: &Path,
    but: Option<&Path>,
    but_link: Option<&Path>,
) -> Option<(PathBuf, String)> {
    let mut links = all(folder, but).filter(|link| but_link != Some(link));
    links.find_map(|link| paths.resolve(&link).err().map(|reason| (link, reason)))
}

/// Returns the symbolic links in `folder`. Skips the folder `but` and the folders in `SKIPPED`.
pub(super) fn all(folder: &Path, but: Option<&Path>) -> impl Iterator<Item = PathBuf> {
    let but = but.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
    let is_skipped = move |entry: &walkdir::DirEntry| {
        let is_named = SKIPPED.iter().any(|name| entry.file_name() == *name) || but.as_deref() == Some(entry.path());
        is_named && entry.file_type().is_dir()
    };
    let is_read = move |entry: &walkdir::DirEntry| entry.depth() == 0 || !is_skipped(entry);
    // Unreadable folders are skipped: the code that needs a folder reports the error.
    let entries = walkdir::WalkDir::new(folder).into_iter().filter_entry(is_read).flatten();
    entries.filter(walkdir::DirEntry::path_is_symlink).map(walkdir::DirEntry::into_path)
}

/// Returns the project's migrations folder if it is a link to a path that does not exist. As with the Supabase CLI, the project then has no
/// migrations. The caller must not read the folder later, because the target of the link could be created meanwhile.
pub(super) fn migrations_to_nowhere(paths: &ProjectPaths) -> Option<PathBuf> {
    let folder = paths.project.join("migrations");
    let is_missing = || folder.metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
    (folder.is_symlink() && is_missing()).then_some(folder)
}

/// Returns the first symbolic link in the project's parent folder that is named like a `.env` file and leads outside of the allowed folders,
/// and the reason. Returns `None` if there is none.
pub(super) fn among_variables(paths: &ProjectPaths) -> Option<(PathBuf, String)> {
    let folder = paths.project.parent().filter(|folder| paths.resolve(folder).is_ok())?;
    let above = std::fs::read_dir(folder).ok()?.flatten();
    let files = above.filter(|entry| entry.file_name().to_string_lossy().starts_with(".env"));
    let mut links = files.map(|entry| entry.path()).filter(|file| file.is_symlink());
    links.find_map(|link| paths.resolve(&link).err().map(|reason| (link, reason)))
}
