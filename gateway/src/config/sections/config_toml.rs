//! Types of `config.toml` with the Supabase CLI's keys and defaults. The auth and functions crates parse `[auth]` and `[functions]`.
//! `tests/compatibility/config_keys.mjs` reads the comments "of no effect" for docs/compatibility.md.

use std::collections::BTreeMap;

use cloch_core::Secret;
use serde::{Deserialize, Deserializer};
use toml::Table;

/// The whole file config.toml. Sections for containers that Cloch does not have are accepted and have no effect.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ConfigToml {
    /// Name of the project. Default: the name of its folder.
    pub project_id: Option<String>,
    /// Section `[api]`.
    pub api: Api,
    /// Section `[db]`.
    pub db: Db,
    /// Section `[realtime]`.
    pub realtime: Realtime,
    /// Section `[storage]`.
    pub storage: Storage,
    /// Section `[auth]`.
    pub auth: cloch_auth::Settings,
    /// Section `[edge_runtime]`.
    pub edge_runtime: EdgeRuntime,
    /// `[functions.<name>]`, parsed by the functions crate.
    pub functions: Table,
    /// `[studio]`, of no effect.
    pub studio: Table,
    /// `[inbucket]`, of no effect: the inbox is built in.
    pub inbucket: Table,
    /// `[local_smtp]`, of no effect: the newer name of `[inbucket]`.
    pub local_smtp: Table,
    /// `[analytics]`, of no effect.
    pub analytics: Table,
    /// `[compute.<name>]`, of no effect: Cloch runs no computes.
    pub compute: Table,
    /// `[local]`, of no effect: Cloch runs no containers.
    pub local: Table,
    /// `[remotes]`, of no effect.
    pub remotes: Table,
    /// `[experimental]`, of no effect.
    pub experimental: Table,
}

/// `[api]`
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Api {
    /// Whether /rest/v1 is served.
    pub enabled: bool,
    /// Port of the HTTP server, which serves all APIs.
    pub port: u16,
    /// Schemas that the table REST API exposes, the default schema first. An empty list means `public`, which older versions of the Supabase
    /// CLI always expose.
    #[serde(deserialize_with = "exposed_schemas")]
    pub schemas: Vec<String>,
    /// Schemas that are added to the `search_path` of requests to the table REST API.
    pub extra_search_path: Vec<String>,
    /// Maximum number of rows in one response of the table REST API.
    pub max_rows: u32,
    /// Whether new tables of `public` are granted to the roles of API callers (`anon`, `authenticated`, `service_role`); `None` means yes.
    pub auto_expose_new_tables: Option<bool>,
    /// Public URL of the server, if it differs from the address that the server listens on.
    #[serde(deserialize_with = "cloch_auth::settings::none_if_empty")]
    pub external_url: Option<String>,
    /// Of no effect: HTTPS is configured by `[server] tls` of cloch.toml.
    pub tls: Table,
}

fn exposed_schemas<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let schemas = Vec::deserialize(deserializer)?;
    Ok(if schemas.is_empty() { vec!["public".to_owned()] } else { schemas })
}

impl Default for Api {
    fn default() -> Self {
        Self {
            enabled: true,
            port: 54321,
            schemas: vec!["public".into(), "graphql_public".into()],
            extra_search_path: vec!["public".into(), "extensions".into()],
            max_rows: 1000,
            auto_expose_new_tables: None,
            external_url: None,
            tls: Table::new(),
        }
    }
}

/// `[db]`
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Db {
    /// Port of the embedded database on 127.0.0.1.
    pub port: u16,
    /// Section `[db.migrations]`.
    pub migrations: Migrations,
    /// Section `[db.seed]`.
    pub seed: Seed,
    /// `[db.settings]`: settings of the embedded PostgreSQL server.
    pub settings: BTreeMap<String, toml::Value>,
    /// `[db.vault]`: secrets to store in the vault.
    pub vault: BTreeMap<String, Secret>,
    /// Of no effect: the version is that of the installed PostgreSQL.
    pub major_version: Option<u16>,
    /// Of no effect: no part of Cloch reads it.
    pub shadow_port: Option<u16>,
    /// Of no effect: no part of Cloch reads it.
    pub health_timeout: Option<String>,
    /// Of no effect: no part of Cloch reads it.
    pub root_key: Option<Secret>,
    /// Of no effect: no part of Cloch reads it.
    pub pooler: Table,
    /// Of no effect: the embedded database listens on 127.0.0.1 only.
    pub network_restrictions: Table,
    /// Of no effect: the embedded database listens on 127.0.0.1 only.
    pub ssl_enforcement: Table,
    /// Of no effect: the storage engine is PostgreSQL's own.
    pub orioledb_version: Option<String>,
}

impl Default for Db {
    fn default() -> Self {
        Self {
            port: 54322,
            migrations: Migrations::default(),
            seed: Seed::default(),
            settings: BTreeMap::new(),
            vault: BTreeMap::new(),
            major_version: None,
            shadow_port: None,
            health_timeout: None,
            root_key: None,
            pooler: Table::new(),
            network_restrictions: Table::new(),
            ssl_enforcement: Table::new(),
            orioledb_version: None,
        }
    }
}

/// `[db.migrations]`
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Migrations {
    /// Whether the server applies the migrations when it starts.
    pub enabled: bool,
    /// Of no effect: only the Supabase CLI uses declarative schemas.
    pub schema_paths: Vec<String>,
    /// Of no effect: only the Supabase CLI checks migrations before it pushes them.
    pub checks: bool,
}

impl Default for Migrations {
    fn default() -> Self {
        Self { enabled: true, schema_paths: Vec::new(), checks: false }
    }
}

/// `[db.seed]`
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Seed {
    /// Whether a new database is seeded.
    pub enabled: bool,
    /// Glob patterns of SQL files, relative to the project folder.
    pub sql_paths: Vec<String>,
}

impl Default for Seed {
    fn default() -> Self {
        Self { enabled: true, sql_paths: vec!["./seed.sql".into()] }
    }
}

/// `[realtime]`
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Realtime {
    /// Whether /realtime/v1 is served.
    pub enabled: bool,
    /// Of no effect: no part of Cloch reads it.
    pub ip_version: Option<String>,
    /// Of no effect: no part of Cloch reads it.
    pub max_header_length: Option<u32>,
}

impl Default for Realtime {
    fn default() -> Self {
        Self { enabled: true, ip_version: None, max_header_length: None }
    }
}

/// `[storage]`
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct Storage {
    /// Whether /storage/v1 is served.
    pub enabled: bool,
    /// Maximum size of a file, such as `50MiB`.
    pub file_size_limit: ByteSize,
    /// Section `[storage.image_transformation]`.
    pub image_transformation: Option<Switch>,
    /// Section `[storage.s3_protocol]`.
    pub s3_protocol: Switch,
    /// Section `[storage.buckets.<name>]`.
    pub buckets: BTreeMap<String, Bucket>,
    /// Of no effect: no part of Cloch reads it.
    pub analytics: Table,
    /// Of no effect: no part of Cloch reads it.
    pub vector: Table,
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            enabled: true,
            file_size_limit: ByteSize(50 << 20),
            image_transformation: None,
            s3_protocol: Switch { enabled: true },
            buckets: BTreeMap::new(),
            analytics: Table::new(),
            vector: Table::new(),
        }
    }
}

/// A section with the single key `enabled`.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Switch {
    /// Whether the feature is enabled.
    pub enabled: bool,
}

/// `[storage.buckets.<name>]`: a bucket that is created or updated when the server starts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Bucket {
    /// Whether everyone can download the bucket's files by their public URLs.
    pub public: Option<bool>,
    /// Maximum size of a file in this bucket. `None` or 0: the limit of `[storage]`.
    pub file_size_limit: Option<ByteSize>,
    /// Content types that uploads may have.
    pub allowed_mime_types: Option<Vec<String>>,
    /// Folder whose files are uploaded to the bucket.
    pub objects_path: Option<String>,
}

impl Bucket {
    /// Returns the declared limit in bytes. As for the Supabase CLI, 0 stands for no declaration.
    #[must_use]
    pub fn own_limit(&self) -> Option<u64> {
        self.file_size_limit.map(|limit| limit.0).filter(|limit| *limit > 0)
    }
}

/// `[edge_runtime]`
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct EdgeRuntime {
    /// Whether /functions/v1 is served; `None` means yes.
    pub enabled: Option<bool>,
    /// Section `[edge_runtime.secrets]`.
    pub secrets: BTreeMap<String, Secret>,
    /// When workers of functions are replaced: `per_worker` (the default) or `oneshot`, a new worker for each request.
    pub policy: Option<String>,
    /// Of no effect: no part of Cloch reads it.
    pub inspector_port: Option<u16>,
    /// Of no effect: no part of Cloch reads it.
    pub deno_version: Option<u16>,
}

/// Number of bytes, parsed from a number or from a text with a unit (`50MiB`, `10MB`, `512KB`). All units are powers of 1024, as in the
/// Supabase CLI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteSize(pub u64);

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(
            untagged,
            expecting = "is no size: write a number of bytes, or a number and a unit in quotes, such as \"50MiB\""
        )]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(bytes) => Ok(Self(bytes)),
            Written::Text(text) => parse_size(&text).map(Self).ok_or_else(|| {
                serde::de::Error::custom(format!("{text:?} is no size: write a number and a unit, such as \"50MiB\""))
            }),
        }
    }
}

/// Parses a number of bytes with an optional unit. `None` if the text is no size.
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(split)?;
    let shift = match unit.trim().to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    match number.parse::<u64>() {
        Ok(whole) => whole.checked_mul(1 << shift),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a fraction of a unit, cut to whole bytes; the digits cannot be negative"
        )]
        Err(_) => number.parse::<f64>().ok().map(|value| (value * (1_u64 << shift) as f64) as u64),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_size;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("50MiB"), Some(50 << 20));
        assert_eq!(parse_size("10 MB"), Some(10 << 20));
        assert_eq!(parse_size("1.5k"), Some(1536));
        assert_eq!(parse_size("7"), Some(7));
        for wrong in ["", "MB", "10 parsecs", "-1"] {
            assert_eq!(parse_size(wrong), None, "{wrong:?}");
        }
    }
}
