//! File operations below a folder that never follow symbolic links: each folder is opened relative to its parent (`openat`). Other people
//! may be able to write to a backup target. The server deletes files in it, possibly as root. A link in place of a folder, even one that is
//! created during an operation, must not lead outside the target.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Flags to open a file of the backup target. NONBLOCK prevents a named pipe in the target from blocking the server.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
const DRAFT: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);
/// Maximum depth of folders in a listing. A backup has six levels of folders.
const MAX_DEPTH: usize = 12;

/// A file's name, with open handles of its folder and all folders above up to the root.
#[derive(Debug)]
pub(super) struct Place {
    folders: Vec<(OsString, OwnedFd)>,
    name: OsString,
}

#[derive(Debug)]
pub(super) struct Found {
    /// Path below the listed folder, separated by slashes.
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) modified: SystemTime,
}

impl Place {
    /// Opens all folders from `root` to a file. With `make`, creates the root and missing folders.
    pub(super) fn open(root: &Path, name: &Path, make: bool) -> io::Result<Self> {
        if make {
            DirBuilder::new().recursive(true).mode(0o700).create(root)?;
        }
        let (parent, name) = (name.parent().unwrap_or(Path::new("")), name.file_name().unwrap_or_default());
        let mut folders = vec![(OsString::new(), openat(CWD, root, FOLDER, Mode::empty())?)];
        for component in parent.components() {
            let Component::Normal(component) = component else { return Err(ErrorKind::InvalidInput.into()) };
            let Some((_, above)) = folders.last() else { break };
            if make {
                match mkdirat(above, component, Mode::RWXU) {
                    Err(error) if error != Errno::EXIST => return Err(error.into()),
                    _ => {}
                }
            }
            let opened = openat(above, component, FOLDER | OFlags::NOFOLLOW, Mode::empty());
            folders.push((component.to_owned(), opened.map_err(|error| not_a_folder(error, component))?));
        }
        Ok(Self { folders, name: name.to_owned() })
    }

    fn folder(&self) -> io::Result<&OwnedFd> {
        self.folders.last().map(|(_, folder)| folder).ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Writes a file under the temporary name `draft`, syncs the file, and renames it to its final name.
    pub(super) fn write(&self, draft: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = self.folder()?;
        let written: io::Result<()> = (|| {
            let mut file = File::from(openat(folder, draft, DRAFT, Mode::RUSR | Mode::WUSR)?);
            file.write_all(bytes)?;
            file.sync_all()?;
            renameat(folder, draft, folder, &self.name).map_err(io::Error::from)
        })();
        if written.is_err() {
            let _ = unlinkat(folder, draft, AtFlags::empty());
        }
        written?;
        rustix::fs::fsync(folder).map_err(io::Error::from)
    }

    /// Reads a file. Fails for links, pipes, and files larger than `max_bytes`.
    pub(super) fn read(&self, max_bytes: u64) -> io::Result<Vec<u8>> {
        let refused =
            |reason: &str| io::Error::new(ErrorKind::InvalidData, format!("{}: {reason}", self.name.display()));
        let mut file = match openat(self.folder()?, &self.name, FILE, Mode::empty()) {
            Err(Errno::LOOP) => return Err(refused("it is not a file")),
            opened => File::from(opened?),
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(refused("it is not a file"));
        }
        if metadata.len() > max_bytes {
            return Err(refused("it is larger than any file of a backup"));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
        (&mut file).take(max_bytes).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Deletes a file. Then deletes the parent folders of the file, as far as they are empty.
    pub(super) fn delete(&self) -> io::Result<()> {
        match unlinkat(self.folder()?, &self.name, AtFlags::empty()) {
            Err(error) if error != Errno::NOENT => return Err(error.into()),
            _ => {}
        }
        for pair in self.folders.windows(2).rev() {
            let [(_, above), (name, _)] = pair else { break };
            // Stop at the first folder that is not empty, because it cannot be removed.
            if unlinkat(above, name, AtFlags::REMOVEDIR).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Lists the regular files below the folder `folder` of the root. Returns an empty list if the folder does not exist. A folder deeper than
/// [`MAX_DEPTH`] is an error.
pub(super) fn list(root: &Path, folder: &Path) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    // `Place::open` opens the folders above a file, so pass the name of any file in the folder (here `file`).
    match Place::open(root, &folder.join("file"), false) {
        Ok(place) => walk(place.folder()?, "", MAX_DEPTH, &mut found)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    Ok(found)
}

fn walk(folder: &OwnedFd, prefix: &str, depth: usize, found: &mut Vec<Found>) -> io::Result<()> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        // Skip files that were deleted during the listing.
        let stat = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => continue,
            stat => stat?,
        };
        let path = format!("{prefix}{}", name.to_string_lossy());
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => found.push(self::found(path, &stat)),
            FileType::Directory if depth == 0 => return Err(too_deep(&path)),
            FileType::Directory => match openat(folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
                Ok(inner) => walk(&inner, &format!("{path}/"), depth - 1, found)?,
                Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR) => {}
                Err(error) => return Err(error.into()),
            },
            _ => {}
        }
    }
    Ok(())
}

fn found(name: String, stat: &Stat) -> Found {
    let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
    let modified = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(SystemTime::UNIX_EPOCH);
    Found { name, size: u64::try_from(stat.st_size).unwrap_or(0), modified }
}

fn too_deep(path: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("{path}: deeper than any folder of a backup"))
}

fn not_a_folder(error: Errno, name: &OsStr) -> io::Error {
    match error {
        Errno::LOOP | Errno::NOTDIR => {
            io::Error::new(ErrorKind::InvalidData, format!("{}: it is a link or a file, and no folder", name.display()))
        }
        other => other.into(),
    }
}
