//! Resolves a function's imports and downloads the imported packages into a cache.
//!
//! 1. `deno info` reads the module graph without network access: each specifier as written, and as resolved by the project's own import map.
//! 2. An import map is generated: the project's map, with CDN modules replaced by npm packages ([`cdn`]).
//! 3. `deno cache` downloads missing packages and writes the lock file.
//!
//! The result is stored with the list of imported files ([`imported`]) and a fingerprint of the source files, so a start with unchanged files
//! requires no network access.

mod cdn;
mod config;
mod graph;
mod imported;
mod lock_copy;

use std::ffi::OsString;
use std::fs::{File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::Source;
use super::runtime::VERSION;
use crate::source::normalized;
use config::ImportConfig;
use graph::{Deno, Graph};
use lock_copy::LockCopy;

/// Timeout for downloading the packages of one function.
const CACHE_TIMEOUT: Duration = Duration::from_mins(5);
const MAX_FILES: usize = 20_000;

/// A failure to resolve a function's imports. The text names file, line and specifier.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImportsError {
    #[error("{}: {problem}", file.display())]
    Config { file: PathBuf, problem: String },
    #[error("it imports {}, which is not among its files", .0.display())]
    Outside(PathBuf),
    #[error("{0}")]
    Deno(String),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

/// A function that can be started without network access.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// The generated deno.json of the function.
    pub(crate) config: PathBuf,
    pub(crate) lock: PathBuf,
    /// The function's code, including the list of imported files.
    pub(crate) source: Source,
}

/// Programs and folders with which the imports of a function are resolved and downloaded.
#[derive(Clone, Debug)]
pub(crate) struct Preparing<'a> {
    pub(crate) deno: &'a Path,
    /// Package cache of Deno (`DENO_DIR`).
    pub(crate) cache: &'a Path,
    /// Folder of the replacement modules that Cloch contains.
    pub(crate) modules: &'a Path,
    /// Folder for the function's generated files.
    pub(crate) made: &'a Path,
    /// Lock file of the function's code in the project's folder. A deployed version starts with a copy of this file.
    pub(crate) known_lock: &'a Path,
    /// Environment variables for downloads: proxies, certificates and registries.
    pub(crate) environment: &'a [(String, OsString)],
    /// User and group id of the account in which Deno runs; `None` for Cloch's own account.
    pub(crate) account: Option<u32>,
    /// Command line that starts a program in that account: the Cloch program with arguments.
    pub(crate) launcher: &'a [OsString],
}

impl Preparing<'_> {
    /// Resolves and downloads the imports of a function, unless the fingerprint of its files is unchanged.
    pub(crate) async fn prepare(&self, source: &Source) -> Result<Prepared, ImportsError> {
        let mut prepared =
            Prepared { config: self.made.join("deno.json"), lock: self.made.join("deno.lock"), source: source.clone() };
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| ImportsError::Io { path, source }
        };
        std::fs::create_dir_all(self.made).map_err(io(self.made))?;
        let _alone = only_process(self.made).await.map_err(io(self.made))?;
        prepared.source = source.with_imported(imported::read(self.made));
        let marker = self.made.join("fingerprint");
        let mut known = fingerprint_of(&prepared.source).await?;
        if std::fs::read_to_string(&marker).is_ok_and(|text| text == known) {
            return Ok(prepared);
        }
        let own = ImportConfig::read(source.import_map.as_deref(), (source.folder(), &source.functions()), |file| {
            self.check_file(source, file)
        })?;
        let write = |file: &Path, imports: &Map<String, Value>| {
            // The empty workspace ends Deno's search for the deno.json of a workspace around the data folder.
            let text = json!({
                "workspace": [],
                "imports": imports, "scopes": own.scopes, "compilerOptions": own.compiler_options.clone().unwrap_or(json!({})),
                "unstable": own.features, "nodeModulesDir": "none"
            });
            replace(file, &text.to_string()).map_err(io(file))
        };
        let own_config = self.made.join("own.json");
        write(&own_config, &own.imports)?;
        let deno = |config| Deno {
            program: self.deno,
            cache: self.cache,
            config,
            environment: self.environment,
            account: self.account,
            launcher: self.launcher,
            readable: [&source.repository, self.modules, self.made].map(Path::to_owned).to_vec(),
        };
        let mut graph = self.graph(&deno(&own_config), source).await?;
        let imports_of = |graph: &Graph| {
            let is_own = |file: &&PathBuf| !file.starts_with(normalized(self.modules));
            source.with_imported(graph.files.iter().filter(is_own).cloned())
        };
        // Compute the fingerprint before the graph is read. If a file is saved between these two steps, the next call computes a different
        // fingerprint and reads the graph again.
        if imports_of(&graph).imported != prepared.source.imported {
            prepared.source = imports_of(&graph);
            known = fingerprint_of(&prepared.source).await?;
            graph = self.graph(&deno(&own_config), source).await?;
        }
        let mut imports = own.imports.clone();
        for (prefix, target) in cdn::prefixes() {
            imports.entry(prefix).or_insert_with(|| target.into());
        }
        for import in &graph.imports {
            if let Some(target) = cdn::replacement(&import.resolved, self.modules) {
                imports.insert(import.specifier.clone(), target.into());
            }
        }
        write(&prepared.config, &imports)?;
        copy_lock(source, self.known_lock, &prepared.lock).map_err(io(&prepared.lock))?;
        let deno = deno(&prepared.config);
        let lock = LockCopy::make(self.made, &prepared.lock, self.account).map_err(io(&prepared.lock))?;
        let cached = deno.cache(&source.entrypoint, lock.path(), CACHE_TIMEOUT).await;
        cached.map_err(|error| self.without_quotes(source, error))?;
        lock.keep().map_err(io(&prepared.lock))?;
        imported::write(self.made, &prepared.source.imported).map_err(io(self.made))?;
        std::fs::write(&marker, known).map_err(io(&marker))?;
        Ok(prepared)
    }

    /// Reads the module graph, and checks that all of its files belong to the function.
    async fn graph(&self, deno: &Deno<'_>, source: &Source) -> Result<Graph, ImportsError> {
        let graph = deno.graph(&source.entrypoint).await.map_err(|error| self.without_quotes(source, error))?;
        graph.files.iter().try_for_each(|file| self.check_file(source, file))?;
        Ok(graph)
    }

    /// Returns an error for files outside the function's own code ([`Source::repository`]). Deno reads imported files with the rights of Cloch, so an
    /// import must not reach other files of the machine. Symbolic links are resolved before the check.
    fn check_file(&self, source: &Source, file: &Path) -> Result<(), ImportsError> {
        let target = real(&normalized(file));
        let inside = |folder: &Path| target.starts_with(folder.canonicalize().unwrap_or_else(|_| normalized(folder)));
        match inside(&source.repository) || inside(self.modules) {
            true => Ok(()),
            false => Err(ImportsError::Outside(file.to_owned())),
        }
    }

    /// Replaces Deno's error about a file outside the function by an error that contains only the path. Deno's errors quote lines of the
    /// file, which must not be shown.
    fn without_quotes(&self, source: &Source, error: ImportsError) -> ImportsError {
        let ImportsError::Deno(text) = &error else { return error };
        let named = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | ','));
        let files = named.filter(|word| word.starts_with('/')).map(|word| word.split(':').next().unwrap_or(word));
        let outside =
            files.map(Path::new).filter(|file| file.is_file()).find_map(|file| self.check_file(source, file).err());
        outside.unwrap_or(error)
    }
}

/// Resolves the symbolic links of a path, even if the file does not exist.
fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(real), ..) => real,
        (Err(_), Some(folder), Some(name)) => real(folder).join(name),
        (Err(_), ..) => path.to_owned(),
    }
}

/// Locks the folder of a function's generated files and returns the lock file. Waits while another process holds the lock, because a
/// running server and `cloch functions` may prepare the same function at the same time.
async fn only_process(made: &Path) -> std::io::Result<File> {
    let path = made.join("process.lock");
    let locked = tokio::task::spawn_blocking(move || {
        let file = File::create(path)?;
        file.lock()?;
        Ok(file)
    });
    locked.await.map_err(std::io::Error::other)?
}

/// Writes a file in one step, because a worker may read it at the same time.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(Permissions::from_mode(0o644))?;
    file.persist(path)?;
    Ok(())
}

/// Copies an existing lock file as the initial lock file of a function. For code in the project's folder, this is the project's own lock
/// file; for a deployed version, the lock file of the code in the project's folder.
fn copy_lock(source: &Source, known: &Path, lock: &Path) -> std::io::Result<()> {
    let candidates = [source.folder().join("deno.lock"), source.functions().join("deno.lock"), known.to_owned()];
    match candidates.iter().find(|file| file.is_file()) {
        Some(file) if !lock.exists() => std::fs::copy(file, lock).map(drop),
        _ => Ok(()),
    }
}

/// Computes the fingerprint on a blocking thread, because a function may have megabytes of files.
async fn fingerprint_of(source: &Source) -> Result<String, ImportsError> {
    let code = source.clone();
    let hashed = tokio::task::spawn_blocking(move || fingerprint(&code)).await;
    hashed.map_err(|error| ImportsError::Deno(error.to_string()))?
}

/// Returns a fingerprint of all files and settings that determine a function's imports.
fn fingerprint(source: &Source) -> Result<String, ImportsError> {
    let mut hash = Sha256::new();
    hash.update(format!("{VERSION} {} {:?}\n", source.entrypoint.display(), source.import_map));
    for file in files(source)? {
        let text = std::fs::read(&file).map_err(|error| ImportsError::Io { path: file.clone(), source: error })?;
        hash.update(format!("{}\n{}\n", file.display(), text.len()));
        hash.update(&text);
    }
    Ok(hex(&hash.finalize()))
}

/// Whether any file of the function contains one of the given texts.
pub(crate) fn mention(source: &Source, texts: &[&str]) -> bool {
    let has =
        |file: PathBuf| std::fs::read_to_string(file).is_ok_and(|code| texts.iter().any(|text| code.contains(text)));
    files(source).unwrap_or_default().into_iter().any(has)
}

/// Returns all files of the function, sorted.
pub(crate) fn files(source: &Source) -> Result<Vec<PathBuf>, ImportsError> {
    let mut parts = source.parts();
    parts.extend(source.import_map.clone());
    let mut files = Vec::new();
    for part in parts {
        let visible = |entry: &walkdir::DirEntry| entry.file_name() != "node_modules" && entry.file_name() != ".git";
        for entry in walkdir::WalkDir::new(&part).into_iter().filter_entry(visible) {
            let entry = entry.map_err(|error| ImportsError::Io { path: part.clone(), source: error.into() })?;
            if entry.file_type().is_file() {
                files.push(entry.into_path());
            }
            if files.len() > MAX_FILES {
                return Err(ImportsError::Config { file: part, problem: format!("more than {MAX_FILES} files") });
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
