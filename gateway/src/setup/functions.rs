//! Creates the functions API from the configuration.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use cloch_core::outbound::{ChosenBy, Outbound};
use cloch_core::{Secret, supervise};
use cloch_functions::deno::{
    self, AiServer, Deployments, Engine, EngineFunction, EngineOptions, FindFunctions, Policy,
};
use cloch_functions::settings::{Ai, Options, Sections};
use cloch_functions::{FunctionsState, Registry, Services, Settings, StartError};
use cloch_http::with_min_rate;
use cloch_sql::Database;
use cloch_sql::caller::KeyRing;
use cloch_storage::StorageState;
use ipnet::IpNet;
use serde_json::json;

use super::SharedServices;
use crate::config::{Config, DatabaseChoice, Secrets};
use crate::error::CommandError;
use crate::service::Service;

/// Creates the state of the functions API. Afterwards, functions can be called.
///
/// # Errors
/// If a setting is invalid, or the database returns an error.
async fn state(shared: &SharedServices, storage: Option<StorageState>) -> Result<FunctionsState, CommandError> {
    let config = &shared.config;
    let settings = settings(shared)?;
    let registry = match cloch_club::is_declared(&config.functions) {
        true => register_club(shared, &settings).await?,
        false => Registry::default(),
    };
    let services = Services {
        settings,
        database: shared.database.clone(),
        mailer: shared.mailer.clone(),
        storage,
        keys: Arc::clone(shared.verifier.keys()),
        api_keys: shared.api_keys.clone(),
        local_url: config.local_url("").parse()?,
        public_url: config.external_url.clone(),
        site_url: config.file.auth.site_url.parse()?,
    };
    let engine = engine(shared, &services, &registry).await?;
    let state = FunctionsState::new(services, registry, Some(engine))?;
    state.check_destinations()?;
    Ok(state)
}

/// Creates the functions API and its background tasks. The state is `None` if functions are disabled.
///
/// # Errors
/// If a setting or an e-mail address in `[web.settings]` of cloch.toml is invalid, or the database returns an error.
pub async fn service(
    shared: &SharedServices,
    storage: Option<StorageState>,
) -> Result<(Service, Option<FunctionsState>), CommandError> {
    let mut service = Service::default().metrics(cloch_functions::metrics::register);
    if !shared.config.file.edge_runtime.enabled.unwrap_or(true) {
        return Ok((service.disabled("/functions/v1", "[edge_runtime] enabled = false"), None));
    }
    let state = state(shared, storage).await?;
    let (upkeep, stop) = (state.clone(), shared.shutdown.clone());
    service = service.task(supervise("functions", shared.shutdown.clone(), move || upkeep.clone().run(stop.clone())));
    if cloch_club::is_declared(&shared.config.functions) {
        let recipients = cloch_club::settings::Recipients::read(&shared.config.cloch.web.settings)?;
        service = service.task(cloch_club::mail_jobs::run(state.services(), recipients, shared.shutdown.clone()));
    }
    let router = with_min_rate(cloch_functions::router(state.clone()), shared.config.cloch.server.min_rate());
    Ok((service.nest("/functions/v1", router), Some(state)))
}

/// Checks the settings of functions and of the language model server.
///
/// # Errors
/// Returns an error for the first invalid setting.
pub fn check(config: &Config) -> Result<(), CommandError> {
    policy(config)?;
    let settings = Settings::read(sections(config))?;
    Ai::read(&config.cloch.ai, &settings.secrets)?;
    Ok(())
}

fn sections(config: &Config) -> Sections<'_> {
    Sections {
        declared: &config.functions,
        secrets: &config.file.edge_runtime.secrets,
        options: &config.cloch.functions,
        project: &config.project,
        data: &config.data,
    }
}

/// Returns the settings and secrets of functions. If config.toml and secrets.toml contain a secret with the same name, the secret of
/// config.toml is used.
fn settings(shared: &SharedServices) -> Result<Settings, CommandError> {
    let config = &shared.config;
    let mut settings = Settings::read(sections(config))?;
    settings.outbound = outbound(config);
    for (name, value) in &shared.secrets.functions {
        if !config.has_function_secret(name) {
            settings.secrets.insert(name.clone(), Secret::new(value));
        }
    }
    Ok(settings)
}

/// Creates the engine that runs the project's own functions. The engine also finds functions that are added to the project's folder while
/// the server runs.
async fn engine(shared: &SharedServices, services: &Services, registry: &Registry) -> Result<Engine, CommandError> {
    let config = &shared.config;
    let mut options = engine_options(config, environment(config, &shared.secrets, shared.verifier.keys())?)?;
    options.ai = ai_server(config, &services.settings)?;
    let usual = (policy(config)?, Options::default().worker_limits(&config.cloch.outbound.allowed_networks));
    let find = find_functions(config, registry.clone());
    let deployments = deployments(config, &shared.database);
    if let Err(error) = deployments.join().await {
        tracing::error!(%error, "functions: reading function versions deployed by other nodes failed, these versions are not served until a retry succeeds");
    }
    Ok(Engine::new(options, deployments, find, &services.settings.secrets, usual, shared.serve)?)
}

/// Opens the storage of deployed function versions. Nodes with the same external database share these versions.
pub fn deployments(config: &Config, database: &Database) -> Deployments {
    let shared = match config.database {
        DatabaseChoice::Embedded { .. } => None,
        DatabaseChoice::External(_) => Some(database.admin().clone()),
    };
    Deployments::new(&config.functions_folder(), &config.project, shared)
}

/// Returns the settings of the language model server in `[ai]`. Functions that call `Supabase.ai` send requests to this server. `None` if
/// no server is configured.
fn ai_server(config: &Config, settings: &Settings) -> Result<Option<AiServer>, CommandError> {
    let ai = Ai::read(&config.cloch.ai, &settings.secrets)?;
    if !ai.is_configured() {
        return Ok(None);
    }
    if let Some(url) = &ai.base_url {
        settings.check_destination("ai.base_url", url)?;
    }
    Ok(Some(AiServer {
        base: ai.base().to_owned(),
        http: settings.outbound.client(ChosenBy::Project).build().map_err(StartError::from)?,
        api_key: ai.api_key,
        embedding_model: ai.embedding_model,
    }))
}

/// Returns a callback that lists the functions in the project's folder. The list also contains functions that were added after the server
/// had started. The settings of all functions are those that config.toml and cloch.toml contained when the server started.
fn find_functions(config: &Config, registry: Registry) -> FindFunctions {
    let (declared, options) = (config.functions.clone(), config.cloch.functions.clone());
    let (project, data) = (config.project.clone(), config.data.clone());
    let allowed = config.cloch.outbound.allowed_networks.clone();
    FindFunctions::new(move || {
        let sections = Sections {
            declared: &declared,
            secrets: &BTreeMap::new(),
            options: &options,
            project: &project,
            data: &data,
        };
        let settings = Settings::read(sections)
            .inspect_err(|error| tracing::error!(%error, "functions: reading the project's functions failed, changed functions are not served"))
            .ok()?;
        let mut functions = own_functions(&settings, &allowed);
        functions.retain(|name, _| {
            // Two functions with the same name are a conflict. If a function in the folder has the name of a built-in function when the
            // server starts, the server refuses to start. If such a function is added while the server runs, only this function is skipped.
            let is_free = !registry.has(name);
            if !is_free {
                tracing::error!(function = %name, "functions: name of a new function already taken by a built-in function, the new function is not served, rename it");
            }
            is_free
        });
        Some(functions)
    })
}

/// Returns the functions whose code is in the project's folder, with their limits. Functions that an upstream server runs are left out.
pub fn own_functions(settings: &Settings, allowed: &[IpNet]) -> BTreeMap<String, EngineFunction> {
    let own = settings.functions.iter().filter(|(_, declared)| declared.options.upstream.is_none());
    let own = own.filter_map(|(name, declared)| {
        let (source, limits) = (declared.source.clone()?, declared.options.worker_limits(allowed));
        Some((name.clone(), EngineFunction { source, limits, declared: Arc::new(declared.clone()) }))
    });
    own.collect()
}

/// Returns those options of the functions' engine that depend on this program or on its configuration.
///
/// # Errors
/// When the path of this program's executable is unknown.
pub fn engine_options(config: &Config, environment: BTreeMap<String, Secret>) -> Result<EngineOptions, CommandError> {
    let folder = config.functions_folder();
    let program = std::env::current_exe()?.into_os_string();
    let host = if config.host.is_unspecified() { IpAddr::from([127, 0, 0, 1]) } else { config.host };
    let local = config.local_url("");
    let by_name = format!("http://localhost:{}", config.port);
    Ok(EngineOptions {
        deno: config.deno.places(&folder),
        launcher: vec![program, deno::SUBCOMMAND.into(), std::process::id().to_string().into()],
        environment,
        download_environment: config.deno.download_environment.clone(),
        server: SocketAddr::new(host, config.port),
        database: match config.database {
            DatabaseChoice::Embedded { port, .. } => Some(SocketAddr::from(([127, 0, 0, 1], port))),
            DatabaseChoice::External(_) => None,
        },
        server_origins: vec![local, by_name],
        project: config.project.clone(),
        ai: None,
        folder,
    })
}

/// Returns the environment variables that every function gets.
fn environment(config: &Config, secrets: &Secrets, keys: &KeyRing) -> Result<BTreeMap<String, Secret>, CommandError> {
    let keyed = |key: &str| json!({ "default": key }).to_string();
    let variables = [
        ("SUPABASE_URL", config.local_url("")),
        ("SUPABASE_ANON_KEY", secrets.anon_key.clone()),
        ("SUPABASE_SERVICE_ROLE_KEY", secrets.service_role_key.clone()),
        ("SUPABASE_DB_URL", config.database_url(secrets)),
        ("SUPABASE_PUBLISHABLE_KEYS", keyed(&secrets.publishable_key)),
        ("SUPABASE_SECRET_KEYS", keyed(&secrets.secret_key)),
        ("SUPABASE_JWKS", serde_json::to_string(keys.jwks())?),
        // Without this variable, functions that verify tokens themselves would expect the issuer `SUPABASE_URL/auth/v1`. If the project
        // sets this variable, the project's value is used.
        ("SB_JWT_ISSUER", config.token_issuer()),
    ];
    Ok(variables.into_iter().map(|(name, value)| (name.to_owned(), Secret::new(value))).collect())
}

fn policy(config: &Config) -> Result<Policy, CommandError> {
    match config.file.edge_runtime.policy.as_deref() {
        None | Some("per_worker") => Ok(Policy::PerWorker),
        Some("oneshot") => Ok(Policy::Oneshot),
        Some(other) => {
            Err(format!("config.toml: edge_runtime.policy: {other:?} is neither per_worker nor oneshot").into())
        }
    }
}

/// Registers the club's built-in functions, and stores the password of the club's judges if it is set as a secret.
async fn register_club(shared: &SharedServices, settings: &Settings) -> Result<Registry, CommandError> {
    let config = &shared.config;
    let mut club = cloch_club::Settings::read(&config.cloch.functions, &config.cloch.ai, &settings.secrets)?;
    cloch_club::check_destinations(&club, settings)?;
    let invitation_expiry = config.cloch.auth.invitation_expiry.unwrap_or(config.file.auth.email.otp_expiry);
    club.invitation_expiry = Duration::from_secs(invitation_expiry);
    club.recipients = cloch_club::settings::Recipients::read(&config.cloch.web.settings)?;
    cloch_club::prepare(&shared.database, settings.secret(cloch_club::JUDGING_PASSWORD))
        .await
        .map_err(|error| format!("functions: {error:?}"))?;
    Ok(cloch_club::register(Registry::default(), &club)?)
}

/// Returns the policy for requests that this server and its functions send to other servers.
pub fn outbound(config: &Config) -> Outbound {
    Outbound::new(&config.cloch.outbound.allowed_networks)
}
