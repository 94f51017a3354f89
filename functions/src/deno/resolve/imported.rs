//! The stored list of the files that a function imports from outside its own folder: from other functions, from folders beside `functions`, or from
//! other packages of the repository. A worker may read exactly these files, a deployed version contains them, and the server watches them.

use std::io;
use std::path::{Path, PathBuf};

const FILE: &str = "imported.json";

/// Reads the list of imported files that [`write`] stored in the folder of generated files. Returns an empty list if there is no valid
/// list; the fingerprint of the function's files then differs, and the imports are resolved again.
pub(super) fn read(made: &Path) -> Vec<PathBuf> {
    std::fs::read(made.join(FILE)).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

/// Stores the list of imported files in the folder of generated files.
pub(super) fn write(made: &Path, files: &[PathBuf]) -> io::Result<()> {
    std::fs::write(made.join(FILE), serde_json::to_vec(files).map_err(io::Error::other)?)
}
