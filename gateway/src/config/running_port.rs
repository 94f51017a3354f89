//! The configuration of a server that runs already, perhaps at a port that a flag has chosen.

use super::{Config, ConfigError, Flags};
use crate::data_dir_lock::DataDirLock;

impl Config {
    /// As [`Config::load`], at the port of the server that uses the data folder, where one does and the flags name none.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn load_of_running(flags: &Flags) -> Result<Self, ConfigError> {
        let config = Self::load(flags)?;
        match DataDirLock::port(&config.data).filter(|port| flags.port.is_none() && *port != config.port) {
            Some(port) => Self::load(&Flags { port: Some(port), ..flags.clone() }),
            None => Ok(config),
        }
    }
}
