//! Stores and reads the port of the embedded database for projects whose config.toml does not set the port. The server chooses a port when it
//! starts (`database::start_cluster`), and stores it in the data folder.

use std::path::Path;

use crate::config::{Config, ConfigError, DatabaseChoice};

/// File in the data folder that stores the port that was chosen last.
const FILE: &str = "database-port";

impl Config {
    /// Whether the server may choose another port for the embedded database when it starts, because config.toml does not set
    /// the port.
    #[must_use]
    pub fn may_choose_database_port(&self) -> bool {
        matches!(self.database, DatabaseChoice::Embedded { is_free_to_choose: true, .. })
    }

    /// Sets the port on which the embedded database listens.
    pub fn use_database_port(&mut self, chosen: u16) {
        if let DatabaseChoice::Embedded { port, .. } = &mut self.database {
            *port = chosen;
        }
    }

    /// Stores the chosen port in the data folder, for commands and for the next start. The data folder must exist.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn store_database_port(&self, port: u16) -> Result<(), ConfigError> {
        let file = self.data.join(FILE);
        std::fs::write(&file, format!("{port}\n")).map_err(|source| ConfigError::Unreadable { file, source })
    }
}

/// Returns the database port stored in the data folder, or the default port.
pub(in crate::config) fn remembered(data: &Path, usual: u16) -> u16 {
    let text = std::fs::read_to_string(data.join(FILE)).unwrap_or_default();
    text.trim().parse().ok().filter(|port| *port > 0).unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Flags;

    #[test]
    fn a_chosen_port_is_kept_unless_the_project_sets_one() {
        let place = tempfile::tempdir().unwrap();
        let (project, data) = (place.path().join("supabase"), place.path().join("data"));
        std::fs::create_dir(&data).unwrap();
        std::fs::create_dir(&project).unwrap();
        std::fs::write(project.join("config.toml"), "project_id = \"test\"\n").unwrap();
        let flags = Flags { project: Some(project.clone()), data: Some(data.clone()), ..Flags::default() };
        let read = || Config::read(&flags, |_| None).unwrap();
        let port = |config: &Config| match config.database {
            DatabaseChoice::Embedded { port, .. } => port,
            DatabaseChoice::External(_) => 0,
        };
        let mut config = read();
        assert!(config.may_choose_database_port());
        let usual = port(&config);
        config.store_database_port(usual + 7).unwrap();
        config.use_database_port(usual + 7);
        assert_eq!((port(&config), port(&read())), (usual + 7, usual + 7));
        // A damaged file does not prevent the server's start.
        std::fs::write(data.join(FILE), "no port\n").unwrap();
        assert_eq!(port(&read()), usual);
        std::fs::write(data.join(FILE), "4000\n").unwrap();
        std::fs::write(project.join("config.toml"), "project_id = \"test\"\n[db]\nport = 4001\n").unwrap();
        assert_eq!((port(&read()), read().may_choose_database_port()), (4001, false));
    }
}
