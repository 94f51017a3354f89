//! The database layer: callers, transactions that run as the caller, migrations, the schema cache and the table REST.
//!
//! This is the lowest crate. It contains what several crates share: [`caller`] (keys, tokens, roles and claims), [`database`] (connections
//! and transactions of callers) and [`secret`] (values that are not printed).

pub mod advisors;
mod availability;
pub mod bootstrap;
pub mod bounded_file;
pub mod caller;
pub mod client;
mod connection_url;
pub mod core_id;
pub mod database;
pub mod embedded;
pub mod listen;
pub mod local_settings;
mod login;
mod logins;
pub mod metrics;
pub mod migrations;
pub mod min_rate;
pub mod platform;
pub mod programs;
pub mod project_root;
pub mod replica;
pub mod request_ids;
pub mod rest;
pub mod schema_cache;
pub mod schema_version;
pub mod sealed_text;
pub mod secret;
pub mod spans;
mod stand_ins;
pub mod supervise;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tls_provider;
pub mod trace_context;
pub mod transaction;
pub mod types;
pub mod why;
pub mod workers;

pub use availability::Availability;
pub use caller::Caller;
pub use connection_url::UrlError;
pub use database::Database;
pub use local_settings::LocalSettings;
pub use logins::let_reader_read;
pub use secret::Secret;
pub use supervise::supervise;
