//! Settings of functions in the project's config.toml and cloch.toml.
//!
//! config.toml declares functions (`[functions.<name>]`, `[edge_runtime.secrets]`) with the Supabase CLI's keys. cloch.toml contains the settings
//! that the Supabase CLI does not support (also in `[functions.<name>]`).

mod ai;
pub mod options;
mod read;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use cloch_core::Secret;
use ipnet::IpNet;
use serde::Deserialize;
use url::Url;

pub use ai::Ai;
use cloch_core::outbound::{ChosenBy, Outbound, REFUSED};
pub use read::{CLOCH_TOML, CONFIG_TOML, SettingsError, problem, section};

use crate::limits::Limits;
use crate::source::Source;
use options::FunctionLimits;

/// Settings of all functions.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Served functions by name: functions that the configuration declares, and functions in the project's folder.
    pub functions: BTreeMap<String, Declared>,
    /// Environment variables of functions: the secrets that `cloch secrets set` has stored, and `[edge_runtime.secrets]`. An `env(…)` value
    /// whose variable is not set is left out.
    pub secrets: BTreeMap<String, Secret>,
    /// Rules for outbound requests: which addresses functions may reach.
    pub outbound: Outbound,
}

/// Keys of `[functions.<name>]` in config.toml that the Supabase CLI supports.
pub const CLI_KEYS: [&str; 6] = ["enabled", "verify_jwt", "entrypoint", "import_map", "static_files", "env"];

/// The declaration of a function in `[functions.<name>]` of config.toml and of cloch.toml.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Whether calls of the function require an access token. The publishable key counts as a token.
    pub verify_jwt: bool,
    /// Options of the function from `[functions.<name>]` of cloch.toml.
    pub options: Options,
    /// Source code of the function; `None` if the project's folder does not contain it.
    pub source: Option<Source>,
}

/// Keys of `[functions.<name>]` in cloch.toml that each function may have. A function may read further keys from the same section.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Options {
    /// URL of the upstream server that executes the function, instead of Cloch.
    pub upstream: Option<Url>,
    /// Timeout of one call in seconds.
    pub timeout_seconds: Option<u64>,
    /// Maximum size of a request body in kilobytes.
    pub max_body_kb: Option<usize>,
    /// Maximum number of calls per hour from one address, for callers who are not signed in.
    pub calls_per_address_hourly: Option<u32>,
    /// Maximum number of calls per hour of one signed-in user.
    pub calls_per_user_hourly: Option<u32>,
    /// Maximum number of calls per hour of all callers together who are not signed in. When this number is reached, each client network (an
    /// IPv4 address or an IPv6 /64) may make three more calls.
    pub calls_of_visitors_hourly: Option<u32>,
    /// Maximum memory of one Deno worker in megabytes.
    pub memory_mb: Option<u64>,
    /// Maximum processor time of a Deno worker between two responses or response chunks, in seconds.
    pub cpu_seconds: Option<u64>,
    /// Maximum time from a request's arrival to the end of its response, in seconds.
    pub wall_seconds: Option<u64>,
    /// Time in seconds after which an idle Deno worker is stopped.
    pub idle_seconds: Option<u64>,
    /// Maximum number of workers.
    pub max_workers: Option<usize>,
    /// Maximum number of concurrent requests to the function.
    pub max_requests: Option<usize>,
    /// Whether a Deno worker is started together with the server.
    pub warm: Option<bool>,
    /// Networks that the function may connect to although they are not part of the public internet.
    pub allowed_networks: Vec<IpNet>,
}

impl Options {
    /// Returns the limits of the function's Deno workers. `allowed` contains the networks to which all functions may connect.
    #[must_use]
    pub fn worker_limits(&self, allowed: &[IpNet]) -> FunctionLimits {
        let usual = FunctionLimits::default();
        let seconds = |own: Option<u64>, usual| own.map_or(usual, Duration::from_secs);
        FunctionLimits {
            memory_mb: self.memory_mb.unwrap_or(usual.memory_mb),
            cpu: seconds(self.cpu_seconds, usual.cpu),
            wall: seconds(self.wall_seconds, usual.wall),
            idle: seconds(self.idle_seconds, usual.idle),
            max_workers: self.max_workers.unwrap_or(usual.max_workers),
            max_requests: self.max_requests.unwrap_or(usual.max_requests),
            warm: self.warm.unwrap_or(usual.warm),
            allowed_networks: [allowed, &self.allowed_networks].concat(),
        }
    }

    /// Returns the limits of a function. The configuration overrides the function's default limits `own`.
    pub(crate) fn limits(&self, own: Limits) -> Limits {
        Limits {
            body_bytes: self.max_body_kb.map_or(own.body_bytes, |kb| kb.saturating_mul(1024)),
            visitor_body_bytes: self.max_body_kb.map_or(own.visitor_body_bytes, |kb| kb.saturating_mul(1024)),
            timeout: self.timeout_seconds.map_or(own.timeout, Duration::from_secs),
            per_address_hourly: self.calls_per_address_hourly.or(own.per_address_hourly),
            per_user_hourly: self.calls_per_user_hourly.or(own.per_user_hourly),
            visitors_hourly: self.calls_of_visitors_hourly.or(own.visitors_hourly),
        }
    }
}

/// The sections of config.toml and cloch.toml about functions. Values of `env(…)` are replaced if the variable is set.
#[derive(Clone, Copy, Debug)]
pub struct Sections<'a> {
    /// `[functions]` of config.toml.
    pub declared: &'a toml::Table,
    /// `[edge_runtime.secrets]` of config.toml.
    pub secrets: &'a BTreeMap<String, Secret>,
    /// `[functions]` of cloch.toml.
    pub options: &'a toml::Table,
    /// The project's folder. The subfolder `functions/` may contain the code of functions.
    pub project: &'a Path,
    /// The server's data folder. Functions cannot read its files, even if the folder is inside the project's repository.
    pub data: &'a Path,
}

impl Settings {
    /// Parses the sections about functions. The caller of this function reports unknown keys.
    ///
    /// # Errors
    /// If a value has the wrong type or is out of range. The error names the file, the key and the allowed values.
    pub fn read(sections: Sections<'_>) -> Result<Self, SettingsError> {
        read::settings(sections)
    }

    /// Returns a secret from the environment of functions; `None` if no secret has this name.
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<&Secret> {
        self.secrets.get(name)
    }

    /// Returns an error for a URL in cloch.toml that outbound requests must not reach.
    ///
    /// # Errors
    /// If the URL is not allowed. The error names the configuration key.
    pub fn check_destination(&self, key: &str, url: &Url) -> Result<(), SettingsError> {
        match self.outbound.permits(url, ChosenBy::Project) {
            true => Ok(()),
            false => Err(problem(CLOCH_TOML, key.to_owned(), REFUSED)),
        }
    }
}
