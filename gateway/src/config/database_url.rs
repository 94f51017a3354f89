//! The address of the database for the project's own programs.

use cloch_sql::database::Address;

use super::{Config, DatabaseChoice, Secrets};

impl Config {
    /// The URL of the database for the project's own programs. The password of the operator's own server is not in it.
    #[must_use]
    pub fn database_url(&self, secrets: &Secrets) -> String {
        match &self.database {
            DatabaseChoice::Embedded { port, .. } => {
                format!("postgresql://postgres:{}@127.0.0.1:{port}/postgres", secrets.database.postgres)
            }
            DatabaseChoice::External(login) => {
                let (address, port) = login.place();
                let host = match address {
                    Address::Host(host) => host.clone(),
                    Address::Socket(folder) => folder.display().to_string(),
                };
                format!("postgresql://{}@{host}:{port}/{}", login.user, login.database)
            }
        }
    }
}
