//! Starts and stops the program: opens the database, and combines the APIs of all [`Services`] into one HTTP server.

use std::sync::Arc;
use std::time::Duration;

use cloch_core::Secret;
use cloch_functions::deno::Serve;
use cloch_http::{Authenticator, FileHost, Health, Pipeline, RefusalDelay, SecurityHeaders, Tls, TrustedProxies};
use cloch_mail::Mailer;
use cloch_sql::Database;
use cloch_sql::caller::ApiKeys;
use cloch_sql::caller::token::Verifier;
use cloch_sql::embedded::Cluster;
use cloch_storage::Existing;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::background::{self, Destinations};
use crate::config::{Config, Secrets};
use crate::data_dir_lock::{DataDirLock, KEYS_IN_USE};
use crate::error::CommandError;
use crate::live_settings::LiveSettings;
use crate::service::Services;
use crate::setup::SharedServices;
use crate::web::{self, Published, WebApp};
use crate::{dashboard, database, missing_data, seed_objects, setup};

const BACKGROUND_STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// A running Cloch server: database, APIs and background tasks. Stop it with [`App::drain`], then [`App::stop`].
pub struct App {
    config: Arc<Config>,
    live_settings: Arc<LiveSettings>,
    pipeline: Arc<Pipeline>,
    health: Health,
    shutdown: CancellationToken,
    background: JoinSet<()>,
    cluster: Option<Cluster>,
    first_operator_link: Option<Secret>,
    _data_dir_lock: DataDirLock,
}

impl App {
    /// Starts the database, the APIs and the background tasks of a project.
    ///
    /// # Errors
    /// If a part of the program cannot be started. The error is a message for the operator. The parts that were already started are stopped.
    pub async fn start(
        mut config: Config,
        health: Health,
        serve: Serve,
        tls: Option<Tls>,
    ) -> Result<Self, CommandError> {
        let mut data_dir_lock = DataDirLock::acquire(&config.data)?;
        data_dir_lock.note_port(config.port)?;
        let secrets = config.secrets()?;
        if let Err(error) = secrets.note_in_use(&config.data, config.key_overrides.are_the_clis) {
            tracing::warn!(%error, "server: writing {KEYS_IN_USE} to the data folder failed, `cloch status` may print keys that this server refuses");
        }
        setup::checks::check(&config, &secrets)?;
        let objects_missing = missing_data::objects_missing(&config)?;
        let public = web::public_config(&secrets.anon_key, &config.cloch.web.settings);
        let web = WebApp::open(config.cloch.web.app.as_deref(), &config.project, public).await?;
        let opened = database::open(&config, &secrets).await?;
        if let Some(cluster) = &opened.cluster {
            config.use_database_port(cluster.port());
        }
        let mut background = JoinSet::new();
        let started = async {
            if objects_missing {
                missing_data::expect_no_objects(&config, &opened.database).await?;
            }
            let api_keys = secrets.api_keys(health.issued_keys());
            api_keys.issued.load(opened.database.operators()).await?;
            let shared =
                shared_services(config, secrets, api_keys, opened.database, opened.rest_connections, serve, tls)?;
            let buckets = match (opened.is_foreign, opened.fresh) {
                (true, _) => Existing::Keep,
                (false, true) => Existing::Replace,
                (false, false) => Existing::Update,
            };
            let pipeline = Arc::new(assemble(&shared, web, &health, buckets, &mut background).await?);
            seed_objects(&shared, &pipeline, opened.fresh, opened.seeded).await;
            let link = first_operator_link(&shared).await?;
            Ok((shared.config, shared.live_settings, pipeline, shared.shutdown, link))
        };
        let (config, live_settings, pipeline, shutdown, first_operator_link) = match started.await {
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
        Ok(Self {
            config,
            live_settings,
            pipeline,
            health,
            shutdown,
            background,
            cluster,
            first_operator_link,
            _data_dir_lock: data_dir_lock,
        })
    }

    /// Returns the configuration. It contains the port on which the database actually listens.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the settings in effect, which can be changed while the server runs.
    pub fn live_settings(&self) -> Arc<LiveSettings> {
        Arc::clone(&self.live_settings)
    }

    /// Returns the path of the link with which the dashboard's first operator signs up; `None` if an operator exists or the dashboard is
    /// disabled.
    pub fn first_operator_link(&self) -> Option<&Secret> {
        self.first_operator_link.as_ref()
    }

    /// Returns the pipeline that handles HTTP requests.
    pub fn pipeline(&self) -> Arc<Pipeline> {
        Arc::clone(&self.pipeline)
    }

    /// Makes the endpoint /health respond with 503, so that load balancers stop sending requests.
    pub fn drain(&self) {
        self.health.draining();
    }

    /// Stops the background tasks, then the database.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        let all = async { while self.background.join_next().await.is_some() {} };
        if tokio::time::timeout(BACKGROUND_STOP_TIMEOUT, all).await.is_err() {
            tracing::warn!(
                tasks = self.background.len(),
                "server: shutdown timeout: background tasks still running, stopping without waiting for these tasks"
            );
        }
        if let Some(cluster) = self.cluster {
            cluster.stop().await;
        }
    }
}

fn shared_services(
    config: Config,
    secrets: Secrets,
    api_keys: ApiKeys,
    database: Database,
    rest_connections: u32,
    serve: Serve,
    tls: Option<Tls>,
) -> Result<SharedServices, CommandError> {
    let keys = Arc::new(setup::checks::signing_keys(&config, &secrets)?);
    let mailer = Mailer::new(database.clone(), setup::mail::keyed_settings(&config, &secrets)?)?;
    let verifier = Verifier::with_issuers(keys, setup::auth::other_issuers(&config)?);
    let backup = setup::backup::settings(&config, &secrets, &database.logins().maintenance, &mailer)?;
    let config = Arc::new(config);
    Ok(SharedServices {
        live_settings: Arc::new(LiveSettings::new(Arc::clone(&config), secrets.clone(), setup::checks::check)),
        config,
        secrets,
        api_keys,
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

/// Uploads the initial files of a project to its storage: the files in each bucket's `objects_path` if the database is new (`fresh`), and the
/// files in the folder `[seed] objects` if this start has run the seed (`seeded`).
async fn seed_objects(shared: &SharedServices, pipeline: &Pipeline, fresh: bool, seeded: bool) {
    let config = &shared.config;
    let of_buckets = config.file.storage.buckets.iter().filter(|_| fresh);
    let of_buckets = of_buckets.filter_map(|(name, bucket)| Some((Some(name.as_str()), bucket.objects_path.as_ref()?)));
    let of_seed = config.cloch.seed.objects.iter().filter(|_| seeded).map(|folder| (None, folder));
    let key = Secret::new(&shared.secrets.service_role_key);
    for (bucket, folder) in of_buckets.chain(of_seed) {
        match seed_objects::upload(pipeline, &config.project.join(folder), bucket, &key).await {
            Ok(count) => tracing::info!(count, bucket, "seed: uploaded the files in {folder}"),
            Err(error) => {
                tracing::warn!(%error, bucket, "seed: reading the files in {folder} failed, none of these files is uploaded")
            }
        }
    }
}

async fn first_operator_link(shared: &SharedServices) -> Result<Option<Secret>, CommandError> {
    if !shared.config.cloch.dashboard.enabled {
        return Ok(None);
    }
    let keys = dashboard::Keys::new(shared.secrets.dashboard_key()?);
    Ok(dashboard::make_first_link(shared.database.operators(), &keys).await?)
}

/// Creates the services that use the open database, and starts their background tasks. `buckets`: what happens to existing buckets that
/// config.toml declares with other settings.
async fn assemble(
    shared: &SharedServices,
    web: WebApp,
    health: &Health,
    buckets: Existing,
    background: &mut JoinSet<()>,
) -> Result<Pipeline, CommandError> {
    let config = &shared.config;
    health.database(shared.database.admin_login().availability.clone());
    let mut services = Services::default();
    // Telemetry is the first service, because other services check whether spans are recorded.
    services.add(setup::telemetry::service(shared)?);
    services.add(setup::mail::service(shared));
    services.add(background::upkeep(&shared.database, &shared.api_keys.issued, &shared.shutdown));
    if config.database_is_embedded() {
        services.add(background::disk_space(&config.data.join("db"), health, &shared.shutdown));
    }
    if config.file.api.enabled {
        let (schemas, ignores) = (&config.file.api.schemas, &config.cloch.advisors.ignore);
        services.add(background::open_tables(&shared.database, schemas, ignores, &shared.shutdown));
    }
    if !config.is_inspection {
        let outbound = setup::functions::outbound(config);
        let destinations = Destinations::new(outbound, config.port, config.external_url.clone());
        services.add(background::jobs(destinations, &shared.database, &shared.shutdown));
    }
    services.add(setup::acme::service(shared, health)?);
    let (service, rest) = setup::rest::service(shared).await;
    services.add(service);
    let (service, auth) = setup::auth::service(shared)?;
    services.add(service);
    services.add(setup::realtime::service(shared)?);
    let (service, storage) = setup::storage::service(shared, buckets).await?;
    services.add(service);
    let (storage, storage_routes) = storage.unzip();
    services.add(setup::backup::service(shared, health));
    let (service, functions) = setup::functions::service(shared, storage).await?;
    services.add(service);
    let (service, project) = setup::management::service(shared, functions)?;
    services.add(service);
    let (service, metrics) = setup::metrics::service(shared, rest.as_ref(), &services).await?;
    services.add(service);
    let (service, nodes) = setup::dashboard::settings_nodes(shared)?;
    services.add(service);
    let (service, refused_requests) =
        setup::dashboard::service(shared, project, auth, storage_routes, metrics, Arc::clone(&nodes))?;
    services.add(service);
    let web = match &config.cloch.web.content {
        Some(function) => web.with_published(Published::new(shared.database.clone(), function)?),
        None => web,
    };
    shared.live_settings.started(services.take_changes());
    nodes.start().await;
    let (apis, outage_forms) = services.start(web.router(), background);
    let is_https = config.external_url.scheme() == "https";
    Ok(Pipeline {
        trusted_proxies: TrustedProxies::new(&config.cloch.server.trusted_proxies),
        authenticator: Authenticator::new(
            shared.api_keys.clone(),
            shared.verifier.clone(),
            shared.database.roles().clone(),
        ),
        refusal_delay: RefusalDelay::new(config.cloch.limits.visitors.refusals_per_minute),
        file_host: FileHost::new(config.cloch.storage.public_host.clone().map(|host| host.0), is_https),
        security_headers: SecurityHeaders { is_https },
        health: health.clone(),
        outage_forms,
        refused_requests,
        replica: rest.as_ref().and_then(|state| state.replica().cloned()),
        apis,
    })
}
