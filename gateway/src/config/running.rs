//! Loads the configuration of a running server. The port of the server may differ from config.toml because of `--port`. Its keys may differ
//! because of environment variables that only the server's process has.

use crate::config::files::folders::{data_folder, project_folder};
use crate::config::{ChangedFiles, Config, ConfigError, Flags, KeyOverrides};
use crate::data_dir_lock::DataDirLock;

impl Config {
    /// Loads the configuration as [`Config::load`] does, but with the port (unless `--port` is set) and the keys of the server that has
    /// locked the data folder.
    ///
    /// # Errors
    /// Returns an error for the first invalid value of the configuration.
    pub fn load_of_running(flags: &Flags) -> Result<Self, ConfigError> {
        let variable = std::env::var("CLOCH_DATA_DIR").ok().filter(|value| !value.is_empty());
        let data = data_folder(flags, variable, &project_folder(flags)?);
        let load = |flags: &Flags| {
            let running = ChangedFiles { keys_in_use: KeyOverrides::in_use(&data), ..ChangedFiles::default() };
            Self::read_changed(flags, |name| std::env::var(name).ok(), &running)
        };
        let config = load(flags)?;
        match DataDirLock::port(&data).filter(|port| flags.port.is_none() && *port != config.port) {
            Some(port) => load(&Flags { port: Some(port), ..flags.clone() }),
            None => Ok(config),
        }
    }
}
