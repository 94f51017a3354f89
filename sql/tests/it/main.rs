//! Integration tests of the crate with a real PostgreSQL server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod access;
mod advisors;
mod bootstrap;
mod embedded;
mod extensions;
mod external;
mod foreign;
mod lacking_server;
mod managed;
mod migration_text;
mod numbered_files;
mod platform_schema;
mod project_rules;
mod reader;
mod released;
mod scripts;
mod session_settings;
mod skipped_extensions;
mod stand_ins;
mod superuser_functions;
mod superuser_views;
mod transaction;
mod types;
mod vector;
mod vector_modifier;
mod vector_schema;

use cloch_sql::database::Login;
use cloch_sql::embedded::Cluster;

/// Returns the superuser's login with the search_path of the database, as psql uses it. The search_path of Cloch's own superuser sessions
/// contains only pg_catalog.
fn plain_login(cluster: &Cluster) -> Login {
    Login { catalog_only: false, ..cluster.login() }
}
