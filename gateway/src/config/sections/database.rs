//! Types of `[database]` in cloch.toml: the standby server that answers reads.

use std::time::Duration;

use cloch_core::Secret;
use cloch_sql::database::Login;
use cloch_sql::replica::ReplicaSettings;
use serde::Deserialize;

use crate::config::{ConfigError, DatabaseChoice, TomlFile, variable_name};

/// Maximum value of `read_max_lag` in seconds. The server stores the primary's WAL positions for this duration, to measure the standby's lag.
const MAX_LAG_SECONDS: u64 = 60;

/// `[database]`: settings for the server of `CLOCH_DB_URL`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct DatabaseSection {
    /// URL of a streaming standby that answers reads (GET, HEAD) of the table REST, in the formats of `CLOCH_DB_URL`. If it has several
    /// hosts, the first host that is a standby is used. Preferably `env(CLOCH_READ_URL)`: no standby is used if the variable is not set.
    pub read_url: Option<Secret>,
    /// Maximum replication lag in seconds at which the standby is used, from 1 to 60.
    pub read_max_lag: u64,
}

impl Default for DatabaseSection {
    fn default() -> Self {
        Self { read_url: None, read_max_lag: 10 }
    }
}

impl DatabaseSection {
    /// Whether `read_url` is `env(NAME)` and the variable is not set.
    pub(in crate::config) fn names_unset_variable(&self) -> bool {
        self.read_url.as_ref().is_some_and(|url| variable_name(url.expose()).is_some())
    }

    /// Returns the settings of the standby in `read_url`, or `None` if `read_url` is not set.
    ///
    /// # Errors
    /// Returns an error that names the first invalid key and its location.
    pub(in crate::config) fn replica(
        &self,
        source: &TomlFile,
        database: &DatabaseChoice,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<ReplicaSettings>, ConfigError> {
        let Some(url) = self.read_url.as_ref().filter(|_| !self.names_unset_variable()) else { return Ok(None) };
        if let DatabaseChoice::Embedded { .. } = database {
            let message =
                "the embedded database has no standby: name a server of yours in CLOCH_DB_URL, or leave this out";
            return Err(source.refuse("database.read_url", message));
        }
        if !(1..=MAX_LAG_SECONDS).contains(&self.read_max_lag) {
            return Err(source.refuse("database.read_max_lag", "must be a number of seconds from 1 to 60"));
        }
        let login = Login::of_standby(url, environment)
            .map_err(|error| source.refuse("database.read_url", &error.to_string()))?;
        Ok(Some(ReplicaSettings { login, max_lag: Duration::from_secs(self.read_max_lag) }))
    }
}
