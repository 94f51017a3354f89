//! Files of SQL that a release contains are never changed: a database that has one keeps what it made. released.sha256 lists them in the
//! form of sha256sum; `CLOCH_UPDATE=1` adds those that it lacks. (Until the first release it may be deleted and made anew.)
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

const FOLDERS: [&str; 2] = ["sql/platform", "supabase-config/migrations"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn list() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/released.sha256")
}

/// Checksums of the files that a release contains, by their paths.
fn released() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(list()).unwrap_or_default();
    let pair = |line: &str| line.split_once("  ").map(|(sum, path)| (path.to_owned(), sum.to_owned())).unwrap();
    text.lines().map(pair).collect()
}

/// The same of the files that are there.
fn present() -> BTreeMap<String, String> {
    let files = |folder: &'static str| {
        let entries = std::fs::read_dir(repository().join(folder)).unwrap();
        entries.map(move |entry| format!("{folder}/{}", entry.unwrap().file_name().into_string().unwrap()))
    };
    let sum = |path: String| {
        let sum = hex::encode(Sha256::digest(std::fs::read(repository().join(&path)).unwrap()));
        (path, sum)
    };
    FOLDERS.into_iter().flat_map(files).filter(|path| path.ends_with(".sql")).map(sum).collect()
}

#[test]
fn released_files_are_as_they_were_and_new_ones_come_after_them() {
    let (mut released, present) = (released(), present());
    for (path, sum) in &released {
        assert_eq!(present.get(path), Some(sum), "{path} is in a release: leave it, and write a new file");
    }
    for folder in FOLDERS {
        let last = released.keys().rfind(|path| path.starts_with(folder)).cloned().unwrap_or_default();
        for path in present.keys().filter(|path| path.starts_with(folder) && !released.contains_key(*path)) {
            assert!(*path > last, "{path} would run after {last}, which has a greater number");
        }
    }
    if std::env::var_os("CLOCH_UPDATE").is_some() {
        released.extend(present.clone());
        let lines: String = released.iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect();
        std::fs::write(list(), lines).unwrap();
    }
    let unlisted: Vec<&String> = present.keys().filter(|path| !released.contains_key(*path)).collect();
    assert!(unlisted.is_empty(), "CLOCH_UPDATE=1 lists {unlisted:?}");
}
