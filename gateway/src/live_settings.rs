//! Applies changed settings to the running server (docs/decisions/0020-live-settings.md). This is done when the dashboard has written the
//! project's files, and after SIGHUP.
//!
//! The files are read and checked with the code of the server's start. Each service prepares the parts that depend on the new values, such as
//! a router. Only if all services have succeeded, the prepared parts replace the present parts. A request that is running keeps the old
//! parts.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cloch_core::Live;

use crate::config::{ChangedFiles, Config, Secrets};
use crate::error::{self, CommandError};

/// Function that puts the prepared settings of a service into effect.
pub type Commit = Box<dyn FnOnce() + Send>;
/// Function that prepares the settings of a service for a changed configuration. Changes nothing before the returned [`Commit`] is called.
pub type Prepare = Box<dyn Fn(&Config) -> Result<Commit, CommandError> + Send + Sync>;
/// Function that checks a configuration as the server's start does.
pub type Check = fn(&Config, &Secrets) -> Result<(), CommandError>;

/// The configuration in effect, and the services to which changes are applied.
pub struct LiveSettings {
    config: Live<Config>,
    secrets: Secrets,
    check: Check,
    services: OnceLock<Vec<Prepare>>,
    /// Lock that allows one change at a time.
    turn: Mutex<()>,
}

/// Result of applying the project's files.
#[derive(Debug, Default)]
pub struct Applied {
    /// Dotted keys whose new values are now in effect.
    pub keys: Vec<String>,
    /// Dotted keys whose new values take effect only after a restart.
    pub waiting: Vec<String>,
    /// Warnings of reading the files.
    pub warnings: Vec<String>,
}

impl fmt::Debug for LiveSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveSettings").finish_non_exhaustive()
    }
}

impl LiveSettings {
    /// Creates the live settings with the configuration of the server's start.
    pub fn new(config: Arc<Config>, secrets: Secrets, check: Check) -> Self {
        Self { config: config.into(), secrets, check, services: OnceLock::new(), turn: Mutex::default() }
    }

    /// Sets the services, after the server has started. Before this call, changes of settings are refused.
    pub fn started(&self, services: Vec<Prepare>) {
        let _ = self.services.set(services);
    }

    /// Returns the configuration in effect: the configuration of the server's start, with the changes applied since.
    pub fn config(&self) -> Arc<Config> {
        self.config.get()
    }

    /// Reads the project's files and applies all settings that need no restart. Blocks the thread, because it reads files.
    ///
    /// # Errors
    /// When the server would refuse to start with the files, or the new values are invalid in combination with settings that need a restart.
    /// In these cases nothing changes.
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

    /// Applies the project's files and logs the result. Called after SIGHUP.
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
