//! The database: who is calling, transactions run as the caller, and everything that is made of SQL.
//!
//! This is the lowest crate. What two APIs need sits here: [`caller`] (keys, tokens, roles and claims),
//! [`database`] (connections and caller-scoped transactions) and [`secret`] (values that do not print).

pub mod bootstrap;
pub mod caller;
pub mod client;
mod connection_url;
pub mod core_id;
pub mod database;
pub mod embedded;
pub mod listen;
pub mod local_settings;
mod login;
pub mod migrations;
pub mod min_rate;
pub mod platform;
pub mod rest;
pub mod schema_cache;
pub mod secret;
pub mod supervise;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod types;
pub mod workers;

pub use caller::Caller;
pub use connection_url::UrlError;
pub use database::Database;
pub use local_settings::LocalSettings;
pub use secret::Secret;
pub use supervise::supervise;
