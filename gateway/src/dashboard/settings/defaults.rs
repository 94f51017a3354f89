//! Values of the most important settings that are in effect, including default values that no file contains.

use serde_json::{Value, json};

use super::Source;
use crate::config::{Config, DatabaseChoice};

/// Returns for each setting its key, its value in effect, and the source of the value if no file contains the key.
pub(super) fn in_force(config: &Config) -> Vec<(&'static str, Value, Source)> {
    let mut settings = of_files(config);
    settings.extend(of_command(config));
    settings.extend(moved(config));
    settings
}

/// Returns the settings whose values come from flags or environment variables, or are determined by the program.
fn of_command(config: &Config) -> Vec<(&'static str, Value, Source)> {
    let database = match &config.database {
        DatabaseChoice::Embedded { .. } => "embedded",
        DatabaseChoice::External(_) => "CLOCH_DB_URL",
    };
    [
        ("program.host", json!(config.host)),
        ("program.port", json!(config.port)),
        ("program.project", json!(config.project)),
        ("program.data", json!(config.data)),
        ("program.database", json!(database)),
        ("program.log", json!(config.log)),
        ("api.external_url", json!(config.external_url)),
    ]
    .map(|(key, value)| (key, value, Source::VariableOrFlag))
    .into()
}

/// Returns the settings whose values in config.toml are overridden by the flag `--port`.
fn moved(config: &Config) -> Vec<(&'static str, Value, Source)> {
    if config.port == config.file.api.port {
        return Vec::new();
    }
    [("api.port", json!(config.port)), ("auth.site_url", json!(config.file.auth.site_url))]
        .map(|(key, value)| (key, value, Source::VariableOrFlag))
        .into()
}

/// Returns the settings with their values from config.toml and cloch.toml, or their default values.
fn of_files(config: &Config) -> Vec<(&'static str, Value, Source)> {
    let (api, auth, storage) = (&config.file.api, &config.file.auth, &config.file.storage);
    let (server, limits) = (&config.cloch.server, &config.cloch.limits);
    [
        ("api.enabled", json!(api.enabled)),
        ("api.schemas", json!(api.schemas)),
        ("api.extra_search_path", json!(api.extra_search_path)),
        ("api.max_rows", json!(api.max_rows)),
        ("auth.enabled", json!(auth.enabled)),
        ("auth.site_url", json!(auth.site_url)),
        ("auth.additional_redirect_urls", json!(auth.additional_redirect_urls)),
        ("auth.enable_signup", json!(auth.enable_signup)),
        ("auth.enable_anonymous_sign_ins", json!(auth.enable_anonymous_sign_ins)),
        ("auth.enable_manual_linking", json!(auth.enable_manual_linking)),
        ("auth.enable_refresh_token_rotation", json!(auth.enable_refresh_token_rotation)),
        ("auth.refresh_token_reuse_interval", json!(auth.refresh_token_reuse_interval)),
        ("auth.jwt_expiry", json!(auth.jwt_expiry)),
        ("auth.minimum_password_length", json!(auth.minimum_password_length)),
        ("auth.email.enable_signup", json!(auth.email.enable_signup)),
        ("auth.email.enable_confirmations", json!(auth.email.enable_confirmations)),
        ("auth.email.otp_expiry", json!(auth.email.otp_expiry)),
        ("auth.wrong_passwords_per_hour", json!(config.cloch.auth.wrong_passwords_per_hour)),
        ("auth.anonymous_user_days", json!(config.cloch.auth.anonymous_user_days)),
        ("realtime.enabled", json!(config.file.realtime.enabled)),
        ("storage.enabled", json!(storage.enabled)),
        ("storage.file_size_limit", json!(storage.file_size_limit.0)),
        ("edge_runtime.enabled", json!(config.file.edge_runtime.enabled.unwrap_or(true))),
        ("db.seed.enabled", json!(config.file.db.seed.enabled)),
        ("server.trusted_proxies", json!(server.trusted_proxies.iter().map(ToString::to_string).collect::<Vec<_>>())),
        ("server.body_limit", json!(server.body_limit.0)),
        ("server.request_timeout", json!(server.request_timeout)),
        ("server.slow_client_timeout", json!(server.slow_client_timeout)),
        ("server.slow_statement", json!(server.slow_statement)),
        ("server.drain_timeout", json!(server.drain_timeout)),
        ("limits.visitors.rows_per_write", json!(limits.visitors.rows_per_write)),
        ("limits.visitors.rows_per_hour", json!(limits.visitors.rows_per_hour)),
        ("limits.visitors.files_per_hour", json!(limits.visitors.files_per_hour)),
        ("limits.visitors.bytes_per_hour", json!(limits.visitors.bytes_per_hour.0)),
        ("limits.visitors.refusals_per_minute", json!(limits.visitors.refusals_per_minute)),
        ("limits.connections.total", json!(limits.connections.total)),
        ("limits.connections.per_network", json!(limits.connections.per_network)),
        ("management.mcp_writes", json!(config.cloch.management.mcp_writes)),
        ("dashboard.enabled", json!(config.cloch.dashboard.enabled)),
    ]
    .map(|(key, value)| (key, value, Source::Default))
    .into()
}
