//! Layout of the stored files in the folder of an export. The path of a file is `bucket/name`. The path is `.by-id/` and the ID of the
//! file's record in two cases: if the name is not a valid path (it contains `..`, an empty component, or a component that is too long), or
//! if the name is also the name of a folder.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;

use super::FileRecord;

const MAX_PART_BYTES: usize = 255;
/// Folder for files that cannot have the path `bucket/name`.
const BY_ID: &str = ".by-id";

/// Returns the path `bucket/name`, or `None` if bucket and name do not form a valid path.
pub(super) fn by_name(record: &FileRecord) -> Option<PathBuf> {
    let is_plain = |part: &str| {
        !part.is_empty()
            && part.len() <= MAX_PART_BYTES
            && !matches!(part, "." | ".." | BY_ID)
            && !part.contains(['\0', '\\'])
    };
    let parts: Vec<&str> = record.name.split('/').collect();
    let is_path = !record.bucket.contains('/') && is_plain(&record.bucket) && parts.iter().all(|part| is_plain(part));
    is_path.then(|| std::iter::once(record.bucket.as_str()).chain(parts).collect())
}

/// Returns the path under `.by-id/`, which contains the ID of the file's record. `None` if the ID is not a UUID.
pub(super) fn by_id(record: &FileRecord) -> Option<PathBuf> {
    let id = uuid::Uuid::parse_str(&record.id).ok()?;
    Some(Path::new(BY_ID).join(id.hyphenated().to_string()))
}

/// Opens a stored file in the folder of an export, which may come from an untrusted source. Symbolic links are not followed. Only regular
/// files are opened, because reading a pipe would block, and a device may be endless.
pub(super) fn open(folder: &Path, record: &FileRecord) -> io::Result<File> {
    let candidates = [by_id(record), by_name(record)];
    let mut missing = io::Error::new(io::ErrorKind::NotFound, "the folder does not have it");
    for path in candidates.into_iter().flatten() {
        match open_below(folder, &path) {
            Ok(file) => return Ok(file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => missing = error,
        }
    }
    Err(missing)
}

fn open_below(folder: &Path, path: &Path) -> io::Result<File> {
    let directory = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut at = fs::open(folder, directory, Mode::empty())?;
    let refused = |error: Errno| match error {
        // If the path is a link, opening it with `O_NOFOLLOW` fails with ELOOP, and with `O_NOFOLLOW` and `O_DIRECTORY` with ENOTDIR.
        Errno::LOOP | Errno::NOTDIR => {
            io::Error::other(format!("{} is a link or leads over one, which is not followed", path.display()))
        }
        other => other.into(),
    };
    if let Some(parent) = path.parent() {
        for part in parent.components() {
            at = fs::openat(&at, part.as_os_str(), directory | OFlags::NOFOLLOW, Mode::empty()).map_err(refused)?;
        }
    }
    let name = path.file_name().unwrap_or_default();
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(fs::openat(&at, name, flags, Mode::empty()).map_err(refused)?);
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other(format!("{} is no regular file", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(bucket: &str, name: &str) -> FileRecord {
        FileRecord {
            id: "6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10".into(),
            bucket: bucket.into(),
            name: name.into(),
            version: None,
            size: None,
            etag: None,
        }
    }

    #[test]
    fn links_pipes_and_folders_are_no_files() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        std::fs::create_dir_all(at("b/folder")).unwrap();
        std::fs::write(at("b/file"), "1").unwrap();
        symlink("/etc/passwd", at("b/link")).unwrap();
        symlink("/etc", at("b/etc")).unwrap();
        symlink("/etc", at("bucket")).unwrap();
        std::fs::create_dir(at(".by-id")).unwrap();
        fs::mknodat(fs::CWD, at("b/pipe"), fs::FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(open(folder.path(), &record("b", "file")).is_ok());
        for (bucket, name) in [("b", "link"), ("b", "etc/passwd"), ("bucket", "passwd"), ("b", "pipe"), ("b", "folder")]
        {
            let error = open(folder.path(), &record(bucket, name)).unwrap_err();
            assert!(
                error.to_string().contains("which is not followed") || error.to_string().contains("no regular file"),
                "{name}: {error}"
            );
        }
        symlink("/etc/passwd", at(".by-id/6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10")).unwrap();
        assert!(open(folder.path(), &record("b", "missing")).is_err());
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let long = "x".repeat(256);
        for name in ["../a", "a/../../b", "/etc/passwd", "a//b", "", ".", "a/", long.as_str(), "a\0b", ".by-id/x"] {
            assert_eq!(by_name(&record("b", name)), None, "{name}");
        }
        for bucket in ["..", "a/b", "", ".by-id"] {
            assert_eq!(by_name(&record(bucket, "a")), None, "{bucket}");
        }
        assert_eq!(by_name(&record("b", "folder/Bücher 1.pdf")), Some(PathBuf::from("b/folder/Bücher 1.pdf")));
        assert!(by_id(&FileRecord { id: "../x".into(), ..record("b", "a") }).is_none());
    }
}
