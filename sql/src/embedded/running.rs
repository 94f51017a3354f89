//! Running embedded PostgreSQL: handle of its server process.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Child;
use tokio::task::JoinHandle;

use super::process::Server;
use super::{ClusterSettings, EmbeddedError, hooks, port};
use crate::login::Login;

/// A running embedded cluster. If the value is dropped without a call of [`Cluster::stop`], the server receives the signal to stop, but the
/// program does not wait until the server has stopped.
#[derive(Debug)]
pub struct Cluster {
    server: Arc<Server>,
    watcher: Option<JoinHandle<()>>,
    is_new: bool,
}

impl Cluster {
    /// Starts the cluster in the folder that the settings name, and creates the cluster first if it is missing. If a killed run of Cloch
    /// left a server running in this folder, that server is stopped first.
    ///
    /// # Errors
    /// See [`EmbeddedError`]; each message explains what to do.
    pub async fn start(settings: ClusterSettings) -> Result<Self, EmbeddedError> {
        Self::start_on(settings, None).await
    }

    /// Starts the cluster in the folder that the settings name, and creates the cluster first if it is missing. If another program uses the
    /// port of the settings, tries the next ports; the port `reserved` is never used. A port counts as free only after PostgreSQL has bound
    /// it, because another program could take the port after a mere check.
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
        // The value is created before the server runs: if a signal aborts the start, the value is dropped, which stops the server.
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

    /// Starts the server. If the start fails, starts the server without preloaded libraries and without the extension tree (the folders of
    /// extensions that the project's owner may create).
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
                error = %failure,
                "database: starting PostgreSQL with preloaded extension libraries failed, started without these libraries: extensions that \
                 need preloaded libraries do not work"
            );
        }
        Ok(child)
    }

    /// If the server runs without the library `cloch_hooks`, disables the event triggers that rely on this library.
    ///
    /// # Errors
    /// Fails if an event trigger cannot be disabled. The start must then end, because an enabled event trigger of role postgres would run
    /// as superuser in Cloch's own sessions.
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
            tracing::warn!("database: PostgreSQL not stopped cleanly, the next start runs crash recovery");
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
