//! State that the worker pools of all functions share: the Deno program, the package cache, the Unix sockets to Cloch's server, and the
//! thread that starts processes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use cloch_core::Secret;
use tokio::net::UnixListener;
use tokio::sync::{Mutex, Notify};

use super::ai::{self, AiServer};
use super::pool::Pool;
use super::server_socket;
use super::supervisor::Supervisor;
use super::worker::{self, Worker, WorkerCommand, WorkerFiles};
use crate::deno::account::{ResolverAccount, WorkerAccount};
use crate::deno::resolve::{self, Prepared, Preparing};
use crate::deno::runtime::Places;
use crate::source::{Source, reserved_prefix};

/// Script that runs in each Deno worker before the function.
const PRELOAD: &str = include_str!("preload.js");
/// Replacement modules that Cloch contains, by file name.
const MODULES: [(&str, &str); 3] = [
    ("http_server.js", include_str!("modules/http_server.js")),
    ("base64.js", include_str!("modules/base64.js")),
    ("empty.js", include_str!("modules/empty.js")),
];
/// Texts by which code is detected that contains a server of Node's `http` module: a call such as `app.listen(…)`, or the name of a package
/// that calls `listen`.
const SERVERS_OF_NODE: [&str; 2] = [".listen(", "node-server"];
/// Maximum length in bytes of the path of the folder with the workers' sockets (run folder). The length of Unix socket paths is limited,
/// and the names of the sockets are appended to this path.
const MAX_RUN_PATH_BYTES: usize = 70;

/// Options of the functions engine from the gateway: paths, programs and addresses.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Folder of the project, which contains the functions folder.
    pub project: PathBuf,
    /// Folder for the caches, deployed versions and logs of functions.
    pub folder: PathBuf,
    /// Places where the Deno program is searched.
    pub deno: Places,
    /// Command line that launches a worker: the Cloch program with arguments.
    pub launcher: Vec<OsString>,
    /// Environment variables of every function: addresses and API keys of Cloch's server.
    pub environment: BTreeMap<String, Secret>,
    /// Environment variables for downloads of Deno and packages: proxies, certificates and registries.
    pub download_environment: Vec<(String, OsString)>,
    /// Address on which Cloch's server listens.
    pub server: SocketAddr,
    /// Address of the project's database; `None` if the database is on a different machine.
    pub database: Option<SocketAddr>,
    /// URLs of Cloch's server that functions may use, without a trailing slash.
    pub server_origins: Vec<String>,
    /// The language model server that `Supabase.ai` uses; `None` if `[ai]` is not configured.
    pub ai: Option<AiServer>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: EngineOptions,
    account: WorkerAccount,
    resolver: ResolverAccount,
    pub(crate) supervisor: Supervisor,
    /// Folder with the sockets and temporary folders of workers. Other accounts have no access to the folder.
    run: OnceLock<RunFolder>,
    /// The project's secrets. Environment variables of a single function take precedence.
    pub(crate) secrets: RwLock<Arc<BTreeMap<String, Secret>>>,
    deno: Mutex<()>,
    found: RwLock<Option<PathBuf>>,
    next_worker: AtomicU64,
    /// Notified when the imported files of a function have changed.
    pub(crate) imports_changed: Notify,
}

impl Shared {
    pub(crate) fn new(options: EngineOptions) -> io::Result<Self> {
        let folder = &options.folder;
        for part in ["cache/npm", "cache/remote", "modules", "made", "logs", "versions"] {
            std::fs::create_dir_all(folder.join(part))?;
        }
        write_if_other(&folder.join("preload.js"), PRELOAD)?;
        for (name, text) in MODULES {
            write_if_other(&folder.join("modules").join(name), text)?;
        }
        Ok(Self {
            account: WorkerAccount::choose(folder),
            resolver: ResolverAccount::choose(&folder.join("cache")),
            supervisor: Supervisor::start()?,
            run: OnceLock::new(),
            secrets: RwLock::default(),
            deno: Mutex::new(()),
            found: RwLock::new(None),
            next_worker: AtomicU64::new(0),
            imports_changed: Notify::new(),
            options,
        })
    }

    /// Creates the folder for the workers' sockets (run folder), and serves the Unix sockets to Cloch's server, to the project's database
    /// and to the server of `[ai]`.
    pub(crate) fn serve_socket(&self) {
        let made =
            RunFolder::make(&self.options.folder).and_then(|folder| self.account.admit(&folder.path).map(|()| folder));
        match made {
            Ok(folder) => drop(self.run.set(folder)),
            Err(error) => {
                tracing::error!(
                    %error,
                    folder = %self.options.folder.display(),
                    "functions: creating the folder of the workers' sockets failed, functions cannot reach this server"
                );
                return;
            }
        }
        let server = self.options.server;
        self.answer_on(self.server_socket(), "this server", move |listener| server_socket::serve(listener, server));
        if let Some(database) = self.options.database {
            self.answer_on(self.database_socket(), "the database", move |listener| {
                server_socket::serve(listener, database)
            });
        }
        if let Some(server) = self.options.ai.clone() {
            self.answer_on(self.ai_socket(), "the server of [ai]", |listener| ai::serve(listener, server));
        }
    }

    /// Serves a Unix socket to which workers may connect.
    fn answer_on<F: Future<Output = io::Result<()>> + Send + 'static>(
        &self,
        socket: PathBuf,
        what: &'static str,
        serve: impl FnOnce(UnixListener) -> F + Send + 'static,
    ) {
        let account = self.account;
        self.supervisor.spawn(async move {
            let bound = UnixListener::bind(&socket).and_then(|listener| account.own(&socket).map(|()| listener));
            let served = match bound {
                Ok(listener) => serve(listener).await,
                Err(error) => Err(error),
            };
            if let Err(error) = served {
                tracing::error!(
                    %error,
                    socket = %socket.display(),
                    "functions: serving a Unix socket for functions failed, functions cannot reach {what}"
                );
            }
        });
    }

    fn ai_socket(&self) -> PathBuf {
        self.in_run_folder("ai.sock")
    }

    fn database_socket(&self) -> PathBuf {
        self.in_run_folder("database.sock")
    }

    fn server_socket(&self) -> PathBuf {
        self.in_run_folder("server.sock")
    }

    fn in_run_folder(&self, name: &str) -> PathBuf {
        self.run.get().map_or_else(|| self.options.folder.join(name), |run| run.path.join(name))
    }

    /// Returns the path of the Deno program. The program is searched or downloaded only once.
    pub(crate) async fn deno(&self) -> Result<PathBuf, String> {
        let found = || self.found.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(program) = found() {
            return Ok(program);
        }
        let _one_search = self.deno.lock().await;
        if let Some(program) = found() {
            return Ok(program);
        }
        let program = self.options.deno.find().await?;
        *self.found.write().unwrap_or_else(PoisonError::into_inner) = Some(program.clone());
        Ok(program)
    }

    /// Resolves and downloads a function's imports. Requires no network access if no file of the function has changed.
    pub(crate) async fn prepare(&self, name: &str, source: &Source) -> Result<Prepared, String> {
        let deno = self.deno().await?;
        let folder = &self.options.folder;
        let made = folder.join("made");
        let preparing = Preparing {
            deno,
            cache: folder.join("cache"),
            modules: folder.join("modules"),
            made: made.join(made_name(name, source.version)),
            known_lock: made.join(made_name(name, None)).join("deno.lock"),
            environment: self.options.download_environment.clone(),
            account: self.resolver.id(),
            launcher: self.options.launcher.clone(),
            source: source.clone(),
        };
        preparing.prepare().await.map_err(|error| error.to_string())
    }

    pub(crate) async fn start_worker(&self, pool: &Pool, source: &Source) -> Result<Worker, String> {
        let prepared = pool.prepare(source).await?;
        let mut environment = self.options.environment.clone();
        let secrets = Arc::clone(&self.secrets.read().unwrap_or_else(PoisonError::into_inner));
        let secrets = secrets.iter().map(|(name, value)| (name.clone(), value.clone()));
        let own = secrets.chain(source.environment()?);
        for (name, value) in own {
            match reserved_prefix(&name) {
                None => drop(environment.insert(name, value)),
                Some(prefix) => {
                    tracing::warn!(
                        function = %pool.name,
                        "functions: environment variable {name} of a function ignored, the function runs without it: a project cannot set names with the prefix {prefix}"
                    );
                }
            }
        }
        let limits = pool.options.limits;
        let folder = &self.options.folder;
        let code = prepared.source.clone();
        let reading = move || (code.parts(), resolve::mention(&code, &SERVERS_OF_NODE));
        let (readable, uses_a_server_of_node) =
            tokio::task::spawn_blocking(reading).await.map_err(|error| error.to_string())?;
        let command = WorkerCommand {
            launcher: self.options.launcher.clone(),
            deno: self.deno().await?,
            cache: folder.join("cache"),
            deno_folder: self
                .account
                .cache(folder, &folder.join("cache"))
                .map_err(|error| format!("the cache of workers cannot be made: {error}"))?,
            account: self.account,
            preload: folder.join("preload.js"),
            readable,
            environment,
            denied: pool.options.denied.clone(),
            heap_megabytes: (limits.memory_bytes >> 20).max(1),
            server_socket: self.server_socket(),
            server_origins: self.options.server_origins.clone(),
            database: self.options.database.map(|database| (database.port(), self.database_socket())),
            ai: self.options.ai.as_ref().map(|server| (self.ai_socket(), server.embedding_model.clone())),
            uses_a_server_of_node,
            prepared,
        };
        let number = self.next_worker.fetch_add(1, Ordering::Relaxed);
        let files = WorkerFiles::within(self.in_run_folder(&number.to_string()));
        worker::start(&pool.name, &command, files, limits, Arc::clone(&pool.log))
            .map_err(|error| format!("Deno cannot be started: {error}"))
    }
}

/// Returns the name of the folder for the generated files of a function. Each version has a separate folder, because two versions may run
/// at the same time.
fn made_name(name: &str, version: Option<u64>) -> String {
    let version = version.map_or_else(|| "folder".to_owned(), |version| version.to_string());
    format!("{name}.{version}")
}

fn write_if_other(file: &Path, text: &str) -> io::Result<()> {
    match std::fs::read_to_string(file) {
        Ok(known) if known == text => Ok(()),
        _ => std::fs::write(file, text),
    }
}

/// Folder with Unix sockets: in the data folder, or in the system's temporary folder if the path would be too long for a socket.
#[derive(Debug)]
struct RunFolder {
    path: PathBuf,
    /// Guard that deletes the folder when it is dropped; `None` for a folder in the data folder.
    _temporary: Option<tempfile::TempDir>,
}

impl RunFolder {
    fn make(folder: &Path) -> io::Result<Self> {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join("run");
        if path.as_os_str().len() > MAX_RUN_PATH_BYTES {
            let temporary = tempfile::Builder::new().prefix("cloch-").tempdir()?;
            return Ok(Self { path: temporary.path().to_owned(), _temporary: Some(temporary) });
        }
        // Delete the folder that a killed process has left.
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => std::fs::create_dir_all(&path)?,
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700))?;
        Ok(Self { path, _temporary: None })
    }
}
