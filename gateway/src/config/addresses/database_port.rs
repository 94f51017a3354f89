//! Port of the embedded database if config.toml does not set it: the default port, or a free port if another program uses the default port.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};

use crate::config::{Config, ConfigError, DatabaseChoice};
use crate::data_dir_lock::{self, DataDirLock};

/// File in the data folder that stores the port that was chosen last.
const FILE: &str = "database-port";

impl Config {
    /// Chooses another port for the database if the default port is in use and config.toml does not set the port. The port is stored in the
    /// data folder.
    ///
    /// # Errors
    /// When the file with the port cannot be written.
    pub fn choose_database_port(&mut self) -> Result<(), ConfigError> {
        if let DatabaseChoice::Embedded { port, is_free_to_choose: true, .. } = &mut self.database {
            *port = choose(&self.data, *port, self.port)?;
        }
        Ok(())
    }
}

impl Config {
    /// Returns the port for a process that has locked the data folder and starts the database now. Chooses the port as
    /// [`Config::choose_database_port`] does.
    ///
    /// # Errors
    /// When the file with the port cannot be written.
    pub fn port_to_start_database(&self, wanted: u16) -> Result<u16, ConfigError> {
        match self.database {
            DatabaseChoice::Embedded { is_free_to_choose: true, .. } => usable(&self.data, wanted, self.port),
            _ => Ok(wanted),
        }
    }
}

/// Returns the database port stored in the data folder, or the default port.
pub(in crate::config) fn remembered(data: &Path, usual: u16) -> u16 {
    let text = std::fs::read_to_string(data.join(FILE)).unwrap_or_default();
    text.trim().parse().ok().filter(|port| *port > 0).unwrap_or(usual)
}

/// Returns the database port for a server that starts now.
fn choose(data: &Path, port: u16, api_port: u16) -> Result<u16, ConfigError> {
    // A running Cloch has locked the data folder. The port is not changed then, because this start fails at the lock anyway.
    match DataDirLock::holder(data).is_some() {
        true => Ok(port),
        false => usable(data, port, api_port),
    }
}

/// Returns `port`, or a free port if another program uses `port`.
fn usable(data: &Path, port: u16, api_port: u16) -> Result<u16, ConfigError> {
    // A PostgreSQL server that survived a killed Cloch may use the port: the start stops that server.
    if is_left_behind(data, port) || (port != api_port && is_free(port)) {
        return Ok(port);
    }
    let unwritten = |file: PathBuf| move |source| ConfigError::Unreadable { file, source };
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|socket| socket.local_addr());
    let free = free.map_err(unwritten(data.join(FILE)))?.port();
    data_dir_lock::make(data).map_err(unwritten(data.to_owned()))?;
    std::fs::write(data.join(FILE), format!("{free}\n")).map_err(unwritten(data.join(FILE)))?;
    Ok(free)
}

fn is_free(port: u16) -> bool {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Whether the last PostgreSQL server of the data folder, which may still be running, used this port (line 4 of `postmaster.pid`).
fn is_left_behind(data: &Path, port: u16) -> bool {
    let text = std::fs::read_to_string(data.join("db/postmaster.pid")).unwrap_or_default();
    text.lines().nth(3).and_then(|line| line.trim().parse().ok()) == Some(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_port_is_taken_only_if_the_usual_one_cannot_be() {
        let data = std::env::temp_dir().join(format!("cloch-port-{}", uuid::Uuid::new_v4().simple()));
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let chosen = choose(&data, port, 1).unwrap();
        assert_ne!(chosen, port);
        assert_eq!(remembered(&data, port), chosen);
        // The chosen port is kept, even if the default port is free again; the API's port is never chosen.
        assert_eq!(choose(&data, chosen, 1).unwrap(), chosen);
        assert_ne!(choose(&data, chosen, chosen).unwrap(), chosen);
        // A leftover PostgreSQL server of this folder does not count as another program.
        std::fs::create_dir_all(data.join("db")).unwrap();
        std::fs::write(data.join("db/postmaster.pid"), format!("1\n/x\n2\n{port}\n")).unwrap();
        assert_eq!(choose(&data, port, 1).unwrap(), port);
        std::fs::remove_dir_all(data).unwrap();
    }
}
