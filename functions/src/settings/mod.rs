//! What the project's config.toml and cloch.toml say about functions.
//!
//! config.toml declares them (`[functions.<name>]`, `[edge_runtime.secrets]`: the Supabase CLI's keys); cloch.toml beside it says what
//! the CLI does not know (`[functions.<name>]` again).

mod read;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use cloch_sql::Secret;
use ipnet::IpNet;
use serde::Deserialize;
use url::Url;

pub use read::{CLOCH_TOML, CONFIG_TOML, SettingsError, problem, section};

use crate::deno::{FunctionLimits, Source};
use crate::limits::Limits;
use crate::outbound::{ChosenBy, Outbound, REFUSED};

/// Everything about functions.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The functions by name, declared or found in the project's folder; only these are served.
    pub functions: BTreeMap<String, Declared>,
    /// What functions find in their environment: `[edge_runtime.secrets]`, without those whose environment variable is not set, and
    /// what `cloch secrets set` has kept.
    pub secrets: BTreeMap<String, Secret>,
    /// Where requests to other servers may go.
    pub outbound: Outbound,
}

/// What the Supabase CLI knows of a function, `[functions.<name>]` of config.toml.
pub const CLI_KEYS: [&str; 6] = ["enabled", "verify_jwt", "entrypoint", "import_map", "static_files", "env"];

/// `[functions.<name>]` of both files.
#[derive(Clone, Debug)]
pub struct Declared {
    /// Whether a token is needed to call it; the anon key is one.
    pub verify_jwt: bool,
    /// `[functions.<name>]` of cloch.toml.
    pub options: Options,
    /// Its code, where the project has it.
    pub source: Option<Source>,
}

/// `[functions.<name>]` of cloch.toml: what there is for every function. A function may read keys of its own from the same section.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Where a function without code here answers.
    pub upstream: Option<Url>,
    /// How long one call may take.
    pub timeout_seconds: Option<u64>,
    /// How large a request's body may be.
    pub max_body_kb: Option<usize>,
    /// Calls an hour from one address, for callers who are not signed in.
    pub calls_per_address_hourly: Option<u32>,
    /// Calls an hour of one signed-in user.
    pub calls_per_user_hourly: Option<u32>,
    /// Calls an hour of everybody who is not signed in; beyond it each network has three.
    pub calls_of_visitors_hourly: Option<u32>,
    /// Megabytes of memory of one worker.
    pub memory_mb: Option<u64>,
    /// Seconds of processor time from one answer, or piece of one, to the next.
    pub cpu_seconds: Option<u64>,
    /// Seconds from a request's arrival to the end of its answer.
    pub wall_seconds: Option<u64>,
    /// Seconds after which a worker without work ends.
    pub idle_seconds: Option<u64>,
    /// Workers at once.
    pub max_workers: Option<usize>,
    /// Requests at once.
    pub max_requests: Option<usize>,
    /// Whether a worker is started with the server.
    pub warm: Option<bool>,
    /// Networks that it may reach although they are not the internet.
    pub allowed_networks: Vec<IpNet>,
}

impl Options {
    /// What a worker of the project's own function may use. `allowed` are the networks that all may reach.
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

    /// A function's own limits, with what the configuration changes of them.
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

/// The parts of the two files that concern functions, as they are written; `env(…)` is replaced where the variable is set.
#[derive(Clone, Copy, Debug)]
pub struct Sections<'a> {
    /// config.toml's `[functions]`.
    pub declared: &'a toml::Table,
    /// config.toml's `[edge_runtime.secrets]`.
    pub secrets: &'a BTreeMap<String, Secret>,
    /// cloch.toml's `[functions]`.
    pub options: &'a toml::Table,
    /// The project's folder, whose `functions/` may have code.
    pub project: &'a Path,
}

impl Settings {
    /// Reads the sections. Keys that nothing reads are the caller's to find.
    ///
    /// # Errors
    /// A value of the wrong type or outside what is allowed: file, key, and what is allowed.
    pub fn read(sections: Sections<'_>) -> Result<Self, SettingsError> {
        read::settings(sections)
    }

    /// Of the environment of functions.
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<&Secret> {
        self.secrets.get(name)
    }

    /// Refuses a URL of cloch.toml that requests may not go to.
    ///
    /// # Errors
    /// With the key that holds it.
    pub fn check_destination(&self, key: &str, url: &Url) -> Result<(), SettingsError> {
        match self.outbound.permits(url, ChosenBy::Project) {
            true => Ok(()),
            false => Err(problem(CLOCH_TOML, key.to_owned(), REFUSED)),
        }
    }
}
