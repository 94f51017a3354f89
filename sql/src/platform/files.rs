//! The embedded files of the platform SQL: `platform/tables/NNNN_name.sql`, each applied once, and
//! `platform/functions/<schema>/<name>.sql`, each replaced when its text changes.
//!
//! A tables file names the functions that it needs while it is applied with psql's `\ir` lines; their text is inserted in place of the line.

use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use crate::migrations::MigrationError;

#[derive(RustEmbed)]
#[folder = "platform"]
struct Files;

/// Number of the newest change to a function. A program leaves functions alone that a program with a greater number wrote.
const VERSION: &str = include_str!("../../platform/version");

const INCLUDE: &str = "\\ir ../";

/// A file that is applied once.
pub(super) struct TablesFile {
    /// Four digits.
    pub(super) version: String,
    pub(super) name: String,
    /// The text with included functions.
    pub(super) text: String,
}

impl TablesFile {
    /// The path for error messages.
    pub(super) fn path(&self) -> String {
        format!("platform/tables/{}_{}.sql", self.version, self.name)
    }
}

/// A function with its overloads, rights and comment.
pub(super) struct FunctionFile {
    /// Schema and name, such as `storage/search`.
    pub(super) name: String,
    pub(super) text: String,
    /// SHA-256 of the text in hexadecimal.
    pub(super) sha256: String,
}

impl FunctionFile {
    /// The path for error messages.
    pub(super) fn path(&self) -> String {
        format!("platform/functions/{}.sql", self.name)
    }
}

pub(super) fn version() -> i32 {
    VERSION.trim().parse().unwrap_or_default()
}

/// The files that are applied once, in order.
///
/// # Errors
/// An `\ir` line names a file that does not exist.
pub(super) fn tables() -> Result<Vec<TablesFile>, MigrationError> {
    let mut files = Vec::new();
    for (path, text) in below("tables/") {
        let (version, name) = path.split_once('_').unwrap_or((&path, ""));
        files.push(TablesFile { version: version.to_owned(), name: name.to_owned(), text: with_includes(&text)? });
    }
    Ok(files)
}

/// The function files, by name.
pub(super) fn functions() -> Vec<FunctionFile> {
    below("functions/")
        .into_iter()
        .map(|(name, text)| FunctionFile { name, sha256: hex::encode(Sha256::digest(&text)), text })
        .collect()
}

/// Names without folder and extension, and texts, sorted by name.
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

    /// A function has one definition: in the file that bears its name.
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
