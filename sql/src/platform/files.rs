//! The embedded files of the platform SQL: `platform/tables/NNNN_name.sql` (tables files), each applied once, and
//! `platform/functions/<schema>/<name>.sql` (function files), each applied again when its text changes.
//!
//! A tables file that needs functions while it is applied includes the function files with psql's `\ir` lines. Each `\ir` line is replaced
//! by the text of the named file.

use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use crate::migrations::MigrationError;

#[derive(RustEmbed)]
#[folder = "platform"]
struct Files;

/// Number that is increased with each change of a file in `platform/functions`. A program does not replace functions that a program with a
/// greater number has created.
const VERSION: &str = include_str!("../../platform/version");

const INCLUDE: &str = "\\ir ../";

/// A file in `platform/tables`, which is applied only once.
pub(super) struct TablesFile {
    /// Number of the file, four digits.
    pub(super) version: String,
    pub(super) name: String,
    /// SQL text of the file, with the text of included function files.
    pub(super) text: String,
}

impl TablesFile {
    /// Returns the path of the file for error messages.
    pub(super) fn path(&self) -> String {
        format!("platform/tables/{}_{}.sql", self.version, self.name)
    }
}

/// A file in `platform/functions`, which contains one function with its overloads, privileges and comment.
pub(super) struct FunctionFile {
    /// Schema and name of the function, such as `storage/search`.
    pub(super) name: String,
    pub(super) text: String,
    /// SHA-256 hash of `text` in hexadecimal.
    pub(super) sha256: String,
}

impl FunctionFile {
    /// Returns the path of the file for error messages.
    pub(super) fn path(&self) -> String {
        format!("platform/functions/{}.sql", self.name)
    }
}

pub(super) fn version() -> i32 {
    VERSION.trim().parse().unwrap_or_default()
}

/// Returns the SQL files that create the platform's tables, ordered by the number in the file name.
///
/// # Errors
/// Fails if an `\ir` line names a file that does not exist.
pub(super) fn tables() -> Result<Vec<TablesFile>, MigrationError> {
    let mut files = Vec::new();
    for (path, text) in below("tables/") {
        let (version, name) = path.split_once('_').unwrap_or((&path, ""));
        files.push(TablesFile { version: version.to_owned(), name: name.to_owned(), text: with_includes(&text)? });
    }
    Ok(files)
}

/// Returns the files in `platform/functions`, sorted by name.
pub(super) fn functions() -> Vec<FunctionFile> {
    below("functions/")
        .into_iter()
        .map(|(name, text)| FunctionFile { name, sha256: hex::encode(Sha256::digest(&text)), text })
        .collect()
}

/// Returns name (without folder and extension) and text of all SQL files in a folder, sorted by name.
fn below(folder: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Files::iter()
        .filter_map(|path| {
            let name = path.strip_prefix(folder)?.strip_suffix(".sql")?.to_owned();
            Some((name, read(&path)?))
        })
        .collect();
    found.sort();
    found
}

fn read(path: &str) -> Option<String> {
    Some(String::from_utf8_lossy(&Files::get(path)?.data).into_owned())
}

fn with_includes(text: &str) -> Result<String, MigrationError> {
    let mut expanded = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_prefix(INCLUDE) {
            None => expanded.push_str(line),
            Some(path) => {
                let path = path.trim_end();
                let included = read(path).ok_or_else(|| {
                    MigrationError::History(format!("the platform SQL includes {path}, which is missing"))
                })?;
                expanded.push_str(&included);
            }
        }
    }
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::{functions, tables, version};

    #[test]
    fn every_file_is_read_and_every_include_exists() {
        let (tables, functions) = (tables().unwrap(), functions());
        assert!(tables.len() >= 42 && functions.len() > 100, "{} {}", tables.len(), functions.len());
        assert!(tables.iter().all(|file| !file.text.contains("\n\\")), "an include was not expanded");
        let numbers: Vec<usize> = tables.iter().map(|file| file.version.parse().unwrap()).collect();
        assert_eq!(numbers, (1..=tables.len()).collect::<Vec<_>>());
        assert!(version() > 0);
    }

    /// Each function, with its overloads, is defined only in the file that has its name.
    #[test]
    fn every_function_is_defined_in_the_file_of_its_name() {
        for file in functions() {
            let name = file.name.replace('/', ".");
            let heads: Vec<&str> =
                file.text.lines().filter_map(|line| line.strip_prefix("create or replace function ")).collect();
            assert!(!heads.is_empty(), "{name} defines nothing");
            for head in heads {
                assert!(head.starts_with(&format!("{name}(")), "{name} defines {head}");
            }
        }
    }
}
