//! Unpacks tar archives of a backup. Accepts only folders and regular files, and limits their number, size and depth. Creates the files
//! without execute bits and without access for other accounts. These limits are needed for `--allow-unauthenticated`, with which an archive
//! may come from anyone; authentic archives contain only such folders and files.

use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};

use tar::{Archive, EntryType};

use crate::error::{BackupError, Result};
use crate::private;

const CHUNK_BYTES: usize = 256 << 10;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Maximum total size of all unpacked files in bytes.
    pub(crate) bytes: u64,
    /// Maximum number of unpacked files and folders.
    pub(crate) entries: u64,
    /// Maximum number of path components of an unpacked file.
    pub(crate) depth: usize,
}

/// Unpacks an archive into an existing folder. `accepts` decides which relative paths are allowed. `made` is called for each new file and
/// folder. If an error occurs, the files that were unpacked before it remain.
pub(crate) fn unpack(
    archive: impl Read,
    folder: &Path,
    limits: Limits,
    accepts: impl Fn(&Path) -> bool,
    mut made: impl FnMut(&Path) -> Result<()>,
) -> Result<()> {
    let (mut archive, mut bytes, mut entries) = (Archive::new(archive), 0_u64, 0_u64);
    let mut buffer = vec![0; CHUNK_BYTES];
    for entry in archive.entries().map_err(BackupError::io(folder))? {
        let mut entry = entry.map_err(BackupError::io(folder))?;
        let inside = entry.path().map_err(BackupError::io(folder))?.into_owned();
        let refused = |reason: String| Err(BackupError::not_authentic(&inside.display().to_string(), reason));
        let Some(relative) = relative(&inside) else { return refused("it leads out of the folder".to_owned()) };
        if relative.as_os_str().is_empty() {
            continue;
        }
        if relative.components().count() > limits.depth {
            return refused(format!("it lies more than {} folders deep", limits.depth));
        }
        if !accepts(&relative) {
            return refused("Cloch puts nothing of that name into a backup".to_owned());
        }
        entries += 1;
        bytes = bytes.saturating_add(entry.size());
        if entries > limits.entries || bytes > limits.bytes {
            return refused(format!("the archive has more than {} files or {} bytes", limits.entries, limits.bytes));
        }
        let path = folder.join(&relative);
        match entry.header().entry_type() {
            EntryType::Directory => make_folders(&path, folder, &mut made)?,
            EntryType::Regular => {
                make_folders(path.parent().unwrap_or(folder), folder, &mut made)?;
                write(&mut entry, &path, &mut buffer)?;
                made(&path)?;
            }
            other => return refused(format!("it is neither a file nor a folder ({other:?})")),
        }
    }
    Ok(())
}

/// Removes `.` components. Returns `None` if the path is absolute or contains `..`.
fn relative(path: &Path) -> Option<PathBuf> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.map(|part| matches!(part, Component::Normal(_)).then_some(part)).collect()
}

/// Creates a folder and its missing parents. No path below `root` is a link, because unpacking never creates links.
fn make_folders(path: &Path, root: &Path, made: &mut impl FnMut(&Path) -> Result<()>) -> Result<()> {
    if path == root || path.is_dir() {
        return Ok(());
    }
    make_folders(path.parent().unwrap_or(root), root, made)?;
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(BackupError::io(path)(error)),
        _ => made(path),
    }
}

fn write(entry: &mut tar::Entry<'_, impl Read>, path: &Path, buffer: &mut [u8]) -> Result<()> {
    let mut file = private::make_file(path)?;
    let (size, mut written) = (entry.size(), 0);
    loop {
        let read = entry.read(buffer).map_err(BackupError::io(path))?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        file.write_all(bytes).map_err(BackupError::io(path))?;
        written += read as u64;
    }
    match written == size {
        true => Ok(()),
        false => Err(BackupError::damaged(&path.display().to_string(), "the archive ends in the middle of it")),
    }
}

/// Deletes and recreates a folder.
pub(crate) fn empty(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(BackupError::io(folder)(error)),
        _ => DirBuilder::new().mode(0o700).create(folder).map_err(BackupError::io(folder)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tar::{Builder, Header};

    use super::*;

    const LIMITS: Limits = Limits { bytes: 1000, entries: 5, depth: 4 };

    /// Creates an archive of entries: type, path, mode, and content or link target.
    fn archive(entries: &[(EntryType, &str, u32, &str)]) -> Vec<u8> {
        let mut builder = Builder::new(Vec::new());
        for (kind, path, mode, content) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_mode(*mode);
            // `set_path` refuses malicious paths, so write the name directly.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            let is_link = matches!(kind, EntryType::Symlink | EntryType::Link);
            if is_link {
                header.set_link_name_literal(content.as_bytes()).unwrap();
            }
            let content = if is_link { "" } else { content };
            header.set_size(content.len() as u64);
            header.set_cksum();
            builder.append(&header, content.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn unpacked(bytes: &[u8]) -> (tempfile::TempDir, Result<()>) {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        fs::create_dir(&inside).unwrap();
        let outcome = unpack(bytes, &inside, LIMITS, |path| !path.ends_with("node_modules"), |_| Ok(()));
        (folder, outcome)
    }

    #[test]
    fn tricks_of_archives_are_refused_and_nothing_is_written_outside() {
        let (file, folder) = (EntryType::Regular, EntryType::Directory);
        let long = "x".repeat(600);
        for (name, entries) in [
            ("leads up", vec![(file, "../out", 0o600, "x")]),
            ("leads up in the middle", vec![(file, "a/../../out", 0o600, "x")]),
            ("is absolute", vec![(file, "/tmp/cloch-unpack-out", 0o600, "x")]),
            ("symbolic link", vec![(EntryType::Symlink, "a", 0o777, "/etc"), (file, "a/out", 0o600, "x")]),
            ("hard link", vec![(EntryType::Link, "a", 0o600, "/etc/passwd")]),
            ("character device", vec![(EntryType::Char, "a", 0o600, "")]),
            ("block device", vec![(EntryType::Block, "a", 0o600, "")]),
            ("pipe", vec![(EntryType::Fifo, "a", 0o600, "")]),
            ("twice", vec![(file, "a", 0o600, "x"), (file, "a", 0o600, "y")]),
            ("a file as a folder", vec![(file, "a", 0o600, "x"), (file, "a/b", 0o600, "y")]),
            ("too many", vec![(folder, "a", 0o700, ""); 6]),
            ("too large", vec![(file, "a", 0o600, long.as_str()), (file, "b", 0o600, long.as_str())]),
            ("too deep", vec![(file, "a/b/c/d/e", 0o600, "x")]),
            ("not accepted", vec![(folder, "a/node_modules", 0o700, "")]),
        ] {
            let (place, outcome) = unpacked(&archive(&entries));
            assert!(outcome.is_err(), "{name}");
            assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "{name}: written outside");
        }
        assert!(!Path::new("/tmp/cloch-unpack-out").exists());
    }

    #[test]
    fn files_are_closed_and_cannot_be_executed() {
        let (file, folder) = (EntryType::Regular, EntryType::Directory);
        let (place, outcome) =
            unpacked(&archive(&[(folder, "./a/", 0o7777, ""), (file, "a/run", 0o6755, "#!/bin/sh")]));
        outcome.unwrap();
        let mode =
            |name: &str| fs::metadata(place.path().join("inside").join(name)).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode("a"), mode("a/run")), (0o700, 0o600));
        let cut = archive(&[(file, "a", 0o600, "some content")]);
        assert!(unpacked(&cut[..515]).1.is_err(), "an archive that ends early");
    }
}
