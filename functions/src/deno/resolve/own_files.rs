//! The files of a function: their list, their fingerprint, and whether they contain a text. A project may come from an untrusted author, so
//! the number and size of the files have limits.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::ImportsError;
use crate::deno::Source;
use crate::deno::runtime::VERSION;

const MAX_FILES: usize = 20_000;
/// Maximum number of files and folders.
const MAX_ENTRIES: usize = 50_000;
/// Maximum size of all files of a function together.
const MAX_BYTES: u64 = 1 << 30;
/// Maximum size of a file in which a text is searched. Larger files contain data and not code.
const MAX_SEARCHED_BYTES: u64 = 32 << 20;

/// Computes the fingerprint on a blocking thread, because a function may have megabytes of files.
pub(super) async fn fingerprint_of(source: &Source) -> Result<String, ImportsError> {
    let code = source.clone();
    super::blocking(move || fingerprint(&code)).await
}

/// Returns a fingerprint of all files and settings that determine a function's imports.
pub(super) fn fingerprint(source: &Source) -> Result<String, ImportsError> {
    let mut hash = Sha256::new();
    hash.update(format!("{VERSION} {} {:?}\n", source.entrypoint.display(), source.import_map));
    let mut left = MAX_BYTES;
    for file in files(source)? {
        let io = |source| ImportsError::Io { path: file.clone(), source };
        let content = File::open(&file).map_err(io)?;
        hash.update(format!("{}\n{}\n", file.display(), content.metadata().map_err(io)?.len()));
        let read = add(content.take(left.saturating_add(1)), &mut hash).map_err(io)?;
        left = left.checked_sub(read).ok_or_else(|| ImportsError::Config {
            file: source.folder().to_owned(),
            problem: format!("the files of the function have more than {} MB", MAX_BYTES >> 20),
        })?;
    }
    Ok(hex(&hash.finalize()))
}

/// Adds a file's content to a hash, in pieces. Returns the number of bytes.
fn add(mut content: impl Read, hash: &mut Sha256) -> io::Result<u64> {
    let (mut piece, mut bytes) = (vec![0; 1 << 16], 0);
    loop {
        match content.read(&mut piece)? {
            0 => return Ok(bytes),
            read => {
                hash.update(piece.get(..read).unwrap_or_default());
                bytes += read as u64;
            }
        }
    }
}

/// Whether any file of the function contains one of the given texts.
pub(crate) fn mention(source: &Source, texts: &[&str]) -> bool {
    let has = |file: PathBuf| {
        let mut code = Vec::new();
        let read = File::open(file).and_then(|file| file.take(MAX_SEARCHED_BYTES).read_to_end(&mut code));
        let code = String::from_utf8_lossy(&code);
        read.is_ok() && texts.iter().any(|text| code.contains(text))
    };
    files(source).unwrap_or_default().into_iter().any(has)
}

/// Returns all files of the function, sorted.
pub(crate) fn files(source: &Source) -> Result<Vec<PathBuf>, ImportsError> {
    let mut parts = source.parts();
    parts.extend(source.import_map.clone());
    let (mut files, mut entries) = (Vec::new(), 0);
    for part in parts {
        let visible = |entry: &walkdir::DirEntry| entry.file_name() != "node_modules" && entry.file_name() != ".git";
        for entry in walkdir::WalkDir::new(&part).into_iter().filter_entry(visible) {
            let entry = entry.map_err(|error| ImportsError::Io { path: part.clone(), source: error.into() })?;
            if entry.file_type().is_file() {
                files.push(entry.into_path());
            }
            entries += 1;
            if files.len() > MAX_FILES || entries > MAX_ENTRIES {
                let problem = format!("more than {MAX_FILES} files, or more than {MAX_ENTRIES} files and folders");
                return Err(ImportsError::Config { file: part, problem });
            }
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
