//! The running program: every API over one database, assembled once.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use cloch_backup::status::Status;
use cloch_core::Secret;
use cloch_core::min_rate::MinRate;
use cloch_functions::deno::Serve;
use cloch_http::{
    ApiRouter, Authenticator, FileHost, Health, Pipeline, RefusalDelay, RequestLimits, SecurityHeaders, Tls,
    TrustedProxies, with_limits, with_min_rate,
};
use cloch_mail::Mailer;
use cloch_rest::RestState;
use cloch_sql::Database;
use cloch_sql::caller::KeyRing;
use cloch_sql::caller::keys::SigningKey;
use cloch_sql::caller::token::Verifier;
use cloch_sql::embedded::Cluster;
use cloch_storage::Routes;
use serde_json::json;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::background::Destinations;
use crate::config::{Config, Secrets};
use crate::dashboard::DashboardState;
use crate::data_dir_lock::DataDirLock;
use crate::error::CommandError;
use crate::setup::SharedServices;
use crate::token_access::TokenAccess;
use crate::web::{self, Published, WebApp};
use crate::{background, dashboard, database, management, mcp, missing_data, seed_objects, setup};

/// Time for background tasks to end after the last request.
const BACKGROUND_STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// Time that the start waits for the schema cache.
const SCHEMA_CACHE_TIMEOUT: Duration = Duration::from_secs(10);

/// A started program. Stop it with [`App::drain`], then [`App::stop`].
pub struct App {
    pipeline: Arc<Pipeline>,
    health: Health,
    shutdown: CancellationToken,
    background: JoinSet<()>,
    cluster: Option<Cluster>,
    first_operator_link: Option<Secret>,
    _data_dir_lock: DataDirLock,
}

impl App {
    /// Starts everything the configuration asks for.
    ///
    /// # Errors
    /// What stopped the start, in words for the operator. Parts that were already started are stopped.
    pub async fn start(config: Config, health: Health, serve: Serve, tls: Option<Tls>) -> Result<Self, CommandError> {
        let mut data_dir_lock = DataDirLock::acquire(&config.data)?;
        data_dir_lock.note_port(config.port)?;
        let secrets = config.secrets()?;
        check_files(&config, &secrets)?;
        let objects_missing = missing_data::objects_missing(&config)?;
        let public = web::public_config(&secrets.anon_key, &config.cloch.web.settings);
        let web = WebApp::open(config.cloch.web.app.as_deref(), &config.project, public).await?;
        let opened = database::open(&config, &secrets).await?;
        let mut background = JoinSet::new();
        let started = async {
            if objects_missing {
                missing_data::expect_no_objects(&config, &opened.database).await?;
            }
            let shared = shared_services(config, secrets, opened.database, opened.rest_connections, serve, tls)?;
            let pipeline = Arc::new(assemble(&shared, web, &health, &mut background).await?);
            seed_objects(&shared, &pipeline, opened.fresh, opened.seeded).await;
            let link = first_operator_link(&shared).await?;
            Ok((pipeline, shared.shutdown, link))
        };
        let (pipeline, shutdown, first_operator_link) = match started.await {
            Ok(started) => started,
            Err(error) => {
                background.shutdown().await;
                if let Some(cluster) = opened.cluster {
                    cluster.stop().await;
                }
                return Err(error);
            }
        };
        health.ready();
        let cluster = opened.cluster;
        Ok(Self { pipeline, health, shutdown, background, cluster, first_operator_link, _data_dir_lock: data_dir_lock })
    }

    /// The link for the dashboard's first operator, below the server's address; `None` where there is an operator.
    pub fn first_operator_link(&self) -> Option<&Secret> {
        self.first_operator_link.as_ref()
    }

    /// The pipeline that answers requests.
    pub fn pipeline(&self) -> Arc<Pipeline> {
        Arc::clone(&self.pipeline)
    }

    /// Makes /health answer 503, so that load balancers send no more requests.
    pub fn drain(&self) {
        self.health.draining();
    }

    /// Ends background tasks, then the database.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        let all = async { while self.background.join_next().await.is_some() {} };
        if tokio::time::timeout(BACKGROUND_STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!("shutdown timeout: background tasks still running");
        }
        if let Some(cluster) = self.cluster {
            cluster.stop().await;
        }
    }
}

/// Reads the files that config.toml names once before the database is touched: a missing one should stop the start before migrations run.
fn check_files(config: &Config, secrets: &Secrets) -> Result<(), CommandError> {
    signing_keys(config, secrets)?;
    setup::acme::check(config)?;
    if config.file.auth.enabled {
        cloch_auth::check_mail_templates(&config.file.auth.email, &config.project)?;
        cloch_auth::check_message_templates(&config.file.auth)?;
    }
    Ok(())
}

fn shared_services(
    config: Config,
    secrets: Secrets,
    database: Database,
    rest_connections: u32,
    serve: Serve,
    tls: Option<Tls>,
) -> Result<SharedServices, CommandError> {
    let keys = Arc::new(signing_keys(&config, &secrets)?);
    let mail = cloch_mail::Settings {
        inbox_key: secrets.inbox_key()?,
        seal_key: secrets.mail_key()?,
        ..setup::mail::settings(&config)?
    };
    let mailer = Mailer::new(database.clone(), mail)?;
    let verifier = Verifier::with_issuers(keys, setup::auth::other_issuers(&config)?);
    let backup = setup::backup::settings(&config, &secrets, &database.logins().maintenance, &mailer)?;
    Ok(SharedServices {
        config: Arc::new(config),
        secrets,
        database,
        rest_connections,
        verifier,
        mailer,
        serve,
        backup,
        tls,
        shutdown: CancellationToken::new(),
    })
}

/// Uploads the files of a new database: those of its buckets (`objects_path`), and those of the seed if it ran.
async fn seed_objects(shared: &SharedServices, pipeline: &Pipeline, fresh: bool, seeded: bool) {
    let config = &shared.config;
    let of_buckets = config.file.storage.buckets.iter().filter(|_| fresh);
    let of_buckets = of_buckets.filter_map(|(name, bucket)| Some((Some(name.as_str()), bucket.objects_path.as_ref()?)));
    let of_seed = config.cloch.seed.objects.iter().filter(|_| seeded).map(|folder| (None, folder));
    let key = Secret::new(&shared.secrets.service_role_key);
    for (bucket, folder) in of_buckets.chain(of_seed) {
        match seed_objects::upload(pipeline, &config.project.join(folder), bucket, &key).await {
            Ok(count) => tracing::info!(count, "the files in {folder} were uploaded"),
            Err(error) => tracing::warn!(%error, "reading the files in {folder} failed"),
        }
    }
}

async fn first_operator_link(shared: &SharedServices) -> Result<Option<Secret>, CommandError> {
    if !shared.config.cloch.dashboard.enabled {
        return Ok(None);
    }
    let keys = dashboard::Keys::new(shared.secrets.dashboard_key()?);
    Ok(dashboard::make_first_link(shared.database.admin(), &keys).await?)
}

/// The keys of the file named by `[auth] signing_keys_path`, or else those of secrets.toml.
fn signing_keys(config: &Config, secrets: &Secrets) -> Result<KeyRing, CommandError> {
    let secret = Secret::new(&secrets.jwt_secret);
    let Some(path) = &config.file.auth.signing_keys_path else {
        return Ok(KeyRing::new(secret, &secrets.signing_keys)?);
    };
    let file = config.project.join(path);
    let text = std::fs::read_to_string(&file)
        .map_err(|error| format!("auth.signing_keys_path: {}: {error}", file.display()))?;
    let keys =
        SigningKey::read(&text).map_err(|error| format!("auth.signing_keys_path: {}: {error}", file.display()))?;
    Ok(KeyRing::with_keys(secret, &keys)?)
}

/// Waits for the schema cache, so that the first requests do not get 503; after the timeout it is loaded in the background.
async fn wait_for_schema_cache(state: &RestState) {
    let loaded = async {
        while !state.ready() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    if tokio::time::timeout(SCHEMA_CACHE_TIMEOUT, loaded).await.is_err() {
        tracing::warn!("schema cache not loaded yet, the table REST responds with 503");
    }
}

/// Adds the Management API and /mcp. Their paths are Cloch's also where it is off.
fn nest_management(router: Router, access: Arc<TokenAccess>, mcp_writes: bool, rate: MinRate) -> Router {
    let mcp = with_min_rate(mcp::router(Arc::clone(&access), mcp_writes), rate);
    router.nest("/v1", with_min_rate(management::router(access), rate)).merge(mcp)
}

/// What is below `/_`: the app's settings, the inbox, the dashboard with its API.
fn own_router(shared: &SharedServices, dashboard: Option<DashboardState>, limits: RequestLimits) -> Router {
    let inbox = cloch_mail::inbox::router(shared.mailer.clone());
    let public = web::public_config(&shared.secrets.anon_key, &shared.config.cloch.web.settings);
    let own = with_limits(web::config_router(public).nest("/inbox", inbox), limits);
    match dashboard {
        Some(state) => {
            let own = own.nest("/api", dashboard::router(state, limits));
            web::dashboard_router().nest("/_", own)
        }
        None => Router::new().nest("/_", own),
    }
}

/// Builds the APIs over an open database, and starts their background tasks.
async fn assemble(
    shared: &SharedServices,
    web: WebApp,
    health: &Health,
    background: &mut JoinSet<()>,
) -> Result<Pipeline, CommandError> {
    let config = &shared.config;
    // Before the parts that ask whether spans are recorded.
    setup::telemetry::start(shared, background)?;
    background.spawn(cloch_mail::worker::run(shared.mailer.clone(), shared.shutdown.clone()));
    background::start_partitions(&shared.database, background, &shared.shutdown);
    if !config.is_aside {
        let outbound = setup::functions::outbound(config);
        let destinations = Destinations::new(outbound, config.port, config.external_url.clone());
        background::start_jobs(destinations, &shared.database, background, &shared.shutdown);
    }
    let login = shared.database.admin_login().clone();
    health.database(login.availability.clone());
    background.spawn(background::health_check::run(login, shared.shutdown.clone()));
    let server = &config.cloch.server;
    let limits = RequestLimits {
        timeout: Duration::from_secs(server.request_timeout),
        body_bytes: usize::try_from(server.body_limit.0).unwrap_or(usize::MAX),
        min_rate: server.min_rate(),
    };
    let web = match &config.cloch.web.content {
        Some(function) => web.with_published(Published::new(shared.database.clone(), function)?),
        None => web,
    };
    let mut router = web.router();
    router = router.merge(with_limits(setup::acme::start(shared, health, background)?, limits));
    let rest = config.file.api.enabled.then(|| setup::rest::state(shared));
    if let Some(state) = &rest {
        wait_for_schema_cache(state).await;
    }
    let issuers = Arc::clone(shared.verifier.other_issuers());
    background.spawn(cloch_auth::third_party::run(issuers, shared.shutdown.clone()));
    let mut auth_router = None;
    if config.file.auth.enabled {
        let state = setup::auth::state(shared)?;
        background.spawn(cloch_auth::cleanup::run(state.clone(), shared.shutdown.clone()));
        router = router.merge(with_limits(cloch_auth::discovery_router(state.clone()), limits));
        let routes = cloch_auth::router(state);
        router = router.nest("/auth/v1", with_limits(routes.clone(), limits));
        auth_router = Some(routes);
    }
    if config.file.realtime.enabled {
        let state = setup::realtime::state(shared)?;
        background.spawn(state.clone().run());
        router = router.nest("/realtime/v1", cloch_realtime::router(state, limits));
    }
    let storage = config.file.storage.enabled.then(|| setup::storage::state(shared)).transpose()?;
    if let Some(state) = &storage {
        setup::storage::ensure_buckets(state, config).await?;
        background.spawn(cloch_storage::background(state.clone()));
    }
    if let Some(backup) = &shared.backup {
        health.backup(backup.folder(), |folder| json!(Status::read(folder)));
        background.spawn(cloch_backup::service::run(backup.clone(), shared.shutdown.clone()));
    }
    let mut functions = None;
    if config.file.edge_runtime.enabled.unwrap_or(true) {
        let state = setup::functions::state(shared, storage.clone()).await?;
        setup::functions::start_background(shared, &state, background)?;
        functions = Some(state.clone());
        router = router.nest("/functions/v1", with_min_rate(cloch_functions::router(state), server.min_rate()));
    }
    let project = setup::management::project(shared, functions)?;
    let access = setup::management::access(shared, &project)?;
    router = nest_management(router, access, config.cloch.management.mcp_writes, server.min_rate());
    let storage = storage.map(Routes::new);
    let metrics = setup::metrics::state(shared, rest.as_ref(), background).await?;
    router = router.merge(with_limits(metrics.router(), limits));
    let dashboard = if config.cloch.dashboard.enabled {
        Some(setup::dashboard::state(shared, project, auth_router, storage.clone(), metrics)?)
    } else {
        None
    };
    let refused_requests = dashboard.as_ref().map(|state| Arc::clone(&state.refused_requests));
    router = router.merge(own_router(shared, dashboard, limits));
    let trusted_proxies = TrustedProxies::new(&server.trusted_proxies);
    let authenticator =
        Authenticator::new(shared.secrets.api_keys(), shared.verifier.clone(), shared.database.roles().clone());
    let replica = rest.as_ref().and_then(|state| state.replica().cloned());
    let mut apis = ApiRouter::new(router);
    if let Some(state) = rest {
        apis.mount("/rest/v1", move |request| state.clone().answer(request));
    }
    if let Some(routes) = storage {
        apis.mount("/storage/v1", move |request| routes.clone().answer(request));
    }
    let is_https = config.external_url.scheme() == "https";
    let security_headers = SecurityHeaders { is_https };
    let file_host = FileHost::new(config.cloch.storage.public_host.clone().map(|host| host.0), is_https);
    let refusal_delay = RefusalDelay::new(config.cloch.limits.visitors.refusals_per_minute);
    Ok(Pipeline {
        trusted_proxies,
        authenticator,
        refusal_delay,
        file_host,
        security_headers,
        health: health.clone(),
        outage_forms: setup::outage::forms(),
        refused_requests,
        replica,
        apis,
    })
}
