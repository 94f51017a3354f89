//! The whole program: every API over one database, put together once.

use std::sync::Arc;
use std::time::Duration;

use cloch_mail::Mailer;
use cloch_sql::caller::KeyRing;
use cloch_sql::caller::keys::SigningKey;
use cloch_sql::caller::token::Verifier;
use cloch_sql::embedded::Cluster;
use cloch_sql::rest::RestState;
use cloch_sql::{Database, Secret, supervise};
use cloch_storage::Routes;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::chores::Destinations;
use crate::command::CommandError;
use crate::config::{Config, Secrets};
use crate::data_folder::DataFolder;
use crate::http::{
    ApiRouter, Authenticator, Health, Pipeline, RefusalDelay, RequestLimits, SecurityHeaders, TrustedProxies,
    with_limits, with_min_rate,
};
use crate::parts::Shared;
use crate::web::{self, WebApp};
use crate::{auth, chores, database, lost_data, parts, realtime, seed_objects};

/// Time for background work to end after the last request.
const WORK_TIMEOUT: Duration = Duration::from_secs(15);

/// Time for the schema catalog to be read before the start goes on without it.
const CATALOG_TIMEOUT: Duration = Duration::from_secs(10);

/// A started program. Stop it with [`Program::drain`], then [`Program::stop`].
pub struct Program {
    pipeline: Arc<Pipeline>,
    health: Health,
    shutdown: CancellationToken,
    work: JoinSet<()>,
    cluster: Option<Cluster>,
    _folder: DataFolder,
}

impl Program {
    /// Starts everything the configuration asks for.
    ///
    /// # Errors
    /// What stopped it, in words for the operator. What was started by then is stopped.
    pub async fn start(config: Config, health: Health) -> Result<Self, CommandError> {
        let folder = DataFolder::take(&config.data)?;
        let secrets = config.secrets()?;
        let objects_missing = lost_data::objects_missing(&config)?;
        let public = web::public_config(&secrets.anon_key, &config.cloch.web.settings);
        let web = WebApp::open(config.cloch.web.app.as_deref(), &config.project, public).await?;
        let opened = database::open(&config, &secrets).await?;
        let mut work = JoinSet::new();
        let started = async {
            if objects_missing {
                lost_data::expect_no_objects(&config, &opened.database).await?;
            }
            let shared = share(config, secrets, opened.database, opened.rest_connections)?;
            let pipeline = Arc::new(assemble(&shared, web, &health, &mut work).await?);
            seed_objects(&shared, &pipeline, opened.fresh, opened.seeded).await;
            Ok((pipeline, shared.shutdown))
        };
        let (pipeline, shutdown) = match started.await {
            Ok(started) => started,
            Err(error) => {
                work.shutdown().await;
                if let Some(cluster) = opened.cluster {
                    cluster.stop().await;
                }
                return Err(error);
            }
        };
        health.ready();
        Ok(Self { pipeline, health, shutdown, work, cluster: opened.cluster, _folder: folder })
    }

    /// What answers requests.
    pub fn pipeline(&self) -> Arc<Pipeline> {
        Arc::clone(&self.pipeline)
    }

    /// Says to load balancers that no more requests should come.
    pub fn drain(&self) {
        self.health.draining();
    }

    /// Ends background work, then the database.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        let all = async { while self.work.join_next().await.is_some() {} };
        if tokio::time::timeout(WORK_TIMEOUT, all).await.is_err() {
            tracing::warn!("background work did not end in time");
        }
        if let Some(cluster) = self.cluster {
            cluster.stop().await;
        }
    }
}

fn share(config: Config, secrets: Secrets, database: Database, rest_connections: u32) -> Result<Shared, CommandError> {
    let keys = Arc::new(signing_keys(&config, &secrets)?);
    let mail = cloch_mail::Settings { inbox_key: secrets.inbox_key()?, ..parts::mail::settings(&config)? };
    let mailer = Arc::new(Mailer::new(database.clone(), mail)?);
    let verifier = Verifier::new(keys);
    Ok(Shared { config, secrets, database, rest_connections, verifier, mailer, shutdown: CancellationToken::new() })
}

/// Uploads the files that belong to a new database: those of its buckets (`objects_path`), and those of the seed if that ran.
async fn seed_objects(shared: &Shared, pipeline: &Pipeline, fresh: bool, seeded: bool) {
    let config = &shared.config;
    let of_buckets = config.file.storage.buckets.iter().filter(|_| fresh);
    let of_buckets = of_buckets.filter_map(|(name, bucket)| Some((Some(name.as_str()), bucket.objects_path.as_ref()?)));
    let of_seed = config.cloch.seed.objects.iter().filter(|_| seeded).map(|folder| (None, folder));
    let key = Secret::new(&shared.secrets.service_role_key);
    for (bucket, folder) in of_buckets.chain(of_seed) {
        match seed_objects::upload(pipeline, &config.project.join(folder), bucket, &key).await {
            Ok(count) => tracing::info!(count, "the files in {folder} were uploaded"),
            Err(error) => tracing::warn!(%error, "the files in {folder} cannot be read"),
        }
    }
}

/// The keys of the file that `[auth] signing_keys_path` names, or else those of secrets.toml.
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

/// The first requests should not meet a 503; a catalog that takes longer is loaded while they do.
async fn wait_for_catalog(state: &RestState) {
    let loaded = async {
        while !state.ready() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    if tokio::time::timeout(CATALOG_TIMEOUT, loaded).await.is_err() {
        tracing::warn!("the schema is still being read; the table REST answers 503 until it is there");
    }
}

/// Puts the parts together over an open database.
async fn assemble(
    shared: &Shared,
    web: WebApp,
    health: &Health,
    work: &mut JoinSet<()>,
) -> Result<Pipeline, CommandError> {
    let config = &shared.config;
    work.spawn(cloch_mail::worker::run((*shared.mailer).clone(), shared.shutdown.clone()));
    let destinations = Destinations::new(parts::functions::outbound(config), config.port, config.external_url.clone());
    chores::start_with(destinations, &shared.database, work, &shared.shutdown);
    let login = shared.database.admin_login().clone();
    work.spawn(chores::reachability::run(login, health.clone(), shared.shutdown.clone()));
    let server = &config.cloch.server;
    let limits = RequestLimits {
        timeout: Duration::from_secs(server.request_timeout),
        body_bytes: usize::try_from(server.body_limit.0).unwrap_or(usize::MAX),
        min_rate: server.min_rate(),
    };
    let inbox = cloch_mail::inbox::router((*shared.mailer).clone());
    let public = web::public_config(&shared.secrets.anon_key, &config.cloch.web.settings);
    let own = web::config_router(public).nest("/inbox", inbox);
    let mut router = web.router().nest("/_", with_limits(own, limits));
    let rest = config.file.api.enabled.then(|| parts::rest::state(shared));
    if let Some(state) = &rest {
        wait_for_catalog(state).await;
    }
    if config.file.auth.enabled {
        let state = parts::auth::state(shared)?;
        work.spawn(auth::cleanup::run(state.clone(), shared.shutdown.clone()));
        router = router.nest("/auth/v1", with_limits(auth::router(state), limits));
    }
    if config.file.realtime.enabled {
        let state = parts::realtime::state(shared);
        work.spawn(state.clone().run());
        router = router.nest("/realtime/v1", realtime::router(state, limits));
    }
    let storage = config.file.storage.enabled.then(|| parts::storage::state(shared)).transpose()?;
    if let Some(state) = &storage {
        parts::storage::ensure_buckets(state, config).await?;
        work.spawn(cloch_storage::background(state.clone()));
    }
    if config.file.edge_runtime.enabled.unwrap_or(true) {
        let state = parts::functions::state(shared, storage.clone()).await?;
        let (upkeep, stop) = (state.clone(), shared.shutdown.clone());
        work.spawn(supervise("functions", shared.shutdown.clone(), move || upkeep.clone().run(stop.clone())));
        router = router.nest("/functions/v1", with_min_rate(cloch_functions::router(state), server.min_rate()));
    }
    let trusted_proxies = TrustedProxies::new(&server.trusted_proxies);
    let authenticator = Authenticator::new(shared.secrets.api_keys(), shared.verifier.clone());
    let mut apis = ApiRouter::new(router);
    if let Some(state) = rest {
        apis.mount("/rest/v1", move |request| state.clone().answer(request));
    }
    if let Some(routes) = storage.map(Routes::new) {
        apis.mount("/storage/v1", move |request| routes.clone().answer(request));
    }
    let security_headers = SecurityHeaders { is_https: config.external_url.scheme() == "https" };
    let refusal_delay = RefusalDelay::new(config.cloch.limits.visitors.refusals_per_minute);
    Ok(Pipeline { trusted_proxies, authenticator, refusal_delay, security_headers, health: health.clone(), apis })
}
