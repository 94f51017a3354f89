//! Settings of this node, and the node's state for changes that owners make on other nodes. `settings/nodes` applies these changes.

mod memory;

use std::path::PathBuf;
use std::sync::Arc;

use sqlx::PgPool;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;
use uuid::Uuid;

pub(in crate::dashboard) use memory::{Memory, Problem};

use super::Keys;
use crate::config::{Config, ConfigError, Secrets};
use crate::error::CommandError;
use crate::live_settings::LiveSettings;

/// The settings files, with the keys and functions that are needed to check and apply a change of the files.
#[derive(Debug)]
pub struct SettingsFiles {
    /// Configuration with which the server was started.
    pub config: Arc<Config>,
    /// Settings in effect.
    pub live_settings: Arc<LiveSettings>,
    /// Keys and secrets of the project. They are needed to check a configuration.
    pub secrets: Secrets,
    /// Keys that encrypt a change for the other nodes.
    pub keys: Keys,
    /// Functions that check a configuration.
    pub checks: ConfigChecks,
}

/// Functions that both the server's start and the settings endpoints use. They are passed as function pointers, because the modules that
/// start the server import the dashboard, so the dashboard must not import these modules.
#[derive(Clone, Copy, Debug)]
pub struct ConfigChecks {
    /// Checks the settings that other crates parse, and the files that config.toml refers to.
    pub check: fn(&Config, &Secrets) -> Result<(), CommandError>,
    /// Returns the mail settings.
    pub mail: fn(&Config) -> Result<cloch_mail::Settings, ConfigError>,
}

const HOST_FILE: &str = "/proc/sys/kernel/hostname";

/// Returns the name that operators see for this node: host name and port.
pub(in crate::dashboard) fn node_name(port: u16) -> String {
    let host = std::fs::read_to_string(HOST_FILE).unwrap_or_default();
    format!("{}:{port}", host.trim())
}

/// Settings of this node. Changes that are made on other nodes are applied to them.
#[derive(Debug)]
pub struct SettingsNodes {
    pub(in crate::dashboard) files: Arc<SettingsFiles>,
    pub(in crate::dashboard) pool: PgPool,
    /// Data folder of this node.
    pub(in crate::dashboard) data: PathBuf,
    /// See [`node_name`].
    pub(in crate::dashboard) name: String,
    /// Random id of this process. If two processes use the same node id, the data folder of one was copied from the other.
    pub(in crate::dashboard) process: Uuid,
    /// Lock that allows one change of the files at a time.
    pub(in crate::dashboard) state: Mutex<State>,
}

/// State of this node, protected by the lock.
#[derive(Debug, Default)]
pub(in crate::dashboard) struct State {
    /// `None` until the first read of the tables has succeeded.
    pub(in crate::dashboard) memory: Option<Memory>,
    /// Keys of changed settings that take effect only after a restart of this node.
    pub(in crate::dashboard) waiting: Vec<String>,
    /// Time of the last update of this node's row.
    pub(in crate::dashboard) published: Option<Instant>,
}

impl SettingsNodes {
    /// Creates the settings of this node.
    #[must_use]
    pub fn new(files: SettingsFiles, pool: PgPool) -> Self {
        Self {
            name: node_name(files.config.port),
            data: files.config.data.clone(),
            files: Arc::new(files),
            pool,
            process: Uuid::new_v4(),
            state: Mutex::default(),
        }
    }

    pub(in crate::dashboard) fn files(&self) -> &SettingsFiles {
        &self.files
    }

    /// Prevents changes of the settings files until the guard is dropped.
    pub(in crate::dashboard) async fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().await
    }
}
