//! `[database]` of cloch.toml.

use std::time::Duration;

use cloch_core::Secret;
use cloch_sql::database::Login;
use cloch_sql::replica::ReplicaSettings;
use serde::Deserialize;

use super::{ConfigError, DatabaseChoice, TomlFile};

/// Seconds that a replica may at most be allowed to be behind: what the server keeps of the primary's positions reaches as far.
const MAX_LAG_SECONDS: u64 = 60;

/// `[database]`: what belongs to the server of `CLOCH_DB_URL`.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct DatabaseSection {
    /// A streaming standby that answers reads (GET, HEAD) of the table REST, in the forms of `CLOCH_DB_URL`; of several hosts the first that
    /// is a standby. Best `env(CLOCH_READ_URL)`: a variable that is not set names none.
    pub read_url: Option<Secret>,
    /// Seconds that it may be behind and be used, from 1 to 60.
    pub read_max_lag: u64,
}

impl Default for DatabaseSection {
    fn default() -> Self {
        Self { read_url: None, read_max_lag: 10 }
    }
}

impl DatabaseSection {
    /// Whether `read_url` names a variable that is not set.
    pub(super) fn names_unset_variable(&self) -> bool {
        let text = self.read_url.as_ref().map_or("", Secret::expose);
        text.starts_with("env(") && text.ends_with(')')
    }

    /// The replica that it names.
    ///
    /// # Errors
    /// Which value cannot be used.
    pub(super) fn replica(
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
