//! Imports: from a function's source to a cache that holds everything it needs.
//!
//! 1. `deno info` reads the module graph without the network: each specifier as it is written, and what the project's own import map
//!    makes of it.
//! 2. An import map is made: the project's, with modules of CDNs answered from npm ([`cdn`]).
//! 3. `deno cache` downloads what is missing and writes the lock file.
//!
//! What was prepared is remembered under a fingerprint of the sources, so a start without network costs nothing.

mod cdn;
mod config;
mod graph;

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::Source;
use super::runtime::VERSION;
use config::ImportConfig;
use graph::Deno;

/// Downloads of one function's packages.
const CACHE_TIMEOUT: Duration = Duration::from_mins(5);
/// Files that make up one function.
const MAX_FILES: usize = 20_000;

/// Why a function's imports cannot be resolved. The text names file, line and specifier.
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

/// A function that can be started without the network.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    /// The made deno.json.
    pub(crate) config: PathBuf,
    pub(crate) lock: PathBuf,
    pub(crate) entrypoint: PathBuf,
}

/// What preparing works with.
#[derive(Clone, Debug)]
pub(crate) struct Preparing<'a> {
    pub(crate) deno: &'a Path,
    /// The cache of packages (`DENO_DIR`).
    pub(crate) cache: &'a Path,
    /// The folder of the modules that stand in for others.
    pub(crate) modules: &'a Path,
    /// The function's folder for what is made.
    pub(crate) made: &'a Path,
    /// A lock file that a version's may begin with.
    pub(crate) known_lock: &'a Path,
    /// Proxies, certificates and registries for downloads.
    pub(crate) environment: &'a [(String, OsString)],
}

impl Preparing<'_> {
    /// Prepares a function, or finds that it is.
    pub(crate) async fn prepare(&self, source: &Source) -> Result<Prepared, ImportsError> {
        let prepared = Prepared {
            config: self.made.join("deno.json"),
            lock: self.made.join("deno.lock"),
            entrypoint: source.entrypoint.clone(),
        };
        let code = source.clone();
        // Up to megabytes are read and hashed.
        let hashed = tokio::task::spawn_blocking(move || fingerprint(&code)).await;
        let fingerprint = hashed.map_err(|error| ImportsError::Deno(error.to_string()))??;
        let marker = self.made.join("fingerprint");
        if std::fs::read_to_string(&marker).is_ok_and(|known| known == fingerprint) {
            return Ok(prepared);
        }
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| ImportsError::Io { path, source }
        };
        std::fs::create_dir_all(self.made).map_err(io(self.made))?;
        let own = ImportConfig::read(source.import_map.as_deref(), (source.folder(), &source.functions()), |file| {
            self.check_file(source, file)
        })?;
        let write = |imports: &Map<String, Value>| {
            let text = json!({
                "imports": imports, "scopes": own.scopes, "compilerOptions": own.compiler_options.clone().unwrap_or(json!({})),
                "nodeModulesDir": "none"
            });
            std::fs::write(&prepared.config, text.to_string()).map_err(io(&prepared.config))
        };
        write(&own.imports)?;
        let deno =
            Deno { program: self.deno, cache: self.cache, config: &prepared.config, environment: self.environment };
        let graph = deno.graph(&source.entrypoint).await.map_err(|error| self.without_quotes(source, error))?;
        graph.files.iter().try_for_each(|file| self.check_file(source, file))?;
        let mut imports = own.imports.clone();
        for (prefix, target) in cdn::prefixes() {
            imports.entry(prefix).or_insert_with(|| target.into());
        }
        for import in &graph.imports {
            if let Some(target) = cdn::replacement(&import.resolved, self.modules) {
                imports.insert(import.specifier.clone(), target.into());
            }
        }
        write(&imports)?;
        copy_lock(source, self.known_lock, &prepared.lock).map_err(io(&prepared.lock))?;
        let cached = deno.cache(&source.entrypoint, &prepared.lock, CACHE_TIMEOUT).await;
        cached.map_err(|error| self.without_quotes(source, error))?;
        std::fs::write(&marker, fingerprint).map_err(io(&marker))?;
        Ok(prepared)
    }

    /// A version consists of its own files, and the project's folder of those of its repository. Deno reads what they import with this
    /// program's rights: an import of another file of this machine must not come so far. Links count as what they lead to.
    fn check_file(&self, source: &Source, file: &Path) -> Result<(), ImportsError> {
        let own = match source.version {
            Some(_) => source.project.clone(),
            None => cloch_core::project_root::of(&source.project),
        };
        let plain = normalized(file);
        let target = plain.canonicalize().unwrap_or(plain);
        let inside = |folder: &Path| target.starts_with(folder.canonicalize().unwrap_or_else(|_| normalized(folder)));
        match inside(&own) || inside(self.modules) {
            true => Ok(()),
            false => Err(ImportsError::Outside(file.to_owned())),
        }
    }

    /// Deno's errors quote lines of the files that they are about. Of a file that is none of the function's, only the path is told.
    fn without_quotes(&self, source: &Source, error: ImportsError) -> ImportsError {
        let ImportsError::Deno(text) = &error else { return error };
        let named = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | ')' | ','));
        let files = named.filter(|word| word.starts_with('/')).map(|word| word.split(':').next().unwrap_or(word));
        let outside =
            files.map(Path::new).filter(|file| file.is_file()).find_map(|file| self.check_file(source, file).err());
        outside.unwrap_or(error)
    }
}

/// Without `..`, as Deno names files.
pub(crate) fn normalized(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// A project's own lock file is where the made one begins; for a version, that of the folder's code.
fn copy_lock(source: &Source, known: &Path, lock: &Path) -> std::io::Result<()> {
    let candidates = [source.folder().join("deno.lock"), source.functions().join("deno.lock"), known.to_owned()];
    match candidates.iter().find(|file| file.is_file()) {
        Some(file) if !lock.exists() => std::fs::copy(file, lock).map(drop),
        _ => Ok(()),
    }
}

/// Of everything that decides what a function's imports are.
pub(crate) fn fingerprint(source: &Source) -> Result<String, ImportsError> {
    let mut hash = Sha256::new();
    hash.update(format!("{VERSION} {} {:?}\n", source.entrypoint.display(), source.import_map));
    for file in files(source)? {
        let text = std::fs::read(&file).map_err(|error| ImportsError::Io { path: file.clone(), source: error })?;
        hash.update(format!("{}\n{}\n", file.display(), text.len()));
        hash.update(&text);
    }
    Ok(hex(&hash.finalize()))
}

/// Whether a file of the function has one of these texts in it.
pub(crate) fn mention(source: &Source, texts: &[&str]) -> bool {
    let has =
        |file: PathBuf| std::fs::read_to_string(file).is_ok_and(|code| texts.iter().any(|text| code.contains(text)));
    files(source).unwrap_or_default().into_iter().any(has)
}

/// All files of the function, sorted.
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
