//! The addresses of the database: those of the environment, and the one for the project's own programs.

use cloch_core::Secret;
use cloch_sql::database::{Address, Login};

use super::{Config, ConfigError, DatabaseChoice, Secrets};

/// The login that a variable names.
pub(super) fn login(
    variable: &str,
    url: String,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Login, ConfigError> {
    Login::from_libpq(&Secret::new(url), environment).map_err(|error| wrong(variable, error.to_string()))
}

/// The pooler in front of the database. Its sessions change with each transaction, so that no statement is kept.
pub(super) fn pooler(
    url: Option<String>,
    database: &DatabaseChoice,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Login>, ConfigError> {
    const VARIABLE: &str = "CLOCH_DB_POOLER_URL";
    let Some(url) = url else { return Ok(None) };
    let DatabaseChoice::External(direct) = database else {
        return Err(wrong(
            VARIABLE,
            "it needs CLOCH_DB_URL, the address of the same database without the pooler".into(),
        ));
    };
    let pooler = login(VARIABLE, url, environment)?;
    if pooler.has_several_hosts() {
        return Err(wrong(VARIABLE, "name one pooler, which finds the database's primary itself".into()));
    }
    // When the database has been lost, connections through the pooler are not used again either.
    Ok(Some(Login { keep_statements: false, availability: direct.availability.clone(), ..pooler }))
}

fn wrong(variable: &str, message: String) -> ConfigError {
    ConfigError::Variable { name: variable.to_owned(), message }
}

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
