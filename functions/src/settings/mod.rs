//! The settings of functions in the project's config.toml and cloch.toml.
//!
//! config.toml declares functions (`[functions.<name>]`, `[edge_runtime.secrets]`: the Supabase CLI's keys); cloch.toml beside it has the
//! settings that the CLI does not know (also `[functions.<name>]`).

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

/// The settings of all functions.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The served functions by name: declared, or found in the project's folder.
    pub functions: BTreeMap<String, Declared>,
    /// Environment variables of functions: `[edge_runtime.secrets]`, without those whose environment variable is not set, and the secrets
    /// stored by `cloch secrets set`.
    pub secrets: BTreeMap<String, Secret>,
    /// The policy for outbound requests.
    pub outbound: Outbound,
}

/// The keys of `[functions.<name>]` in config.toml that the Supabase CLI knows.
pub const CLI_KEYS: [&str; 6] = ["enabled", "verify_jwt", "entrypoint", "import_map", "static_files", "env"];

/// `[functions.<name>]` of both files.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Whether a token is needed to call it; the anon key is one.
    pub verify_jwt: bool,
    /// `[functions.<name>]` of cloch.toml.
    pub options: Options,
    /// Its source code, if it is in the project's folder.
    pub source: Option<Source>,
}

/// `[functions.<name>]` of cloch.toml: the keys that every function has. A function may read further keys from the same section.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The URL of an upstream that implements the function.
    pub upstream: Option<Url>,
    /// Seconds that one call may take.
    pub timeout_seconds: Option<u64>,
    /// Kilobytes of a request's body.
    pub max_body_kb: Option<usize>,
    /// Calls in an hour from one address, for callers who are not signed in.
    pub calls_per_address_hourly: Option<u32>,
    /// Calls in an hour of one signed-in user.
    pub calls_per_user_hourly: Option<u32>,
    /// Calls in an hour of all callers who are not signed in; beyond it each network has three.
    pub calls_of_visitors_hourly: Option<u32>,
    /// Memory of one worker, in megabytes.
    pub memory_mb: Option<u64>,
    /// Processor seconds from one response, or piece of one, to the next.
    pub cpu_seconds: Option<u64>,
    /// Seconds from a request's arrival to the end of its response.
    pub wall_seconds: Option<u64>,
    /// Seconds after which an idle worker is stopped.
    pub idle_seconds: Option<u64>,
    /// Maximum number of workers.
    pub max_workers: Option<usize>,
    /// Maximum number of concurrent requests.
    pub max_requests: Option<usize>,
    /// Whether a worker is started with the server.
    pub warm: Option<bool>,
    /// Networks that it may connect to although they are not part of the public internet.
    pub allowed_networks: Vec<IpNet>,
}

impl Options {
    /// The limits of a worker of the project's own function. `allowed` are the networks that all functions may connect to.
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

    /// A function's own limits, overridden by the configuration.
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

/// The parts of the two files that concern functions; `env(…)` is replaced if the variable is set.
#[derive(Clone, Copy, Debug)]
pub struct Sections<'a> {
    /// config.toml's `[functions]`.
    pub declared: &'a toml::Table,
    /// config.toml's `[edge_runtime.secrets]`.
    pub secrets: &'a BTreeMap<String, Secret>,
    /// cloch.toml's `[functions]`.
    pub options: &'a toml::Table,
    /// The project's folder, whose `functions/` may contain code.
    pub project: &'a Path,
}

impl Settings {
    /// Reads the sections. The caller reports unknown keys.
    ///
    /// # Errors
    /// A value of the wrong type or outside what is allowed: file, key, and what is allowed.
    pub fn read(sections: Sections<'_>) -> Result<Self, SettingsError> {
        read::settings(sections)
    }

    /// A secret of the functions' environment.
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<&Secret> {
        self.secrets.get(name)
    }

    /// Refuses a URL of cloch.toml that outbound requests are not allowed to reach.
    ///
    /// # Errors
    /// The error names the configuration key.
    pub fn check_destination(&self, key: &str, url: &Url) -> Result<(), SettingsError> {
        match self.outbound.permits(url, ChosenBy::Project) {
            true => Ok(()),
            false => Err(problem(CLOCH_TOML, key.to_owned(), REFUSED)),
        }
    }
}
