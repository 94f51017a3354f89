//! What the project's config.toml and cloch.toml say about functions.
//!
//! config.toml declares them (`[functions.<name>]`, `[edge_runtime.secrets]`: the Supabase CLI's keys); cloch.toml beside it says what
//! the CLI does not know (`[functions.<name>]` again).

mod read;

use std::collections::BTreeMap;
use std::time::Duration;

use cloch_sql::Secret;
use serde::Deserialize;
use url::Url;

pub use read::{CLOCH_TOML, CONFIG_TOML, SettingsError, problem, section};

use crate::limits::Limits;
use crate::outbound::{ChosenBy, Outbound, REFUSED};

/// Everything about functions.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The declared functions by name; only these are served.
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
}

impl Options {
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
