//! The database layer: callers, transactions in the role of a caller, migrations and the schema cache.
//!
//! Other crates use [`caller`] (keys, tokens, roles and claims) and [`database`] (connections and transactions of callers).

pub mod advisors;
mod availability;
pub mod bootstrap;
pub mod caller;
pub mod client;
mod connection_url;
pub mod database;
pub mod embedded;
pub mod local_settings;
mod login;
mod logins;
pub mod metrics;
pub mod migrations;
pub mod platform;
pub mod replica;
pub mod schema_cache;
pub mod schema_version;
mod stand_ins;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod transaction;
pub mod types;

pub use availability::Availability;
pub use caller::Caller;
pub use connection_url::UrlError;
pub use database::Database;
pub use local_settings::LocalSettings;
pub use logins::let_reader_read;
