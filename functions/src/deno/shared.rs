//! What all functions share: Deno, the cache, this server's socket, and the thread that starts processes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use cloch_core::Secret;
use tokio::net::UnixListener;
use tokio::sync::Mutex;

use super::account::WorkerAccount;
use super::ai::{self, AiServer};
use super::imports::{self, Prepared, Preparing};
use super::pool::Pool;
use super::runtime::Places;
use super::server_socket;
use super::supervisor::Supervisor;
use super::worker::{self, Worker, WorkerCommand, WorkerFiles};
use crate::source::{Source, reserved_prefix};

/// The script that runs before every function.
const PRELOAD: &str = include_str!("preload.js");
/// Modules of this program that stand in for others.
const MODULES: [(&str, &str); 3] = [
    ("http_server.js", include_str!("modules/http_server.js")),
    ("base64.js", include_str!("modules/base64.js")),
    ("empty.js", include_str!("modules/empty.js")),
];
/// What code that listens with Node's `http` has in it: `app.listen(…)`, or a package that calls it.
const SERVERS_OF_NODE: [&str; 2] = [".listen(", "node-server"];
/// Bytes of a Unix socket's path that systems allow, less the name of a worker's socket.
const MAX_RUN_PATH_BYTES: usize = 70;

/// What the gateway says about the machine and the server.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// The project's folder.
    pub project: PathBuf,
    /// The folder for caches, versions and logs.
    pub folder: PathBuf,
    /// Where Deno may be.
    pub deno: Places,
    /// This program with the arguments by which it becomes a worker.
    pub launcher: Vec<OsString>,
    /// What every function finds in its environment: addresses and keys of this server.
    pub environment: BTreeMap<String, Secret>,
    /// What downloads may see of this program's environment: proxies, certificates, registries.
    pub download_environment: Vec<(String, OsString)>,
    /// Where this server listens.
    pub server: SocketAddr,
    /// Where the project's database listens on this machine; `None` where it is elsewhere.
    pub database: Option<SocketAddr>,
    /// The server's addresses as functions may write them, without a trailing slash.
    pub server_origins: Vec<String>,
    /// What answers `Supabase.ai`.
    pub ai: Option<AiServer>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) options: EngineOptions,
    account: WorkerAccount,
    pub(crate) supervisor: Supervisor,
    /// The sockets and temporary folders of workers; nobody else may enter.
    run: OnceLock<RunFolder>,
    /// The project's secrets, which a function's own variables go before.
    pub(crate) secrets: RwLock<Arc<BTreeMap<String, Secret>>>,
    deno: Mutex<()>,
    found: RwLock<Option<PathBuf>>,
    next_worker: AtomicU64,
}

impl Shared {
    pub(crate) fn new(options: EngineOptions) -> io::Result<Self> {
        let folder = &options.folder;
        for part in ["cache/npm", "modules", "made", "logs", "versions"] {
            std::fs::create_dir_all(folder.join(part))?;
        }
        write_if_other(&folder.join("preload.js"), PRELOAD)?;
        for (name, text) in MODULES {
            write_if_other(&folder.join("modules").join(name), text)?;
        }
        Ok(Self {
            account: WorkerAccount::choose(folder),
            supervisor: Supervisor::start()?,
            run: OnceLock::new(),
            secrets: RwLock::default(),
            deno: Mutex::new(()),
            found: RwLock::new(None),
            next_worker: AtomicU64::new(0),
            options,
        })
    }

    /// Makes the folder of sockets, and passes what workers ask of this server on to it.
    pub(crate) fn serve_socket(&self) {
        let made =
            RunFolder::make(&self.options.folder).and_then(|folder| self.account.admit(&folder.path).map(|()| folder));
        match made {
            Ok(folder) => drop(self.run.set(folder)),
            Err(error) => {
                tracing::error!(%error, "creating the folder for functions' sockets failed");
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

    /// Serves a socket that workers may connect to.
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
                tracing::error!(%error, "functions cannot reach {what}");
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

    /// Deno's program, found or fetched once.
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

    /// Prepares a function's imports; without the network where nothing has changed.
    pub(crate) async fn prepare(&self, name: &str, source: &Source) -> Result<Prepared, String> {
        let deno = self.deno().await?;
        let folder = &self.options.folder;
        let made = folder.join("made");
        let preparing = Preparing {
            deno: &deno,
            cache: &folder.join("cache"),
            modules: &folder.join("modules"),
            made: &made.join(made_name(name, source.version)),
            known_lock: &made.join(made_name(name, None)).join("deno.lock"),
            environment: &self.options.download_environment,
        };
        preparing.prepare(source).await.map_err(|error| error.to_string())
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
                    tracing::warn!(function = %pool.name, "the variable {name} is left out: a project cannot set {prefix}");
                }
            }
        }
        let limits = pool.options.limits;
        let folder = &self.options.folder;
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
            prepared,
            readable: source.parts(),
            environment,
            denied: pool.options.denied.clone(),
            heap_megabytes: (limits.memory_bytes >> 20).max(1),
            server_socket: self.server_socket(),
            server_origins: self.options.server_origins.clone(),
            database: self.options.database.map(|database| (database.port(), self.database_socket())),
            ai: self.options.ai.as_ref().map(|server| (self.ai_socket(), server.embedding_model.clone())),
            uses_a_server_of_node: imports::mention(source, &SERVERS_OF_NODE),
        };
        let number = self.next_worker.fetch_add(1, Ordering::Relaxed);
        let files = WorkerFiles::within(self.in_run_folder(&number.to_string()));
        worker::start(&pool.name, &command, files, limits, Arc::clone(&pool.log))
            .map_err(|error| format!("Deno cannot be started: {error}"))
    }
}

/// Each version has made files of its own: two of them may run at once.
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

/// The folder of sockets: within the data folder, or below the system's temporary one where that path would be too long for a socket.
#[derive(Debug)]
struct RunFolder {
    path: PathBuf,
    /// Removed with the program.
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
        // Of a program that was killed.
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => std::fs::create_dir_all(&path)?,
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700))?;
        Ok(Self { path, _temporary: None })
    }
}
