//! Loads the configuration of a running server, whose port may differ from config.toml because of `--port`.

use crate::config::{Config, ConfigError, Flags};
use crate::data_dir_lock::DataDirLock;

impl Config {
    /// Loads the configuration as [`Config::load`] does, but with the port of the server that has locked the data folder, unless `--port` is
    /// set.
    ///
    /// # Errors
    /// Returns an error for the first invalid value of the configuration.
    pub fn load_of_running(flags: &Flags) -> Result<Self, ConfigError> {
        let config = Self::load(flags)?;
        match DataDirLock::port(&config.data).filter(|port| flags.port.is_none() && *port != config.port) {
            Some(port) => Self::load(&Flags { port: Some(port), ..flags.clone() }),
            None => Ok(config),
        }
    }
}
