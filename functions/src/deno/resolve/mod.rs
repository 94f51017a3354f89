//! Resolves a function's imports and downloads the imported packages into a cache.
//!
//! 1. The packages of the repository's workspace are found ([`workspace`]).
//! 2. `deno info` reads the module graph without network access: each specifier as written, and as resolved by the project's own import map.
//! 3. An import map is generated: the project's map, with CDN modules replaced by npm packages ([`cdn`]).
//! 4. `deno cache` downloads missing packages and writes the lock file.
//!
//! The result is stored with the list of imported files ([`imported`]) and a fingerprint of the source files, so a start with unchanged files
//! requires no network access.

mod allowed;
mod cdn;
mod config;
mod graph;
mod imported;
mod json_file;
mod lock_copy;
mod own_files;
mod workspace;

use std::ffi::OsString;
use std::fs::{File, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Source;
use crate::source::normalized;
use allowed::{check_file, without_quotes};
use config::ImportConfig;
use graph::{Deno, Graph};
use lock_copy::{LockCopy, MAX_LOCK_BYTES};
pub(crate) use own_files::{files, mention};
use own_files::{fingerprint, fingerprint_of};
use workspace::Workspace;

/// Timeout for downloading the packages of one function.
const CACHE_TIMEOUT: Duration = Duration::from_mins(5);
/// How often the module graph is read at most, because a pattern with a single file as target has added modules to it.
const MAX_GRAPHS: usize = 20;

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
#[derive(Debug)]
pub(crate) struct Preparing {
    pub(crate) deno: PathBuf,
    /// Package cache of Deno (`DENO_DIR`).
    pub(crate) cache: PathBuf,
    /// Folder of the replacement modules that Cloch contains.
    pub(crate) modules: PathBuf,
    /// Folder for the function's generated files.
    pub(crate) made: PathBuf,
    /// Lock file of the function's code in the project's folder. A deployed version starts with a copy of this file.
    pub(crate) known_lock: PathBuf,
    /// Environment variables for downloads: proxies, certificates and registries.
    pub(crate) environment: Vec<(String, OsString)>,
    /// User and group id of the account in which Deno runs; `None` for Cloch's own account.
    pub(crate) account: Option<u32>,
    /// Command line that starts a program in that account: the Cloch program with arguments.
    pub(crate) launcher: Vec<OsString>,
    pub(crate) source: Source,
}

/// The configuration of a function's imports, and the workspace around the function.
#[derive(Debug)]
struct Own {
    imports: ImportConfig,
    workspace: Workspace,
}

impl Preparing {
    /// Resolves and downloads the imports of a function, unless the fingerprint of its files is unchanged. Files are read and written on blocking
    /// threads: a project may have thousands of them.
    pub(crate) async fn prepare(self) -> Result<Prepared, ImportsError> {
        let this = Arc::new(self);
        let _alone = only_process(&this.made).await.map_err(at(&this.made))?;
        let (mut source, mut known, is_current) = in_background(&this, Self::recorded).await?;
        if is_current {
            return Ok(this.prepared(source));
        }
        let own = in_background(&this, Self::read_configuration).await?;
        let (mut own, mut graph) = this.whole_graph(own).await?;
        // Compute the fingerprint before the graph is read. If a file is saved between these two steps, the next call computes a different
        // fingerprint and reads the graph again.
        let imported = this.with_imports(&graph, &own).await?;
        if imported.imported != source.imported {
            source = imported;
            known = fingerprint_of(&source).await?;
            (own, graph) = this.whole_graph(own).await?;
        }
        let imports = this.replaced(&own, &graph);
        let own = Arc::new(own);
        let generated = Arc::clone(&own);
        let lock = in_background(&this, move |this| this.write_generated(&generated.imports, &imports)).await?;
        let config = this.made.join("deno.json");
        let cached = this.deno(&config).cache(&this.source.entrypoint, lock.path(), CACHE_TIMEOUT).await;
        if let Err(error) = cached {
            return Err(this.explained(error, &graph, &own).await);
        }
        let recorded = source.imported.clone();
        in_background(&this, move |this| {
            lock.keep().map_err(at(&this.made.join("deno.lock")))?;
            imported::write(&this.made, &recorded).map_err(at(&this.made))?;
            let marker = this.made.join("fingerprint");
            std::fs::write(&marker, known).map_err(at(&marker))
        })
        .await?;
        Ok(this.prepared(source))
    }

    fn prepared(&self, source: Source) -> Prepared {
        Prepared { config: self.made.join("deno.json"), lock: self.made.join("deno.lock"), source }
    }

    /// Returns the function's code with the recorded list of imported files, its fingerprint, and whether this fingerprint is the recorded one.
    fn recorded(&self) -> Result<(Source, String, bool), ImportsError> {
        let source = self.source.with_imported(imported::read(&self.made));
        let known = fingerprint(&source)?;
        let is_current = std::fs::read_to_string(self.made.join("fingerprint")).is_ok_and(|text| text == known);
        Ok((source, known, is_current))
    }

    /// Reads the configuration of imports and writes it for the first reading of the module graph.
    fn read_configuration(&self) -> Result<Own, ImportsError> {
        let allow = |file: &Path| check_file(&self.source, &self.modules, file);
        let (folder, functions) = (self.source.folder(), self.source.functions());
        let workspace = Workspace::find(folder, &self.source.repository, &allow);
        let mut imports =
            ImportConfig::read(self.source.import_map.as_deref(), (folder, &functions), &workspace, allow)?;
        imports.replace_in_scopes(|target| cdn::replacement(target, &self.modules));
        write_config(&self.made.join("own.json"), &imports, &imports.imports)?;
        Ok(Own { imports, workspace })
    }

    /// Writes the generated import map and returns a copy of the lock file for Deno.
    fn write_generated(&self, config: &ImportConfig, imports: &Map<String, Value>) -> Result<LockCopy, ImportsError> {
        let lock = self.made.join("deno.lock");
        write_config(&self.made.join("deno.json"), config, imports)?;
        self.copy_lock(&lock)?;
        LockCopy::make(&self.made, &lock, self.account).map_err(at(&lock))
    }

    /// Copies an existing lock file as the initial lock file of a function. For code in the project's folder, this is the project's own lock
    /// file; for a deployed version, the lock file of the code in the project's folder.
    fn copy_lock(&self, lock: &Path) -> Result<(), ImportsError> {
        let folders = [self.source.folder().to_owned(), self.source.functions()];
        let own = folders.into_iter().map(|folder| folder.join("deno.lock")).find(|file| file.is_file());
        if let Some(file) = &own {
            check_file(&self.source, &self.modules, file)?;
        }
        let Some(file) = own.or_else(|| Some(self.known_lock.clone()).filter(|file| file.is_file())) else {
            return Ok(());
        };
        if lock.exists() {
            return Ok(());
        }
        if file.metadata().map_err(at(&file))?.len() > MAX_LOCK_BYTES {
            return Err(ImportsError::Config { file, problem: format!("more than {MAX_LOCK_BYTES} bytes") });
        }
        std::fs::copy(&file, lock).map(drop).map_err(at(&file))
    }

    /// Returns the function's imports with the modules of CDNs replaced.
    fn replaced(&self, own: &Own, graph: &Graph) -> Map<String, Value> {
        let mut imports = own.imports.imports.clone();
        for (prefix, target) in cdn::prefixes() {
            imports.entry(prefix).or_insert_with(|| target.into());
        }
        for import in &graph.imports {
            if let Some(target) = cdn::replacement(&import.resolved, &self.modules) {
                imports.insert(import.specifier.clone(), target.into());
            }
        }
        imports
    }

    /// Returns the function's code with the list of the files that it imports.
    async fn with_imports(&self, graph: &Graph, own: &Own) -> Result<Source, ImportsError> {
        let is_own = |file: &&PathBuf| !file.starts_with(normalized(&self.modules));
        let behind = own.workspace.files_behind(&graph.files);
        let files: Vec<PathBuf> = graph.files.iter().filter(is_own).cloned().chain(behind).collect();
        let source = self.source.clone();
        blocking(move || Ok(source.with_imported(files))).await
    }

    fn deno<'a>(&'a self, config: &'a Path) -> Deno<'a> {
        Deno {
            program: &self.deno,
            cache: &self.cache,
            config,
            environment: &self.environment,
            account: self.account,
            launcher: &self.launcher,
            readable: [&self.source.repository, &self.modules, &self.made].map(PathBuf::clone).to_vec(),
        }
    }

    /// Reads the module graph with the project's import map. Specifiers that only a pattern with a single file as target resolves are added to the
    /// import map, and the graph is read again, because these files may import others.
    async fn whole_graph(self: &Arc<Self>, mut own: Own) -> Result<(Own, Graph), ImportsError> {
        let config = self.made.join("own.json");
        let mut graph = self.graph(&config, &own).await?;
        for _ in 1..MAX_GRAPHS {
            if !own.imports.add_single_files(&graph.unresolved, &own.workspace) {
                break;
            }
            let file = config.clone();
            own = in_background(self, move |_| {
                write_config(&file, &own.imports, &own.imports.imports)?;
                Ok(own)
            })
            .await?;
            graph = self.graph(&config, &own).await?;
        }
        Ok((own, graph))
    }

    /// Reads the module graph, and checks that all of its files belong to the function.
    async fn graph(self: &Arc<Self>, config: &Path, own: &Own) -> Result<Graph, ImportsError> {
        let graph = match self.deno(config).graph(&self.source.entrypoint).await {
            Ok(graph) => graph,
            Err(error) => return Err(self.explained(error, &Graph::default(), own).await),
        };
        in_background(self, move |this| {
            graph.files.iter().try_for_each(|file| check_file(&this.source, &this.modules, file)).map(|()| graph)
        })
        .await
    }

    /// Returns Deno's error without the quoted lines of other files. If a dependency or a package of the workspace is missing, the error
    /// contains the reason.
    async fn explained(self: &Arc<Self>, error: ImportsError, graph: &Graph, own: &Own) -> ImportsError {
        let error = match in_background(self, move |this| {
            Ok(without_quotes(&this.source, (&this.modules, [&this.made, &this.cache]), error))
        })
        .await
        {
            Ok(error) | Err(error) => error,
        };
        let ImportsError::Deno(text) = &error else { return error };
        // Deno's error contains the prefix of the forbidden import.
        let closed = text.split_once("Blocked by null entry for ").map(|(_, rest)| rest.trim_start_matches('"'));
        let closed = closed.and_then(|rest| rest.split('"').next()).filter(|prefix| !prefix.is_empty());
        let is_named = |specifier: &&String| {
            text.contains(specifier.as_str()) || closed.is_some_and(|prefix| specifier.starts_with(prefix))
        };
        let named = graph.unresolved.iter().rev().find(is_named);
        match named.and_then(|specifier| own.imports.explain(specifier, &own.workspace)) {
            Some(reason) => ImportsError::Deno(format!("{text}\n    {reason}")),
            None => error,
        }
    }
}

/// Runs file work of a function on a blocking thread.
async fn in_background<T: Send + 'static>(
    preparing: &Arc<Preparing>,
    work: impl FnOnce(&Preparing) -> Result<T, ImportsError> + Send + 'static,
) -> Result<T, ImportsError> {
    let preparing = Arc::clone(preparing);
    blocking(move || work(&preparing)).await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ImportsError> + Send + 'static,
) -> Result<T, ImportsError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| ImportsError::Deno(error.to_string()))?
}

fn at(path: &Path) -> impl FnOnce(std::io::Error) -> ImportsError {
    let path = path.to_owned();
    |source| ImportsError::Io { path, source }
}

/// Writes a deno.json with these imports.
fn write_config(file: &Path, config: &ImportConfig, imports: &Map<String, Value>) -> Result<(), ImportsError> {
    // The empty workspace stops Deno's search for a workspace in the parent folders of the data folder.
    let text = json!({
        "workspace": [],
        "imports": imports, "scopes": config.scopes, "compilerOptions": config.compiler_options.clone().unwrap_or(json!({})),
        "unstable": config.features, "nodeModulesDir": "none"
    });
    replace(file, &text.to_string()).map_err(at(file))
}

/// Locks the folder of a function's generated files and returns the lock file. Waits while another process holds the lock, because a
/// running server and `cloch functions` may prepare the same function at the same time.
async fn only_process(made: &Path) -> std::io::Result<File> {
    let made = made.to_owned();
    let locked = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&made)?;
        let path = made.join("process.lock");
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
