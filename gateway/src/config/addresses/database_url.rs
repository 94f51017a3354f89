//! Parses the database URLs in environment variables, and builds the URL with which the project's own programs (such as
//! functions) connect.

use cloch_core::Secret;
use cloch_sql::database::{Address, Login};

use crate::config::{Config, ConfigError, DatabaseChoice, Secrets};

/// Parses the connection URL in an environment variable.
pub(in crate::config) fn login(
    variable: &str,
    url: String,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Login, ConfigError> {
    Login::from_libpq(&Secret::new(url), environment).map_err(|error| wrong(variable, error.to_string()))
}

/// Returns the login of the pooler in front of the database; `None` if no pooler is configured. Prepared statements are disabled, because a
/// pooler in transaction mode may use another session for each transaction.
pub(in crate::config) fn pooler(
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
    // The pooler's login shares the availability state of the direct login. Therefore the connections of both logins are discarded when the
    // database becomes unreachable.
    Ok(Some(Login { keep_statements: false, availability: direct.availability.clone(), ..pooler }))
}

fn wrong(variable: &str, message: String) -> ConfigError {
    ConfigError::Variable { name: variable.to_owned(), message }
}

impl Config {
    /// Returns the database URL that `cloch status` prints and functions receive (`SUPABASE_DB_URL`). The URL does not contain the password
    /// of an external server (`CLOCH_DB_URL`).
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
