//! `[db.settings]`: allow-list of the PostgreSQL settings that a project may set. The list excludes settings with commands, libraries, files
//! or addresses, because with these settings a project could run programs or open the database to other machines.

use crate::config::{ConfigError, ConfigToml, TomlFile};

/// Allowed settings: the keys of the Supabase CLI, and other settings that only affect performance.
const NAMES: [&str; 27] = [
    "checkpoint_completion_target",
    "cpu_index_tuple_cost",
    "cpu_operator_cost",
    "cpu_tuple_cost",
    "cursor_tuple_fraction",
    "default_statistics_target",
    "effective_cache_size",
    "effective_io_concurrency",
    "hash_mem_multiplier",
    "huge_pages",
    "jit",
    "logical_decoding_work_mem",
    "maintenance_io_concurrency",
    "maintenance_work_mem",
    "plan_cache_mode",
    "random_page_cost",
    "seq_page_cost",
    "session_replication_role",
    "shared_buffers",
    "temp_buffers",
    "track_activity_query_size",
    "track_commit_timestamp",
    "track_functions",
    "track_io_timing",
    "wal_buffers",
    "wal_keep_size",
    "work_mem",
];
/// Prefixes of settings that a project may set. Every PostgreSQL setting whose name starts with one of them has a number or a boolean as its
/// value.
const PREFIXES: [&str; 7] = ["autovacuum_", "bgwriter_", "enable_", "max_", "min_", "pg_stat_statements.", "vacuum_"];
/// Suffixes of settings that a project may set. Every PostgreSQL setting whose name ends with one of them is a duration.
const SUFFIXES: [&str; 2] = ["_timeout", "_min_duration_statement"];
/// Settings that begin with one of the `PREFIXES` and are refused nevertheless.
const NOT_AMONG_THEM: [&str; 1] = ["max_stack_depth"];

/// Checks that the project may set all settings in `[db.settings]`.
///
/// # Errors
/// Returns an error that names the first setting that is not allowed.
pub(in crate::config) fn check(source: &TomlFile, file: &ConfigToml) -> Result<(), ConfigError> {
    match file.db.settings.keys().find(|name| !is_open(name)) {
        None => Ok(()),
        Some(name) => Err(source.refuse(
            &format!("db.settings.{name}"),
            "is no setting that a project decides: allowed are those that tune memory, planner, timeouts and limits. For others run PostgreSQL \
             yourself and name it in CLOCH_DB_URL",
        )),
    }
}

fn is_open(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_tuning =
        PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
    (NAMES.contains(&name.as_str()) || is_tuning) && !NOT_AMONG_THEM.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use super::is_open;

    #[test]
    fn what_runs_or_opens_something_is_not_a_projects() {
        // Names from PostgreSQL's documentation, chapters 20.2 to 20.12.
        for name in [
            "archive_command",
            "archive_library",
            "restore_command",
            "recovery_end_command",
            "archive_cleanup_command",
            "ssl_passphrase_command",
            "shared_preload_libraries",
            "session_preload_libraries",
            "local_preload_libraries",
            "dynamic_library_path",
            "jit_provider",
            "data_directory",
            "config_file",
            "hba_file",
            "ident_file",
            "external_pid_file",
            "listen_addresses",
            "unix_socket_directories",
            "unix_socket_permissions",
            "port",
            "ssl_key_file",
            "ssl_ca_file",
            "krb_server_keyfile",
            "log_directory",
            "log_filename",
            "log_destination",
            "stats_temp_directory",
            "primary_conninfo",
            "primary_slot_name",
            "allow_system_table_mods",
            "extension_control_path",
            "include",
            "wal_level",
            "fsync",
            "password_encryption",
            "ARCHIVE_COMMAND",
        ] {
            assert!(!is_open(name), "{name}");
        }
        // The keys of the Supabase CLI's type for `[db.settings]`.
        for name in [
            "effective_cache_size",
            "logical_decoding_work_mem",
            "maintenance_work_mem",
            "max_connections",
            "max_locks_per_transaction",
            "max_parallel_maintenance_workers",
            "max_parallel_workers",
            "max_parallel_workers_per_gather",
            "max_replication_slots",
            "max_slot_wal_keep_size",
            "max_standby_archive_delay",
            "max_standby_streaming_delay",
            "max_wal_size",
            "max_wal_senders",
            "max_worker_processes",
            "session_replication_role",
            "shared_buffers",
            "statement_timeout",
            "track_activity_query_size",
            "track_commit_timestamp",
            "wal_keep_size",
            "wal_sender_timeout",
            "work_mem",
        ] {
            assert!(is_open(name), "{name}");
        }
    }
}
