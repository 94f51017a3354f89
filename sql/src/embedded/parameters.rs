//! Settings of the embedded PostgreSQL server.

use std::path::Path;

use super::extensions::ExtensionTree;
use super::{Binaries, ClusterSettings, hooks};

/// Returns the server settings as name and value: Cloch's settings, the settings that the installed extensions need, then the project's own
/// settings. If a name occurs several times, the last value takes effect.
pub(super) fn of(
    settings: &ClusterSettings,
    socket_folder: &Path,
    binaries: &Binaries,
    extensions: Option<&ExtensionTree>,
) -> Vec<(String, String)> {
    let libraries = binaries.preloaded_libraries();
    let fixed = [
        ("listen_addresses", "127.0.0.1".to_owned()),
        ("port", settings.port.to_string()),
        ("unix_socket_directories", socket_folder.display().to_string()),
        ("unix_socket_permissions", "0700".to_owned()),
        ("password_encryption", "scram-sha-256".to_owned()),
        ("wal_level", "logical".to_owned()),
        // Limit the WAL that PostgreSQL keeps for replication slots, so that an unused slot does not fill the disk.
        ("max_slot_wal_keep_size", "4GB".to_owned()),
        ("timezone", "UTC".to_owned()),
        ("log_timezone", "UTC".to_owned()),
        ("log_statement", "none".to_owned()),
        // Statements may contain personal data, so errors are logged without the statement's text.
        ("log_min_error_statement", "panic".to_owned()),
        ("jit", "off".to_owned()),
        // Compute query IDs, which identify statements in pg_stat_activity and pg_stat_statements.
        ("compute_query_id", "on".to_owned()),
        ("shared_preload_libraries", libraries.join(",")),
        ("max_connections", "100".to_owned()),
    ];
    let of_libraries = libraries.iter().flat_map(|library| of_library(library)).copied();
    let control_path = extensions.and_then(|tree| tree.control_path.clone());
    let owned = |(name, value): (&str, String)| (name.to_owned(), value);
    let mut all: Vec<(String, String)> = (fixed.into_iter().map(owned))
        .chain(of_libraries.map(|(name, value)| (name.to_owned(), value.to_owned())))
        .chain(control_path.map(|path| ("extension_control_path".to_owned(), path)))
        .chain(settings.parameters.iter().cloned())
        .collect();
    if let Some(library) = extensions.and_then(|tree| tree.hooks.as_deref()) {
        // Load the library `cloch_hooks` even if the project's settings name other libraries: without `cloch_hooks`, event triggers of role
        // postgres would run in a superuser's session.
        let others = all.iter().rfind(|(name, _)| name == "shared_preload_libraries").map(|(_, value)| value.clone());
        let [libraries, role] = hooks::parameters(library, &others.unwrap_or_default());
        all.push(libraries);
        if !all.iter().any(|(name, _)| *name == role.0) {
            all.push(role);
        }
    }
    all
}

/// Returns the server settings that a preloaded extension library needs.
fn of_library(library: &str) -> &'static [(&'static str, &'static str)] {
    match library {
        "pg_cron" => &[
            ("cron.database_name", "postgres"),
            // Without this setting, pg_cron runs jobs over a database connection, which requires a password.
            ("cron.use_background_workers", "on"),
            ("max_worker_processes", "24"),
            // Statements of jobs may contain personal data, so pg_cron does not log them.
            ("cron.log_statement", "off"),
        ],
        "pg_net" => &[("pg_net.database_name", "postgres")],
        // Disables telemetry: no data of a project is sent to the extension's vendor.
        "timescaledb" => &[("timescaledb.telemetry_level", "off")],
        _ => &[],
    }
}
