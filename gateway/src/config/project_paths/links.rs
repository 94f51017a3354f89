//! Links below a folder of the project that lead out of it.

use std::path::{Path, PathBuf};

use super::ProjectPaths;

/// Folders of tools, which nothing of the project is read from.
const SKIPPED: [&str; 4] = ["node_modules", ".git", ".temp", ".branches"];

/// The first link below `folder`, but not below the folder `but`, that leads where the project may not, and why it may not.
pub(super) fn leading_out(paths: &ProjectPaths, folder: &Path, but: Option<&Path>) -> Option<(PathBuf, String)> {
    let but = but.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
    let is_skipped = |entry: &walkdir::DirEntry| {
        let is_named = SKIPPED.iter().any(|name| entry.file_name() == *name) || but.as_deref() == Some(entry.path());
        is_named && entry.file_type().is_dir()
    };
    let is_read = |entry: &walkdir::DirEntry| entry.depth() == 0 || !is_skipped(entry);
    // Folders that cannot be read are refused by what reads them.
    let entries = walkdir::WalkDir::new(folder).into_iter().filter_entry(is_read).flatten();
    let mut links = entries.filter(|entry| entry.path_is_symlink());
    links.find_map(|link| Some((link.path().to_owned(), paths.resolve(link.path()).err()?)))
}

/// The same of the files with variables in the folder above the project, which `env()` is filled from.
pub(super) fn among_variables(paths: &ProjectPaths) -> Option<(PathBuf, String)> {
    let folder = paths.project.parent().filter(|folder| paths.resolve(folder).is_ok())?;
    let above = std::fs::read_dir(folder).ok()?.flatten();
    let files = above.filter(|entry| entry.file_name().to_string_lossy().starts_with(".env"));
    let mut links = files.map(|entry| entry.path()).filter(|file| file.is_symlink());
    links.find_map(|link| paths.resolve(&link).err().map(|reason| (link, reason)))
}
