//! The layout of files in a folder: `bucket/name`, as people expect. A name that is no path (`..`, an empty part, a very long one), or
//! that is a file and a folder at once, stands under `.by-id/` with the id of its record.

use std::path::{Path, PathBuf};

use super::FileRecord;

/// Bytes of a part of a path at most.
const MAX_PART_BYTES: usize = 255;
/// The folder of files whose name is no path.
const BY_ID: &str = ".by-id";

/// The path by name, if the name is one.
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

/// The path by the record's id.
pub(super) fn by_id(record: &FileRecord) -> Option<PathBuf> {
    let id = uuid::Uuid::parse_str(&record.id).ok()?;
    Some(Path::new(BY_ID).join(id.hyphenated().to_string()))
}

/// Where a folder has a file.
pub(super) fn find(folder: &Path, record: &FileRecord) -> Option<PathBuf> {
    let candidates = [by_id(record), by_name(record)];
    candidates.into_iter().flatten().map(|path| folder.join(path)).find(|path| path.is_file())
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
