//! Creates the [`Project`] that /v1, /mcp and the dashboard share, and the access control of /v1 and /mcp, from the configuration.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use cloch_core::{Live, Secret};
use cloch_functions::FunctionsState;
use cloch_http::with_min_rate;
use cloch_sql::database::Address;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::SharedServices;
use crate::config::{Config, DatabaseChoice};
use crate::error::CommandError;
use crate::project::{Project, SecretStore, Sessions};
use crate::service::Service;
use crate::token_access::TokenAccess;
use crate::{management, mcp};

/// Creates the service of the Management API and /mcp. If access is off, the service still handles these paths and responds with status
/// 404. Without this service, the web app would handle them. Also returns the project, which the dashboard uses.
///
/// # Errors
/// When the secrets of the project or the access token cannot be derived.
pub fn service(
    shared: &SharedServices,
    functions: Option<FunctionsState>,
) -> Result<(Service, Arc<Project>), CommandError> {
    let project = project(shared, functions)?;
    let access = access(shared, &project)?;
    let rate = shared.config.cloch.server.min_rate();
    let mcp = mcp::router(Arc::clone(&access), shared.config.cloch.management.mcp_writes);
    let shown = project.settings.clone();
    let service = Service::default()
        .on_change(move |config| {
            let (shown, settings) = (shown.clone(), settings(config));
            Ok(Box::new(move || shown.set(settings)))
        })
        .nest("/v1", with_min_rate(management::router(access), rate))
        .routes(with_min_rate(mcp, rate));
    Ok((service, project))
}

/// Creates the project with its database sessions, settings and functions.
///
/// # Errors
/// When its secrets cannot be derived.
fn project(shared: &SharedServices, functions: Option<FunctionsState>) -> Result<Arc<Project>, CommandError> {
    let (config, secrets) = (&shared.config, &shared.secrets);
    let database = shared.database.clone();
    let outside = match &config.database {
        DatabaseChoice::Embedded { port, .. } => Some(("127.0.0.1".to_owned(), *port)),
        DatabaseChoice::External(login) => match &login.address {
            Address::Host(host) => Some((host.clone(), login.port)),
            Address::Socket(_) => None,
        },
    };
    let first_start = std::fs::metadata(&config.data).and_then(|folder| folder.created()).ok();
    let first_start = first_start.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    Ok(Arc::new(Project {
        reference: config.project_reference(),
        name: config.project_id.clone(),
        url: config.external_url.clone(),
        api_keys: shared.api_keys.clone(),
        sessions: Sessions::new(database.clone(), secrets.read_only_password()?, outside),
        database,
        schemas: config.file.api.schemas.clone(),
        folder: config.project.clone(),
        has_migrations: config.has_migrations,
        settings: Live::new(settings(config)),
        services: services(config),
        function_logs: config.functions_folder().join("logs"),
        secrets: Mutex::new(SecretStore {
            file: config.secrets_file(),
            of_config: secrets_of_config(config, functions.as_ref()),
            has_judging_password: cloch_club::is_declared(&config.functions),
        }),
        functions,
        created_at: i64::try_from(first_start.as_secs()).unwrap_or_default(),
    }))
}

/// Returns the access control of /v1 and /mcp with the project's access token.
///
/// # Errors
/// When the access token cannot be derived.
fn access(shared: &SharedServices, project: &Arc<Project>) -> Result<Arc<TokenAccess>, CommandError> {
    let (clients, token) = (shared.config.management_access(), shared.secrets.access_token()?);
    Ok(Arc::new(TokenAccess { clients, token, project: Arc::clone(project) }))
}

fn secrets_of_config(config: &Config, functions: Option<&FunctionsState>) -> BTreeMap<String, Secret> {
    let Some(functions) = functions else { return BTreeMap::new() };
    let all = &functions.services().settings.secrets;
    all.iter()
        .filter(|(name, _)| config.has_function_secret(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn services(config: &Config) -> Vec<&'static str> {
    let file = &config.file;
    let parts = [
        ("auth", file.auth.enabled),
        ("realtime", file.realtime.enabled),
        ("rest", file.api.enabled),
        ("storage", file.storage.enabled),
        ("functions", file.edge_runtime.enabled.unwrap_or(true)),
    ];
    parts.into_iter().filter(|(_, enabled)| *enabled).map(|(name, _)| name).collect()
}

/// Returns the settings of config.toml in the form in which the Management API returns them. Secrets are left out.
fn settings(config: &Config) -> Vec<(&'static str, Value)> {
    let (api, auth, storage) = (&config.file.api, &config.file.auth, &config.file.storage);
    let providers = auth
        .external
        .iter()
        .map(|(name, provider)| (format!("external_{name}_enabled"), Value::Bool(provider.enabled)));
    let mut of_auth = json!({
        "site_url": auth.site_url, "uri_allow_list": auth.additional_redirect_urls.join(","),
        "disable_signup": !auth.enable_signup, "jwt_exp": auth.jwt_expiry,
        "external_anonymous_users_enabled": auth.enable_anonymous_sign_ins,
        "security_manual_linking_enabled": auth.enable_manual_linking,
        "refresh_token_rotation_enabled": auth.enable_refresh_token_rotation,
        "security_refresh_token_reuse_interval": auth.refresh_token_reuse_interval,
        "password_min_length": auth.minimum_password_length,
        "external_email_enabled": auth.email.enable_signup, "mailer_autoconfirm": auth.email_autoconfirm(),
        "mailer_otp_exp": auth.email.otp_expiry,
        "smtp_host": auth.email.smtp.as_ref().map(|smtp| &smtp.host),
    });
    if let Some(object) = of_auth.as_object_mut() {
        object.extend(providers);
    }
    let is_transformed = storage.image_transformation.as_ref().is_none_or(|switch| switch.enabled);
    vec![
        ("auth", of_auth),
        (
            "postgrest",
            json!({ "db_schema": api.schemas.join(","), "db_extra_search_path": api.extra_search_path.join(","),
                    "max_rows": api.max_rows, "db_pool": null }),
        ),
        (
            "storage",
            json!({ "fileSizeLimit": storage.file_size_limit.0, "migrationVersion": "", "databasePoolMode": "session",
                    "features": {
                        "imageTransformation": { "enabled": is_transformed }, "s3Protocol": { "enabled": storage.s3_protocol.enabled },
                        "icebergCatalog": { "enabled": false, "maxCatalogs": 0, "maxNamespaces": 0, "maxTables": 0 },
                        "vectorBuckets": { "enabled": true, "maxBuckets": i32::MAX, "maxIndexes": i32::MAX },
                        "purgeCache": { "enabled": false } },
                    "capabilities": { "list_v2": true, "iceberg_catalog": false },
                    "external": { "upstreamTarget": "main" } }),
        ),
        ("realtime", json!({ "suspend": !config.file.realtime.enabled })),
    ]
}
