//! The server process: started, watched, started again when it dies, stopped cleanly.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use super::{Account, Binaries, ClusterSettings, EmbeddedError, SUPERUSER, cluster};
use crate::database::{Address, Login, SslMode};

/// A socket's path may have 107 bytes (sockaddr_un); longer data folders put it under /tmp.
const LONGEST_SOCKET_FOLDER: usize = 85;
/// Recovery after a crash may take a while; without progress for this long the start is given up.
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// A running embedded cluster.
#[derive(Debug)]
pub struct Cluster {
    server: Arc<Server>,
    stopping: Arc<AtomicBool>,
    watcher: JoinHandle<()>,
    is_new: bool,
}

#[derive(Debug)]
struct Server {
    settings: ClusterSettings,
    folder: PathBuf,
    socket_folder: PathBuf,
    binaries: Binaries,
    account: Account,
}

impl Cluster {
    /// Starts the cluster in the settings' folder, making it first if there is none. A server that a killed run left behind is stopped
    /// first.
    ///
    /// # Errors
    /// See [`EmbeddedError`]; each says what to do.
    pub async fn start(settings: ClusterSettings) -> Result<Self, EmbeddedError> {
        let (server, is_new) = tokio::task::spawn_blocking(move || Server::prepare(settings))
            .await
            .map_err(|error| EmbeddedError::Failed { program: "initdb", output: error.to_string() })??;
        let server = Arc::new(server);
        let child = server.run().await?;
        let stopping = Arc::new(AtomicBool::new(false));
        let watcher = tokio::spawn(Arc::clone(&server).watch(child, Arc::clone(&stopping)));
        Ok(Self { server, stopping, watcher, is_new })
    }

    /// Whether this start made the cluster.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// How the superuser logs in, over the unix socket.
    #[must_use]
    pub fn login(&self) -> Login {
        self.server.login()
    }

    /// Stops the server: running statements are cancelled, everything committed is on disk.
    pub async fn stop(self) {
        self.stopping.store(true, Ordering::SeqCst);
        let server = Arc::clone(&self.server);
        let stopped = tokio::task::spawn_blocking(move || server.stop()).await;
        if !matches!(stopped, Ok(Ok(()))) {
            tracing::warn!("the database did not stop cleanly; it recovers at the next start");
        }
        let _ = tokio::time::timeout(Duration::from_secs(10), self.watcher).await;
    }
}

impl Server {
    fn prepare(settings: ClusterSettings) -> Result<(Self, bool), EmbeddedError> {
        let account = Account::choose();
        if let Some(parent) = settings.folder.parent() {
            std::fs::create_dir_all(parent).map_err(EmbeddedError::io(parent))?;
        }
        let folder = account.reachable(&settings.folder)?;
        let version = cluster::version(&folder);
        let binaries = Binaries::find(&settings, version.as_deref())?;
        let is_new = version.is_none();
        match version {
            None => cluster::create(&folder, &settings, &binaries, account)?,
            Some(found) if found != binaries.version => {
                return Err(EmbeddedError::OtherVersion {
                    folder,
                    found,
                    available: binaries.version,
                    binaries: binaries.folder,
                });
            }
            Some(_) => {}
        }
        let socket_folder = socket_folder(&folder, account)?;
        let server = Self { settings, folder, socket_folder, binaries, account };
        if server.folder.join("postmaster.pid").exists() {
            // A server outlives a Cloch that was killed. The lock on the data folder is ours, so nobody else uses it.
            let _ = server.stop();
        }
        Ok((server, is_new))
    }

    fn login(&self) -> Login {
        Login {
            address: Address::Socket(self.socket_folder.clone()),
            port: self.settings.port,
            user: SUPERUSER.to_owned(),
            password: self.settings.password.clone(),
            database: "postgres".to_owned(),
            ssl_mode: SslMode::Disable,
            ssl_root_cert: None,
            keep_statements: true,
        }
    }

    fn log_path(&self) -> PathBuf {
        self.folder.join("server.log")
    }

    async fn run(&self) -> Result<Child, EmbeddedError> {
        let port = self.settings.port;
        // Asked here because the server's own message about it is one of many in its log.
        TcpListener::bind(("127.0.0.1", port)).map_err(|_| EmbeddedError::PortTaken { port })?;
        let log_path = self.log_path();
        let log = File::create(&log_path).map_err(EmbeddedError::io(&log_path))?;
        self.account.own(&log_path)?;
        let errors = log.try_clone().map_err(EmbeddedError::io(&log_path))?;
        let mut command = Command::from(self.account.command(&self.binaries.program("postgres")));
        command.arg("-D").arg(&self.folder).current_dir("/");
        for (name, value) in self.parameters() {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command.stdin(Stdio::null()).stdout(Stdio::from(log)).stderr(Stdio::from(errors));
        // A terminal's Ctrl-C goes to the whole process group: the database must stop after Cloch, not with it.
        command.process_group(0);
        let mut child = command.spawn().map_err(EmbeddedError::io(self.binaries.program("postgres")))?;
        self.await_ready(&mut child).await?;
        Ok(child)
    }

    fn parameters(&self) -> Vec<(String, String)> {
        let fixed = [
            ("listen_addresses", "127.0.0.1".to_owned()),
            ("port", self.settings.port.to_string()),
            ("unix_socket_directories", self.socket_folder.display().to_string()),
            ("unix_socket_permissions", "0700".to_owned()),
            ("password_encryption", "scram-sha-256".to_owned()),
            ("wal_level", "logical".to_owned()),
            ("timezone", "UTC".to_owned()),
            ("log_timezone", "UTC".to_owned()),
            ("log_statement", "none".to_owned()),
            // Statements may carry personal data: the log names errors, not their texts.
            ("log_min_error_statement", "panic".to_owned()),
            ("jit", "off".to_owned()),
            ("max_connections", "100".to_owned()),
        ];
        let own = self.settings.parameters.iter().cloned();
        fixed.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(own).collect()
    }

    async fn await_ready(&self, child: &mut Child) -> Result<(), EmbeddedError> {
        let socket = self.socket_folder.join(format!(".s.PGSQL.{}", self.settings.port));
        let deadline = Instant::now() + START_TIMEOUT;
        loop {
            if let Ok(Some(_)) = child.try_wait() {
                return Err(self.start_failure());
            }
            if socket.exists() && self.accepts().await {
                return Ok(());
            }
            if Instant::now() > deadline {
                let _ = child.start_kill();
                return Err(self.start_failure());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn accepts(&self) -> bool {
        use sqlx::{ConnectOptions, Connection};
        match self.login().sqlx_options().connect().await {
            Ok(connection) => connection.close().await.is_ok(),
            Err(_) => false,
        }
    }

    fn start_failure(&self) -> EmbeddedError {
        let log = std::fs::read(self.log_path()).unwrap_or_default();
        EmbeddedError::failed("postgres", &self.folder, &String::from_utf8_lossy(&log))
    }

    async fn watch(self: Arc<Self>, mut child: Child, stopping: Arc<AtomicBool>) {
        let mut delay = Duration::from_millis(100);
        loop {
            let status = child.wait().await;
            if stopping.load(Ordering::SeqCst) {
                return;
            }
            tracing::error!(status = ?status.ok(), "the database server died; starting it again");
            loop {
                tokio::time::sleep(delay).await;
                if stopping.load(Ordering::SeqCst) {
                    return;
                }
                match self.restart().await {
                    Ok(started) => {
                        child = started;
                        delay = Duration::from_millis(100);
                        tracing::info!("the database server is back");
                        break;
                    }
                    Err(error) => {
                        tracing::error!(%error, "the database server could not be started again");
                        delay = (delay * 2).min(Duration::from_secs(10));
                    }
                }
            }
        }
    }

    async fn restart(self: &Arc<Self>) -> Result<Child, EmbeddedError> {
        // After SIGKILL of the postmaster its children may still hold the shared memory for a moment.
        let server = Arc::clone(self);
        let _ = tokio::task::spawn_blocking(move || server.stop()).await;
        self.run().await
    }

    fn stop(&self) -> Result<(), EmbeddedError> {
        let output = self
            .account
            .command(&self.binaries.program("pg_ctl"))
            .args(["stop", "--mode=fast", "--wait", "--timeout=60", "--silent", "-D"])
            .arg(&self.folder)
            .current_dir("/")
            .output()
            .map_err(EmbeddedError::io(self.binaries.program("pg_ctl")))?;
        if output.status.success() {
            return Ok(());
        }
        Err(EmbeddedError::failed("pg_ctl stop", &self.folder, &String::from_utf8_lossy(&output.stderr)))
    }
}

fn socket_folder(folder: &Path, account: Account) -> Result<PathBuf, EmbeddedError> {
    if folder.as_os_str().len() <= LONGEST_SOCKET_FOLDER {
        return Ok(folder.to_owned());
    }
    let name: String = folder.to_string_lossy().chars().rev().filter(char::is_ascii_alphanumeric).take(40).collect();
    let short = std::env::temp_dir().join(format!("cloch-{name}"));
    account.make_folder(&short)?;
    Ok(short)
}
