//! Server process of the embedded PostgreSQL: starts, monitors, restarts and stops it.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use cloch_core::listen;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use super::extensions::{self, ExtensionTree};
use super::server_log::ServerLog;
use super::{
    Account, Binaries, ClusterSettings, EmbeddedError, cluster, hooks, killed_upgrade, leftover, parameters, place,
    port, superuser_login, upgrade,
};
use crate::login::{Address, Login};

/// Maximum time for the server to start, including crash recovery.
const START_TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum time for the server to start after a restore: replaying the WAL of a day may take hours.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum time for the processes of a killed server to exit. An idle process exits at once, a running query at its next check for
/// interrupts.
const OLD_PROCESSES_TIMEOUT: Duration = Duration::from_secs(30);
/// Time between two checks of the server log's size.
const LOG_CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// Running embedded cluster. Dropping it without [`Cluster::stop`] signals the server to stop, without waiting.
#[derive(Debug)]
pub struct Cluster {
    server: Arc<Server>,
    watcher: Option<JoinHandle<()>>,
    is_new: bool,
}

#[derive(Debug)]
struct Server {
    settings: ClusterSettings,
    folder: PathBuf,
    socket_folder: PathBuf,
    binaries: Binaries,
    /// Extension tree for the project's owner; `None` if the tree could not be built.
    extensions: Option<ExtensionTree>,
    account: Account,
    log: ServerLog,
    /// Set before the server is stopped, so that it is not restarted.
    stopping: AtomicBool,
    /// Process ID of the running server; 0 if it does not run.
    pid: AtomicI32,
}

impl Cluster {
    /// Starts the cluster in the settings' folder, and creates the cluster first if it is missing. A server that a killed run of Cloch left
    /// behind is stopped first.
    ///
    /// # Errors
    /// See [`EmbeddedError`]; each message explains what to do.
    pub async fn start(settings: ClusterSettings) -> Result<Self, EmbeddedError> {
        Self::start_on(settings, None).await
    }

    /// Starts the cluster like [`Cluster::start`], but on the next free port if another program uses the settings' port. PostgreSQL itself
    /// binds the port: between a check and the start, another program could take it. `reserved` is a port that is never chosen.
    ///
    /// # Errors
    /// See [`EmbeddedError`]; each message explains what to do.
    pub async fn start_on_free_port(settings: ClusterSettings, reserved: u16) -> Result<Self, EmbeddedError> {
        Self::start_on(settings, Some(reserved)).await
    }

    async fn start_on(settings: ClusterSettings, reserved: Option<u16>) -> Result<Self, EmbeddedError> {
        let (server, is_new) = tokio::task::spawn_blocking(move || Server::prepare(settings))
            .await
            .map_err(|error| EmbeddedError::Failed { program: "initdb", output: error.to_string() })??;
        // Created before the server runs, so that an aborted start (a signal) drops it and stops the server.
        let mut cluster = Self { server: Arc::new(server), watcher: None, is_new };
        let child = match reserved {
            Some(reserved) => cluster.run_on_free_port(reserved).await?,
            None => {
                cluster.server.await_port().await?;
                cluster.run().await?
            }
        };
        cluster.secure_without_hooks().await?;
        cluster.watcher = Some(tokio::spawn(Arc::clone(&cluster.server).watch(child)));
        Ok(cluster)
    }

    /// Starts the server on the first port that PostgreSQL can bind.
    async fn run_on_free_port(&mut self, reserved: u16) -> Result<Child, EmbeddedError> {
        let preferred = self.server.settings.port;
        for port in port::candidates(preferred, reserved).filter(|port| port::seems_free(*port)) {
            if let Some(server) = Arc::get_mut(&mut self.server) {
                server.settings.port = port;
                server.remove_socket_lock();
            }
            match self.run().await {
                Err(EmbeddedError::PortTaken { .. }) => {}
                outcome => return outcome,
            }
        }
        Err(EmbeddedError::PortTaken { port: preferred })
    }

    /// Starts the server. If the start fails, starts the server without preloaded libraries and without the extension tree.
    async fn run(&mut self) -> Result<Child, EmbeddedError> {
        let failure = match self.server.run().await {
            Err(EmbeddedError::Failed { output, .. }) => output,
            outcome => return outcome,
        };
        let plain = Arc::get_mut(&mut self.server).map(|server| {
            server.extensions = None;
            server.binaries.preloads = false;
        });
        let child = self.server.run().await?;
        if plain.is_some() {
            tracing::error!(
                "PostgreSQL: start with preloaded extension libraries failed, started without these libraries; extensions that need preloaded \
                 libraries do not work. Output of the failed start: {failure}"
            );
        }
        Ok(child)
    }

    /// Disables event triggers that rely on the library `cloch_hooks` if the server runs without the library. An error ends the start: an
    /// enabled event trigger of role postgres would run as superuser in Cloch's own sessions.
    async fn secure_without_hooks(&self) -> Result<(), EmbeddedError> {
        if self.server.extensions.as_ref().is_some_and(|tree| tree.hooks.is_some()) {
            return Ok(());
        }
        tracing::info!(
            "database: library cloch_hooks for version {} not loaded, role postgres cannot create event triggers, publications for all tables \
             or foreign-data wrappers, and cannot move extensions to another schema (docs/role-postgres.md)",
            self.server.binaries.version
        );
        let disabled = hooks::disable_event_triggers(&self.server.login()).await?;
        if !disabled.is_empty() {
            tracing::warn!(
                "database: event triggers disabled because library cloch_hooks is not loaded: {}. With the library, `alter event trigger … \
                 enable` enables them again",
                disabled.join(", ")
            );
        }
        Ok(())
    }

    /// Whether this start created the cluster.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns the TCP port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.server.settings.port
    }

    /// Returns the login of the superuser over the Unix socket.
    #[must_use]
    pub fn login(&self) -> Login {
        self.server.login()
    }

    /// Stops the server with a fast shutdown: running statements are cancelled, and committed data is written to disk.
    pub async fn stop(mut self) {
        self.server.stopping.store(true, Ordering::SeqCst);
        let server = Arc::clone(&self.server);
        let stopped = tokio::task::spawn_blocking(move || server.stop()).await;
        if !matches!(stopped, Ok(Ok(()))) {
            tracing::warn!("PostgreSQL did not stop cleanly, the next start runs crash recovery");
        }
        if let Some(watcher) = self.watcher.take() {
            let _ = tokio::time::timeout(Duration::from_secs(10), watcher).await;
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.server.stopping.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(pid) = Pid::from_raw(self.server.pid.load(Ordering::SeqCst)) {
            // SIGINT is PostgreSQL's fast shutdown.
            let _ = kill_process(pid, Signal::INT);
        }
    }
}

impl Server {
    fn prepare(settings: ClusterSettings) -> Result<(Self, bool), EmbeddedError> {
        let account = Account::choose();
        if let Some(parent) = settings.folder.parent() {
            std::fs::create_dir_all(parent).map_err(EmbeddedError::io(parent))?;
        }
        let folder = account.cluster_folder(&settings.folder)?;
        killed_upgrade::end(&folder)?;
        let version = cluster::version(&folder);
        let binaries = Binaries::find(&settings, version.as_deref())?;
        account.must_reach(&binaries.folder)?;
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
        if !is_new {
            upgrade::tell_of_newer(&settings, &binaries);
        }
        place::note_link(&settings.folder, &folder, account)?;
        let socket_folder = place::socket_folder(&folder, account)?;
        let log = ServerLog::new(&folder, account);
        let (stopping, pid) = (AtomicBool::new(false), AtomicI32::new(0));
        let extensions = None;
        let mut server = Self { settings, folder, socket_folder, binaries, extensions, account, log, stopping, pid };
        server.stop_leftover();
        match extensions::prepare(&server.folder, &server.binaries) {
            Ok(tree) => server.extensions = Some(tree),
            Err(error) => {
                tracing::warn!(%error, "PostgreSQL: preparing the extension folder failed, role postgres can create only extensions that PostgreSQL trusts")
            }
        }
        Ok((server, is_new))
    }

    fn login(&self) -> Login {
        let address = Address::Socket(self.socket_folder.clone());
        superuser_login(address, self.settings.port, self.settings.password.clone())
    }

    /// Stops a server that a killed run of Cloch left behind. This process holds the lock on the data folder, so no other Cloch uses the
    /// server.
    fn stop_leftover(&self) {
        if leftover::is_running(&self.folder) {
            let _ = self.stop();
        } else {
            self.remove_socket_lock();
        }
    }

    /// Deletes the lock file of a Unix socket that no server uses. The file contains the process ID of the server that crashed, and PostgreSQL
    /// refuses to start while a process with that ID exists, even a zombie.
    fn remove_socket_lock(&self) {
        let _ = std::fs::remove_file(self.socket_folder.join(format!(".s.PGSQL.{}.lock", self.settings.port)));
    }

    /// Waits while the port is the local port of another program's connection, because PostgreSQL would fail at once.
    async fn await_port(&self) -> Result<(), EmbeddedError> {
        let port = self.settings.port;
        let bound = listen::bind(([127, 0, 0, 1], port).into()).await;
        bound.map(drop).map_err(|_| EmbeddedError::PortTaken { port })
    }

    /// Starts the server process and waits until it accepts connections. Waits for processes of a killed server that still use its memory.
    async fn run(&self) -> Result<Child, EmbeddedError> {
        let deadline = Instant::now() + OLD_PROCESSES_TIMEOUT;
        loop {
            match self.run_once().await {
                Err(EmbeddedError::StillUsed { .. }) if Instant::now() < deadline => {
                    tracing::info!("PostgreSQL: waiting for processes of the killed server to exit");
                    tokio::time::sleep(Duration::from_millis(250)).await;
                }
                outcome => return outcome,
            }
        }
    }

    async fn run_once(&self) -> Result<Child, EmbeddedError> {
        let (log, log_begins) = self.log.open().map_err(EmbeddedError::io(&self.folder))?;
        let errors = log.try_clone().map_err(EmbeddedError::io(&self.folder))?;
        let postgres =
            self.extensions.as_ref().map_or_else(|| self.binaries.program("postgres"), |tree| tree.postgres.clone());
        let mut command = Command::from(self.account.command(&postgres));
        command.arg("-D").arg(&self.folder).current_dir("/");
        for (name, value) in
            parameters::of(&self.settings, &self.socket_folder, &self.binaries, self.extensions.as_ref())
        {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command.stdin(Stdio::null()).stdout(Stdio::from(log)).stderr(Stdio::from(errors));
        // Ctrl-C in a terminal signals the whole process group, but PostgreSQL must stop after Cloch. A separate process group keeps the
        // signal from PostgreSQL.
        command.process_group(0);
        let mut child = command.spawn().map_err(EmbeddedError::io(postgres))?;
        self.pid.store(child.id().and_then(|pid| i32::try_from(pid).ok()).unwrap_or(0), Ordering::SeqCst);
        self.await_ready(&mut child, log_begins).await?;
        Ok(child)
    }

    async fn await_ready(&self, child: &mut Child, log_begins: u64) -> Result<(), EmbeddedError> {
        let socket = self.socket_folder.join(format!(".s.PGSQL.{}", self.settings.port));
        let is_restored = self.folder.join("recovery.signal").exists();
        let deadline = Instant::now() + if is_restored { RESTORE_TIMEOUT } else { START_TIMEOUT };
        loop {
            if let Ok(Some(_)) = child.try_wait() {
                return Err(self.start_failure(log_begins));
            }
            if socket.exists() && self.accepts().await {
                return Ok(());
            }
            if Instant::now() > deadline {
                let _ = child.start_kill();
                return Err(self.start_failure(log_begins));
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

    fn start_failure(&self, log_begins: u64) -> EmbeddedError {
        let output = self.log.tail(log_begins);
        if output.contains("Address already in use") {
            return EmbeddedError::PortTaken { port: self.settings.port };
        }
        // PostgreSQL's message about the memory of the process ID in postmaster.pid (src/backend/storage/ipc).
        if output.contains("pre-existing shared memory block") {
            return EmbeddedError::StillUsed { folder: self.folder.clone() };
        }
        if output.contains("Permission denied")
            && let Err(closed) = self.account.must_enter(&self.folder)
        {
            return closed;
        }
        EmbeddedError::failed("postgres", &self.folder, &output)
    }

    /// Waits until the server exits, and rotates its log in the meantime.
    async fn wait(self: &Arc<Self>, child: &mut Child) -> Option<std::process::ExitStatus> {
        let mut look = interval(LOG_CHECK_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                status = child.wait() => {
                    self.pid.store(0, Ordering::SeqCst);
                    return status.ok();
                }
                _ = look.tick() => {
                    let server = Arc::clone(self);
                    if let Ok(Err(error)) = tokio::task::spawn_blocking(move || server.log.rotate()).await {
                        tracing::warn!(%error, folder = %self.folder.display(), "PostgreSQL: rotating its log file server.log failed, retrying");
                    }
                }
            }
        }
    }

    async fn watch(self: Arc<Self>, mut child: Child) {
        let mut delay = Duration::from_millis(100);
        loop {
            let status = self.wait(&mut child).await;
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
            tracing::error!(?status, "PostgreSQL exited unexpectedly, restarting it (see server.log)");
            loop {
                tokio::time::sleep(delay).await;
                if self.stopping.load(Ordering::SeqCst) {
                    return;
                }
                match self.restart().await {
                    Ok(started) => {
                        child = started;
                        delay = Duration::from_millis(100);
                        tracing::info!("PostgreSQL restarted");
                        break;
                    }
                    Err(error) => {
                        tracing::error!(%error, "database: restarting PostgreSQL failed, retrying");
                        delay = (delay * 2).min(Duration::from_secs(10));
                    }
                }
            }
        }
    }

    async fn restart(self: &Arc<Self>) -> Result<Child, EmbeddedError> {
        // After SIGKILL of the postmaster, its child processes may still use the shared memory for a moment.
        let server = Arc::clone(self);
        let _ = tokio::task::spawn_blocking(move || server.stop_leftover()).await;
        self.await_port().await?;
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
