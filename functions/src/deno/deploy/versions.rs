//! Deployed versions: numbered copies of functions in the data folder, and the number of each function's served version.
//!
//! `versions/<name>/<number>/` contains the files of a version, with the same relative paths as in the project's repository.
//! `versions/<name>/current` contains the number of the served version. A version is written into a temporary folder, and becomes visible
//! when this folder is renamed. The served version changes when a new file is renamed to `current`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::deno::resolve::files;
use crate::deno::{Source, is_function_name};

/// Number of older versions of a function that are kept in addition to the served version.
pub(in crate::deno) const KEPT_VERSIONS: usize = 10;
/// Maximum size of one function version in bytes, the same limit as on the Supabase platform.
pub const MAX_VERSION_BYTES: u64 = 20 << 20;
pub(in crate::deno) const CURRENT: &str = "current";
/// Name of the file with the [`CopiedSource`] of a version. With this file, the version can be served without the project's folder.
const COPY_FILE: &str = ".cloch-copy.json";
/// Name of the file with the checksum of the version's archive, for versions that are shared by all nodes.
pub(in crate::deno) const MARK_FILE: &str = ".cloch-sha256";

#[derive(Serialize, Deserialize)]
struct CopiedSource {
    /// Path of the project's folder in the version's folder.
    #[serde(default)]
    project: PathBuf,
    /// Path of the entrypoint in the version's folder.
    entrypoint: PathBuf,
    /// Path of the import map in the version's folder.
    import_map: Option<PathBuf>,
    /// Patterns relative to the project's folder.
    static_files: Vec<String>,
}

impl CopiedSource {
    /// Reads the [`COPY_FILE`] in the folder of a version; `None` if there is no such file, or if it contains a path that leads out of the
    /// folder.
    fn read(folder: &Path) -> Option<Self> {
        let copied: Self = serde_json::from_slice(&fs::read(folder.join(COPY_FILE)).ok()?).ok()?;
        let is_inside = |path: &PathBuf| path.components().all(|part| matches!(part, Component::Normal(_)));
        let paths = [Some(&copied.project), Some(&copied.entrypoint), copied.import_map.as_ref()];
        let are_inside = paths.into_iter().flatten().all(is_inside);
        are_inside.then_some(copied)
    }
}

/// Returns the path of the project's folder within the folder `version`. For a version that was not copied from a project, this is the folder
/// `version` itself.
pub(in crate::deno) fn project_in(version: &Path) -> PathBuf {
    CopiedSource::read(version).map_or_else(|| version.to_owned(), |copied| version.join(copied.project))
}

/// A failure to create, switch or remove a function version.
#[derive(Debug, thiserror::Error)]
pub enum VersionError {
    /// A file is outside the project.
    #[error("{} lies outside of the function and its project", .0.display())]
    Outside(PathBuf),
    /// An entrypoint or import map is not among the files.
    #[error("{} is not among the files", .0.display())]
    Missing(PathBuf),
    /// Two files have the same path, or a file and a folder have the same path.
    #[error("{} is there twice, or below a file", .0.display())]
    Twice(PathBuf),
    /// A file name is longer than file systems allow. Contains the length of the name in bytes.
    #[error("the name of a file has {0} bytes: 255 are the most")]
    LongName(usize),
    /// The version is larger than [`MAX_VERSION_BYTES`].
    #[error("the function has more than {} MB", MAX_VERSION_BYTES >> 20)]
    TooLarge,
    /// The function has no version with this number. Contains the name of the function and the number.
    #[error("{0} has no version {1}")]
    Unknown(String, u64),
    /// The function has no deployed version. Contains the name of the function.
    #[error("{0} has no deployed version")]
    NotDeployed(String),
    /// The function has no earlier version. Contains the name of the function.
    #[error("{0} has no earlier version")]
    NoEarlier(String),
    /// A query of the function versions in the database failed.
    #[error("the versions in the database: {0}")]
    Database(#[from] sqlx::Error),
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

pub(in crate::deno) fn at(path: &Path) -> impl FnOnce(io::Error) -> VersionError {
    let path = path.to_owned();
    |source| VersionError::Io { path, source }
}

#[derive(Clone, Copy, Debug)]
pub(in crate::deno) enum Number {
    /// Use the number that follows the highest version number of the function on this node.
    Next,
    Reserved(u64),
}

/// The deployed versions of all functions.
#[derive(Clone, Debug)]
pub struct Versions {
    folder: PathBuf,
}

impl Versions {
    /// Gives access to the function versions in the folder [`crate::deno::EngineOptions::folder`]. Reads no file yet.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.join("versions") }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the number of the function's served version; `None` if no version is deployed.
    #[must_use]
    pub fn current_number(&self, name: &str) -> Option<u64> {
        fs::read_to_string(self.folder.join(name).join(CURRENT)).ok()?.trim().parse().ok()
    }

    /// Returns the code of the deployed version of a function that is in the project's folder; `None` if no version is deployed.
    #[must_use]
    pub fn current(&self, name: &str, source: &Source) -> Option<Source> {
        let number = self.current_number(name)?;
        let deployed = self.uploaded_source_as(name, number).or_else(|| self.copied_source_as(name, number))?;
        Some(Source { env: source.env.clone(), ..deployed })
    }

    /// Returns the code of the deployed version of a function that is not in the project's folder; `None` if no version is deployed.
    pub(in crate::deno) fn deployed(&self, name: &str) -> Option<Source> {
        let number = self.current_number(name)?;
        self.uploaded_source_as(name, number).or_else(|| self.copied_source_as(name, number))
    }

    fn copied_source_as(&self, name: &str, number: u64) -> Option<Source> {
        let folder = self.of(name, number);
        let copied = CopiedSource::read(&folder)?;
        Some(Source {
            project: folder.join(copied.project),
            entrypoint: folder.join(copied.entrypoint),
            import_map: copied.import_map.map(|file| folder.join(file)),
            static_files: copied.static_files,
            env: BTreeMap::new(),
            version: Some(number),
            repository: folder,
            closed: None,
            imported: Vec::new(),
        })
    }

    pub(in crate::deno) fn deployed_names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        names.filter(|name| is_function_name(name) && self.deployed(name).is_some()).collect()
    }

    /// Returns the numbers of all versions of a function, in ascending order.
    #[must_use]
    pub fn numbers(&self, name: &str) -> Vec<u64> {
        let entries = fs::read_dir(self.folder.join(name)).into_iter().flatten().flatten();
        let mut numbers: Vec<u64> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        numbers.sort_unstable();
        numbers
    }

    pub(in crate::deno) fn of(&self, name: &str, number: u64) -> PathBuf {
        self.folder.join(name).join(number.to_string())
    }

    /// Returns the files of a function's code.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub fn files_of(source: &Source) -> Result<Vec<PathBuf>, String> {
        files(source).map_err(|error| error.to_string())
    }

    /// Copies a function's code as a new version. The version is served after a call of [`Self::switch`].
    ///
    /// # Errors
    /// If a file is outside the project, the version is too large, or a write fails.
    pub(in crate::deno) fn add(&self, name: &str, source: &Source, number: Number) -> Result<u64, VersionError> {
        let copy = self.begin(name)?;
        let folder = self.folder.join(name);
        let files = files(source)
            .map_err(|error| VersionError::Io { path: folder.clone(), source: io::Error::other(error) })?;
        let environment = [source.functions().join(".env")].into_iter().filter(|file| file.is_file());
        let relative = |file: &Path| source.in_repository(file).ok_or_else(|| VersionError::Outside(file.to_owned()));
        let mut bytes = 0;
        for file in files.into_iter().chain(environment) {
            let relative = relative(&file)?;
            let target = copy.path().join(relative);
            let parent = target.parent().unwrap_or(copy.path());
            fs::create_dir_all(parent).map_err(at(parent))?;
            bytes += fs::copy(&file, &target).map_err(at(&file))?;
            File::open(&target).and_then(|target| target.sync_all()).map_err(at(&target))?;
            if bytes > MAX_VERSION_BYTES {
                return Err(VersionError::TooLarge);
            }
        }
        let note = copy.path().join(COPY_FILE);
        let copied = CopiedSource {
            project: relative(&source.project)?,
            entrypoint: relative(&source.entrypoint)?,
            import_map: source.import_map.as_deref().map(relative).transpose()?,
            static_files: source.static_files.clone(),
        };
        write_synced(&note, &serde_json::to_vec(&copied).unwrap_or_default()).map_err(at(&note))?;
        self.finish(name, copy, number)
    }

    /// Creates the temporary folder into which a function version is written until the version is complete.
    pub(in crate::deno) fn begin(&self, name: &str) -> Result<TempDir, VersionError> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        tempfile::Builder::new().prefix(".copy-").tempdir_in(&folder).map_err(at(&folder))
    }

    /// Moves a complete version from its temporary folder to the folder with the version's number.
    pub(in crate::deno) fn finish(&self, name: &str, copy: TempDir, number: Number) -> Result<u64, VersionError> {
        let folder = self.folder.join(name);
        let mut number = match number {
            Number::Reserved(number) => {
                self.replace(name, number, copy).map_err(at(&folder))?;
                return Ok(number);
            }
            Number::Next => self.numbers(name).last().map_or(1, |last| last + 1),
        };
        // A concurrent deployment may have created a version with the same number, so try the next number.
        while let Err(error) = fs::rename(copy.path(), self.of(name, number)) {
            if !self.of(name, number).exists() {
                return Err(at(&folder)(error));
            }
            number += 1;
        }
        // The temporary folder was renamed. `keep` prevents a deletion of the old path.
        let _ = copy.keep();
        Ok(number)
    }

    /// Moves a complete version to the folder with the version's number, and deletes the previous content of the folder.
    fn replace(&self, name: &str, number: u64, copy: TempDir) -> io::Result<()> {
        let target = self.of(name, number);
        // The previous content is moved into this temporary folder, which is deleted when `before` is dropped.
        let before = tempfile::Builder::new().prefix(".copy-").tempdir_in(self.folder.join(name))?;
        match fs::rename(&target, before.path().join("before")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::rename(copy.path(), &target)?,
        }
        let _ = copy.keep();
        Ok(())
    }

    /// Makes a version the served version of a function. A running server switches to this version.
    ///
    /// # Errors
    /// If the version does not exist, or a write fails.
    pub(in crate::deno) fn switch(&self, name: &str, number: u64) -> Result<(), VersionError> {
        if !self.of(name, number).is_dir() {
            return Err(VersionError::Unknown(name.to_owned(), number));
        }
        let folder = self.folder.join(name);
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(&folder)?;
            writeln!(file, "{number}")?;
            file.as_file().sync_all()?;
            file.persist(folder.join(CURRENT))?;
            File::open(&folder)?.sync_all()
        };
        write().map_err(at(&folder))?;
        self.remove_old(name, number);
        Ok(())
    }

    pub(in crate::deno) fn previous(&self, name: &str) -> Result<u64, VersionError> {
        let current = self.current_number(name);
        let earlier = self.numbers(name).into_iter().rfind(|number| current.is_some_and(|current| *number < current));
        earlier.ok_or_else(|| VersionError::NoEarlier(name.to_owned()))
    }

    pub(in crate::deno) fn remove(&self, name: &str) -> Result<(), VersionError> {
        let folder = self.folder.join(name);
        fs::remove_file(folder.join(CURRENT)).map_err(at(&folder))?;
        self.forget_boots(name);
        fs::remove_dir_all(&folder).map_err(at(&folder))
    }

    fn remove_old(&self, name: &str, current: u64) {
        let others: Vec<u64> = self.numbers(name).into_iter().filter(|number| *number < current).collect();
        let surplus = others.len().saturating_sub(KEPT_VERSIONS);
        for number in others.into_iter().take(surplus) {
            self.forget_boot(name, number);
            if let Err(error) = fs::remove_dir_all(self.of(name, number)) {
                tracing::warn!(function = name, version = number, %error, "functions: removing an old function version failed, its files remain");
            }
        }
    }
}

pub(in crate::deno) fn write_synced(file: &Path, content: &[u8]) -> io::Result<()> {
    let mut out = File::create_new(file)?;
    out.write_all(content)?;
    out.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_copies_that_a_number_chooses() {
        let (project, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let write = |name: &str, text: &str| {
            let file = project.path().join("functions").join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        for name in ["a/index.ts", "a/lib/x.ts", "_shared/s.ts", "b/index.ts"] {
            write(name, "1");
        }
        let source = Source {
            project: project.path().to_owned(),
            entrypoint: project.path().join("functions/a/index.ts"),
            import_map: None,
            static_files: Vec::new(),
            env: BTreeMap::new(),
            version: None,
            repository: project.path().to_owned(),
            closed: Some(PathBuf::from("/nowhere/data")),
            imported: Vec::new(),
        };
        let versions = Versions::new(data.path());
        assert!(versions.current("a", &source).is_none());
        let first = versions.add("a", &source, Number::Next).unwrap();
        assert!(versions.current("a", &source).is_none(), "a copy is not served yet");
        versions.switch("a", first).unwrap();
        write("a/index.ts", "2");
        let second = versions.add("a", &source, Number::Next).unwrap();
        versions.switch("a", second).unwrap();
        let served =
            |versions: &Versions| fs::read_to_string(versions.current("a", &source).unwrap().entrypoint).unwrap();
        assert_eq!((served(&versions).as_str(), versions.previous("a").unwrap()), ("2", first));
        versions.switch("a", first).unwrap();
        assert_eq!(served(&versions), "1");
        let elsewhere = versions.deployed("a").unwrap();
        assert_eq!(fs::read_to_string(elsewhere.entrypoint).unwrap(), "1", "a version needs no folder of the project");
        assert_eq!(versions.deployed_names(), ["a"]);
        let copied = data.path().join("versions/a/1/functions");
        assert!(
            copied.join("_shared/s.ts").exists() && copied.join("a/lib/x.ts").exists() && !copied.join("b").exists()
        );
        fs::write(data.path().join("secret"), "").unwrap();
        let above = format!("functions/../../{}/secret", data.path().file_name().unwrap().display());
        let upwards = Source { static_files: vec![above], ..source.clone() };
        assert!(matches!(versions.add("a", &upwards, Number::Next), Err(VersionError::Outside(_))));
        assert!(matches!(versions.previous("a"), Err(VersionError::NoEarlier(_))));
        assert!(matches!(versions.switch("a", 9), Err(VersionError::Unknown(_, 9))));
        versions.remove("a").unwrap();
        assert!(versions.deployed_names().is_empty() && versions.numbers("a").is_empty());
    }

    #[test]
    fn old_versions_go() {
        let (project, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(project.path().join("functions/a")).unwrap();
        let entrypoint = project.path().join("functions/a/index.ts");
        fs::write(&entrypoint, "").unwrap();
        let source = Source {
            project: project.path().to_owned(),
            entrypoint,
            import_map: None,
            static_files: Vec::new(),
            env: BTreeMap::new(),
            version: None,
            repository: project.path().to_owned(),
            closed: Some(PathBuf::from("/nowhere/data")),
            imported: Vec::new(),
        };
        let versions = Versions::new(data.path());
        for _ in 0..KEPT_VERSIONS + 3 {
            let number = versions.add("a", &source, Number::Next).unwrap();
            versions.switch("a", number).unwrap();
        }
        assert_eq!(versions.numbers("a").len(), KEPT_VERSIONS + 1);
    }
}
