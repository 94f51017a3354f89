//! Applies changed settings to the running server (docs/decisions/0020-live-settings.md), after the dashboard has written the project's
//! configuration files and after SIGHUP.
//!
//! The configuration files are read and checked with the same code as when the server starts. Each service then prepares the parts that
//! depend on the new values, such as a router. The prepared parts replace the current parts only if all services have succeeded. A running
//! request continues to use the old parts.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cloch_core::Live;

use crate::config::{ChangedFiles, Config, Secrets};
use crate::error::{self, CommandError};

/// Function that makes a service use the settings that it has prepared.
pub type Commit = Box<dyn FnOnce() + Send>;
/// Function that prepares the settings of a service for a changed configuration. Changes nothing before the returned [`Commit`] is called.
pub type Prepare = Box<dyn Fn(&Config) -> Result<Commit, CommandError> + Send + Sync>;
/// Function that checks a configuration with the same rules as when the server starts.
pub type Check = fn(&Config, &Secrets) -> Result<(), CommandError>;

/// The configuration in effect, and the functions with which the services apply changed settings.
pub struct LiveSettings {
    config: Live<Config>,
    secrets: Secrets,
    check: Check,
    services: OnceLock<Vec<Prepare>>,
    /// Lock that allows one change at a time.
    turn: Mutex<()>,
}

/// Result of applying the project's configuration files.
#[derive(Debug, Default)]
pub struct Applied {
    /// Dotted keys whose new values are now in effect.
    pub keys: Vec<String>,
    /// Dotted keys whose new values take effect only after a restart.
    pub waiting: Vec<String>,
    /// Warnings about the content of the configuration files.
    pub warnings: Vec<String>,
}

impl fmt::Debug for LiveSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveSettings").finish_non_exhaustive()
    }
}

impl LiveSettings {
    /// Creates the live settings. `config` is the configuration with which the server starts.
    pub fn new(config: Arc<Config>, secrets: Secrets, check: Check) -> Self {
        Self { config: config.into(), secrets, check, services: OnceLock::new(), turn: Mutex::default() }
    }

    /// Sets the functions with which the services apply changed settings. Called when the server has started. Before this call,
    /// [`Self::apply`] fails.
    pub fn started(&self, services: Vec<Prepare>) {
        let _ = self.services.set(services);
    }

    /// Returns the configuration in effect: the configuration with which the server has started, with all settings that were applied since.
    pub fn config(&self) -> Arc<Config> {
        self.config.get()
    }

    /// Reads the project's configuration files and applies all settings that need no restart. Blocks the thread, because it reads files.
    ///
    /// # Errors
    /// When the server could not start with these files, or when the new values are invalid together with settings that need a restart.
    /// Then no setting changes.
    pub fn apply(&self) -> Result<Applied, CommandError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let services = self.services.get().ok_or("the server is still starting")?;
        let running = self.config();
        if running.is_inspection {
            return Err("this server shows a copy of the project, whose settings cannot be changed".into());
        }
        let next = running.next(&ChangedFiles::default())?;
        (self.check)(&next, &self.secrets)?;
        let applied = running.with_live_values_of(&next)?;
        let prepared = services.iter().map(|prepare| prepare(&applied)).collect::<Result<Vec<Commit>, _>>()?;
        let result = Applied {
            keys: running.tables.changed(&applied.tables),
            waiting: applied.tables.changed(&next.tables),
            warnings: next.warnings,
        };
        prepared.into_iter().for_each(|commit| commit());
        self.config.set(applied);
        Ok(result)
    }

    /// Applies the project's configuration files and logs the result. Called after SIGHUP.
    pub async fn reload(self: Arc<Self>) {
        let applied = tokio::task::spawn_blocking(move || self.apply()).await;
        match applied.map_err(CommandError::from).flatten() {
            Ok(Applied { keys, waiting, warnings }) => {
                warnings.iter().for_each(|warning| tracing::warn!("config: check the configuration: {warning}"));
                tracing::info!(
                    config.applied = keys.join(", "),
                    "config: settings of the project's files applied (SIGHUP)"
                );
                if !waiting.is_empty() {
                    let waiting = waiting.join(", ");
                    tracing::warn!(
                        config.waiting = waiting,
                        "config: changed settings need a restart, until then the values of the last start are in effect"
                    );
                }
            }
            Err(error) => tracing::error!(
                error = error::text(&*error),
                "config: applying the project's files failed (SIGHUP), the present settings stay in effect"
            ),
        }
    }
}
