//! Server process of the embedded PostgreSQL: starts, monitors, restarts and stops it.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use cloch_core::listen;
use tokio::process::{Child, Command};
use tokio::time::{MissedTickBehavior, interval};

use super::extensions::{self, ExtensionTree};
use super::server_log::ServerLog;
use super::{
    Account, Binaries, ClusterSettings, EmbeddedError, cluster, killed_upgrade, leftover, parameters, place,
    superuser_login, upgrade,
};
use crate::login::{Address, Login};

/// Maximum time for the server to start, including crash recovery.
const START_TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum time for the server to start after a restore: replaying the WAL of a day may take hours.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum time for the processes of a killed server to exit. An idle process exits at once. A process with a running query exits at its
/// next check for interrupts.
const OLD_PROCESSES_TIMEOUT: Duration = Duration::from_secs(30);
/// Time between two checks of the server log's size.
const LOG_CHECK_INTERVAL: Duration = Duration::from_secs(10);

/// Server process of one cluster folder.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) settings: ClusterSettings,
    folder: PathBuf,
    socket_folder: PathBuf,
    pub(super) binaries: Binaries,
    /// Folders from which the server reads the extensions that the project's owner may create. `None` if the folders could not be built:
    /// the server then reads the system's extensions.
    pub(super) extensions: Option<ExtensionTree>,
    account: Account,
    log: ServerLog,
    /// Set before the server is stopped, so that it is not restarted.
    pub(super) stopping: AtomicBool,
    /// Process ID of the running server; 0 if it does not run.
    pub(super) pid: AtomicI32,
}

impl Server {
    pub(super) fn prepare(settings: ClusterSettings) -> Result<(Self, bool), EmbeddedError> {
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
                tracing::warn!(%error, "database: preparing the folder of PostgreSQL's extensions failed, role postgres can create only extensions that PostgreSQL trusts")
            }
        }
        Ok((server, is_new))
    }

    pub(super) fn login(&self) -> Login {
        let address = Address::Socket(self.socket_folder.clone());
        superuser_login(address, self.settings.port, self.settings.password.clone())
    }

    /// Stops a server that a killed run of Cloch left running. This is safe, because this process holds the lock on the data folder, so no
    /// other Cloch process uses the server.
    fn stop_leftover(&self) {
        if leftover::is_running(&self.folder) {
            let _ = self.stop();
        } else {
            self.remove_socket_lock();
        }
    }

    /// Deletes the lock file of a Unix socket that no server uses. The file contains the process ID of the server that crashed, and PostgreSQL
    /// refuses to start while a process with that ID exists, even a zombie.
    pub(super) fn remove_socket_lock(&self) {
        let _ = std::fs::remove_file(self.socket_folder.join(format!(".s.PGSQL.{}.lock", self.settings.port)));
    }

    /// Waits while a connection of another program uses the port as its local port, because PostgreSQL would not wait but fail to start.
    pub(super) async fn await_port(&self) -> Result<(), EmbeddedError> {
        let port = self.settings.port;
        let bound = listen::bind(([127, 0, 0, 1], port).into()).await;
        bound.map(drop).map_err(|_| EmbeddedError::PortTaken { port })
    }

    /// Starts the server process and waits until it accepts connections. If processes of a killed server still use its shared memory, waits
    /// for their end and tries again.
    pub(super) async fn run(&self) -> Result<Child, EmbeddedError> {
        let deadline = Instant::now() + OLD_PROCESSES_TIMEOUT;
        loop {
            match self.run_once().await {
                Err(EmbeddedError::StillUsed { .. }) if Instant::now() < deadline => {
                    tracing::info!(
                        "database: waiting for processes of the killed PostgreSQL server to exit, then PostgreSQL starts"
                    );
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
        // Ctrl-C in a terminal signals the whole process group, but PostgreSQL must stop after Cloch. PostgreSQL therefore runs in a
        // separate process group, which does not receive the signal.
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
        // PostgreSQL writes this message if processes of an earlier server still use its shared memory (src/backend/storage/ipc).
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

    /// Waits until the server exits. While waiting, rotates the server log when it is too large.
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
                        tracing::warn!(%error, folder = %self.folder.display(), "database: rotating PostgreSQL's log file server.log failed, the file grows until a retry succeeds");
                    }
                }
            }
        }
    }

    pub(super) async fn watch(self: Arc<Self>, mut child: Child) {
        let mut delay = Duration::from_millis(100);
        loop {
            let status = self.wait(&mut child).await;
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
            let status = status.map(tracing::field::display);
            tracing::error!(
                status,
                "database: PostgreSQL exited unexpectedly, its connections are lost, restarting it (see db/server.log in the data folder)"
            );
            loop {
                tokio::time::sleep(delay).await;
                if self.stopping.load(Ordering::SeqCst) {
                    return;
                }
                match self.restart().await {
                    Ok(started) => {
                        child = started;
                        delay = Duration::from_millis(100);
                        tracing::info!("database: PostgreSQL restarted");
                        break;
                    }
                    Err(error) => {
                        tracing::error!(%error, "database: restarting PostgreSQL failed, the database stays unavailable, retrying within 10 s");
                        delay = (delay * 2).min(Duration::from_secs(10));
                    }
                }
            }
        }
    }

    async fn restart(self: &Arc<Self>) -> Result<Child, EmbeddedError> {
        // After the postmaster was killed with SIGKILL, its child processes may use the shared memory for a moment longer.
        let server = Arc::clone(self);
        let _ = tokio::task::spawn_blocking(move || server.stop_leftover()).await;
        self.await_port().await?;
        self.run().await
    }

    pub(super) fn stop(&self) -> Result<(), EmbeddedError> {
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
