//! Packs the files of a deployed function version into one archive (tar.gz), for nodes that do not have the version.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use tar::{Archive, Builder, EntryType, Header};
use walkdir::WalkDir;

use super::upload::UPLOAD_FILE;
use super::versions::{MARK_FILE, MAX_VERSION_BYTES, write_synced};

/// Maximum total size in bytes of a version's metadata files, which an archive may contain in addition to [`MAX_VERSION_BYTES`].
const MAX_NOTE_BYTES: u64 = 64 << 10;
/// Maximum size in bytes of the headers of an archive entry, including a long name and padding.
const MAX_HEADER_BYTES: u64 = 4 << 10;
const MAX_ENTRIES: usize = 20_000;

/// Whether a file contains environment variables: its name begins with `.env`. Such files are not packed, so they never leave this node.
pub(in crate::deno) fn is_environment(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".env"))
}

/// Packs all files of a version's folder, except environment files and the two metadata files that each node writes itself. These two
/// contain the metadata of the upload and the checksum of the archive.
pub(in crate::deno) fn pack(folder: &Path) -> io::Result<Vec<u8>> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        let Ok(relative) = entry.path().strip_prefix(folder) else { continue };
        let is_note = relative == Path::new(UPLOAD_FILE) || relative == Path::new(MARK_FILE);
        if !entry.file_type().is_file() || is_note || is_environment(relative) {
            continue;
        }
        let content = fs::read(entry.path())?;
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, relative, content.as_slice())?;
    }
    archive.into_inner()?.finish()
}

/// Writes the files of an archive into a folder. Fails for an entry that is not a regular file inside the folder. Also fails if the archive
/// has too many entries or is too large.
pub(in crate::deno) fn unpack(archive: &[u8], folder: &Path) -> io::Result<()> {
    let refused = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
    let max_bytes = MAX_VERSION_BYTES + MAX_NOTE_BYTES;
    // Also limit the size of the entry headers: a long file name is stored in a separate entry, whose size is not limited otherwise.
    let max_unpacked = max_bytes + MAX_ENTRIES as u64 * MAX_HEADER_BYTES;
    let mut files = Archive::new(GzDecoder::new(archive).take(max_unpacked));
    let (mut bytes, mut entries) = (0, 0);
    for entry in files.entries()? {
        let entry = entry?;
        let path = entry.path()?.into_owned();
        let is_below = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !is_below || entry.header().entry_type() != EntryType::Regular {
            return Err(refused(format!("{} is no file below the folder", path.display())));
        }
        entries += 1;
        if entries > MAX_ENTRIES {
            return Err(refused(format!("the archive has more than {MAX_ENTRIES} entries")));
        }
        let mut content = Vec::new();
        entry.take(max_bytes - bytes + 1).read_to_end(&mut content)?;
        bytes += content.len() as u64;
        if bytes > max_bytes {
            return Err(refused(format!("the archive has more than {} MB", max_bytes >> 20)));
        }
        let target = folder.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        write_synced(&target, &content)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates an archive with one entry of any path.
    fn archive(path: &str, kind: EntryType, content: &[u8]) -> Vec<u8> {
        let mut header = Header::new_gnu();
        header.as_old_mut().name.get_mut(..path.len()).unwrap().copy_from_slice(path.as_bytes());
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        if kind == EntryType::Symlink {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_cksum();
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        archive.append(&header, content).unwrap();
        archive.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn what_leads_outside_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("version");
        fs::create_dir(&folder).unwrap();
        for path in ["../a.ts", "/a.ts", "a/../../b.ts", "./../c.ts"] {
            assert!(unpack(&archive(path, EntryType::Regular, b"1"), &folder).is_err(), "{path}");
        }
        assert!(unpack(&archive("a.ts", EntryType::Symlink, b""), &folder).is_err());
        assert!(unpack(b"no archive", &folder).is_err());
        let bytes = usize::try_from(MAX_VERSION_BYTES + MAX_NOTE_BYTES + 1).unwrap();
        assert!(unpack(&archive("a.ts", EntryType::Regular, &vec![0; bytes]), &folder).is_err());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_name_that_unpacks_to_gigabytes_is_not_read() {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::GNULongName);
        header.set_size(2 << 30);
        header.set_cksum();
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        io::copy(&mut header.as_bytes().chain(io::repeat(b'a').take(400 << 20)), &mut packed).unwrap();
        let folder = tempfile::tempdir().unwrap();
        assert!(unpack(&packed.finish().unwrap(), folder.path()).is_err());
    }

    #[test]
    fn files_come_back_without_variables() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let deep = format!("functions/a/{}/x.ts", "long".repeat(40));
        for (name, text) in [
            ("functions/a/index.ts", "1"),
            ("functions/a/.env", "SECRET=1"),
            ("functions/.env.local", "SECRET=1"),
            (UPLOAD_FILE, "{}"),
            (&deep, "2"),
        ] {
            let file = from.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let packed = pack(from.path()).unwrap();
        assert_eq!(packed, pack(from.path()).unwrap(), "the same files make the same archive");
        unpack(&packed, to.path()).unwrap();
        let files = WalkDir::new(to.path()).into_iter().filter(|entry| entry.as_ref().unwrap().file_type().is_file());
        assert_eq!(files.count(), 2);
        assert_eq!(fs::read(to.path().join(deep)).unwrap(), b"2");
    }
}
