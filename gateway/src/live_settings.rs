//! Applies changed settings to the running server (docs/decisions/0020-live-settings.md): the dashboard after it has written the project's
//! files, and SIGHUP.
//!
//! The files are read and checked with the code of the start. Each service prepares what it needs for the new values; only if all services
//! have succeeded, the prepared parts replace the present ones. A request keeps the parts with which it began.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cloch_core::Live;

use crate::config::{ChangedFiles, Config, Secrets};
use crate::error::{self, CommandError};

/// Puts prepared settings of a service into effect.
pub type Commit = Box<dyn FnOnce() + Send>;
/// Prepares the settings of a service for a changed configuration.
pub type Prepare = Box<dyn Fn(&Config) -> Result<Commit, CommandError> + Send + Sync>;
/// Checks of a configuration that the start makes.
pub type Check = fn(&Config, &Secrets) -> Result<(), CommandError>;

/// The configuration in effect, and the services that apply changes of it.
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
    /// Dotted keys whose new values are in effect.
    pub keys: Vec<String>,
    /// Dotted keys whose values in the files are in effect only after a restart.
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
    /// Creates the settings of the start.
    pub fn new(config: Arc<Config>, secrets: Secrets, check: Check) -> Self {
        Self { config: config.into(), secrets, check, services: OnceLock::new(), turn: Mutex::default() }
    }

    /// Adds the services, after the start. Changes before that are refused.
    pub fn started(&self, services: Vec<Prepare>) {
        let _ = self.services.set(services);
    }

    /// Returns the configuration in effect: that of the start, with the applied changes.
    pub fn config(&self) -> Arc<Config> {
        self.config.get()
    }

    /// Reads the project's files and applies all settings that need no restart. Reads files, so it blocks.
    ///
    /// # Errors
    /// A configuration that the start would refuse, or new values that do not fit the settings that need a restart. Then nothing has changed.
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

    /// Applies the project's files and logs the result, for SIGHUP.
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
