//! Searches the machine for PostgreSQL's programs.

use std::path::{Path, PathBuf};

use cloch_core::programs;

use super::{Account, ClusterSettings, EmbeddedError};

/// Extensions that work only if PostgreSQL loads their library when the server starts (`shared_preload_libraries`).
const PRELOADED_LIBRARIES: [&str; 8] =
    ["pg_stat_statements", "pg_cron", "pg_net", "pgaudit", "plpgsql_check", "pg_tle", "timescaledb", "pg_stat_monitor"];

/// Folder of PostgreSQL's programs, and the version of the programs.
#[derive(Clone, Debug)]
pub struct Binaries {
    /// Folder that contains `postgres` and `initdb`.
    pub folder: PathBuf,
    /// Major version, such as `15`.
    pub version: String,
    /// Whether the server loads the libraries of the installed extensions when it starts (`shared_preload_libraries`).
    pub preloads: bool,
}

impl Binaries {
    /// Searches the configured folder, otherwise PATH and the system's usual folders for PostgreSQL's programs. Prefers programs of the
    /// existing cluster's version. Programs that another account could replace are refused.
    ///
    /// # Errors
    /// Fails if no programs are found.
    pub fn find(settings: &ClusterSettings, cluster_version: Option<&str>) -> Result<Self, EmbeddedError> {
        Self::find_in(settings.binaries.as_deref(), cluster_version)
    }

    /// Searches `folder`, if given, otherwise PATH and the system's usual folders for PostgreSQL's programs. Prefers programs of the
    /// version `cluster_version`. Programs that another account could replace are refused.
    ///
    /// # Errors
    /// Fails if no programs are found.
    pub fn find_in(folder: Option<&Path>, cluster_version: Option<&str>) -> Result<Self, EmbeddedError> {
        if let Some(folder) = folder {
            let found = Self::at(folder)?;
            return found.ok_or_else(|| EmbeddedError::NoBinaries { looked: folder.display().to_string() });
        }
        let (found, refused) = Self::in_usual_folders();
        let fitting = found.iter().find(|binaries| cluster_version == Some(&binaries.version));
        fitting.or_else(|| found.first()).cloned().ok_or_else(|| EmbeddedError::NoBinaries {
            looked: refused
                .iter()
                .fold("PATH, /usr/lib/postgresql".to_owned(), |text, reason| format!("{text}; {reason}")),
        })
    }

    /// Returns all PostgreSQL versions on this machine, in the configured folder and in the usual folders.
    #[must_use]
    pub fn on_this_machine(settings: &ClusterSettings) -> Vec<Self> {
        let named = settings.binaries.as_deref().and_then(|folder| Self::at(folder).ok().flatten());
        named.into_iter().chain(Self::in_usual_folders().0).collect()
    }

    /// Returns the PostgreSQL versions in PATH and the system's folders, and the reasons why other programs were refused.
    fn in_usual_folders() -> (Vec<Self>, Vec<programs::Refused>) {
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        for folder in Self::folders() {
            match Self::at(&folder) {
                Ok(binaries) => found.extend(binaries),
                Err(reason) => {
                    tracing::warn!(folder = %folder.display(), %reason, "database: PostgreSQL programs of a folder cannot be used, searching other folders");
                    refused.push(reason);
                }
            }
        }
        (found, refused)
    }

    /// Returns the major version as a number; 0 if it is not a number.
    #[must_use]
    pub fn major(&self) -> u32 {
        self.version.parse().unwrap_or(0)
    }

    /// Returns the path of one PostgreSQL program, such as `pg_dump` for an external server. `None` if the program is not installed.
    ///
    /// # Errors
    /// Fails if another account could replace the program.
    pub fn tool(name: &str, folder: Option<PathBuf>) -> Result<Option<PathBuf>, programs::Refused> {
        let folders = folder.map_or_else(Self::folders, |folder| vec![folder]);
        let program = folders.iter().map(|folder| folder.join(name)).find(|program| program.exists());
        program.map(|program| programs::trusted_link(&program).map(|()| program)).transpose()
    }

    /// Returns the folders in which PostgreSQL's programs are searched, in this order.
    #[must_use]
    pub fn folders() -> Vec<PathBuf> {
        let mut folders = std::env::var_os("PATH").map(|path| programs::search_path(&path)).unwrap_or_default();
        folders.extend(newest_first("/usr/lib/postgresql").into_iter().map(|version| version.join("bin")));
        folders
            .extend(newest_first("/usr").into_iter().filter(|path| is_pgsql(path)).map(|version| version.join("bin")));
        folders.extend(["/usr/local/pgsql/bin", "/opt/homebrew/bin"].map(PathBuf::from));
        folders
    }

    /// Returns the path of a program in the folder of PostgreSQL's programs.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Returns the installed libraries that PostgreSQL must load when it starts.
    #[must_use]
    pub fn preloaded_libraries(&self) -> Vec<&'static str> {
        let beside = self.folder.parent().unwrap_or(&self.folder).to_owned();
        let folders = [beside.join("lib"), beside.join("lib/postgresql")];
        let is_installed = |name: &&str| {
            let suffixes = ["so", "dylib"];
            folders.iter().any(|folder| suffixes.iter().any(|suffix| folder.join(name).with_extension(suffix).exists()))
        };
        PRELOADED_LIBRARIES.into_iter().filter(|_| self.preloads).filter(is_installed).collect()
    }

    fn at(folder: &Path) -> Result<Option<Self>, programs::Refused> {
        // Debian creates links to some of the programs in a folder of PATH. The folder of the link's target must also contain initdb,
        // because initdb finds PostgreSQL's share folder relative to its own path.
        let Ok(postgres) = folder.join("postgres").canonicalize() else { return Ok(None) };
        let folder = postgres.parent().unwrap_or(folder).to_owned();
        if !folder.join("initdb").exists() {
            return Ok(None);
        }
        let postgres = programs::trusted(&postgres)?;
        programs::trusted(&folder.join("initdb"))?;
        Ok(major_version(&postgres, "postgres").map(|version| Self { folder, version, preloads: true }))
    }
}

/// Returns the major version of a PostgreSQL program. The version is read from the executable file, so that a program is not run before it
/// is chosen. If the file does not contain the version text (such as a wrapper script), the program is run with `--version`, in the account
/// that would run the server. Returns `None` if the version is unknown.
#[must_use]
pub fn major_version(program: &Path, name: &str) -> Option<String> {
    let label = format!("{name} (PostgreSQL) ");
    let content = std::fs::read(program).ok()?;
    let written = memchr::memmem::find_iter(&content, label.as_bytes());
    let inside = written.filter_map(|at| content.get(at + label.len()..)).find_map(leading_number);
    inside.or_else(|| {
        let output = Account::choose().command(program).arg("--version").current_dir("/").output().ok()?;
        leading_number(output.stdout.strip_prefix(label.as_bytes())?)
    })
}

fn leading_number(text: &[u8]) -> Option<String> {
    let digits: String =
        text.iter().take(4).take_while(|byte| byte.is_ascii_digit()).map(|byte| char::from(*byte)).collect();
    (!digits.is_empty()).then_some(digits)
}

fn is_pgsql(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("pgsql-"))
}

fn newest_first(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    paths.reverse();
    paths
}
