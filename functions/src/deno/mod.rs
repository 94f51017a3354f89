//! The project's own functions, in TypeScript or JavaScript. Each function runs in separate Deno processes, which this module starts, monitors and
//! ends. Data flows in one direction:
//!
//! 1. [`source`](crate::source) **discovers** functions: a folder `functions/<name>` with an entrypoint, and the function's settings in config.toml.
//! 2. [`resolve`] **resolves** imports: the project's import map, CDN modules replaced by npm packages, a cache and a lock file.
//! 3. [`run`] **spawns** Deno processes (workers) with permissions, environment and limits, and forwards requests to the Unix sockets of the workers.
//!
//! [`deploy`] stores deployed versions, on this node and for several nodes, and uploads of the Management API. [`runtime`] finds or downloads Deno,
//! [`watch`] detects file changes, and [`changes`] applies the changes. The public API is [`Engine`].

mod account;
mod busy_program;
mod changes;
mod deploy;
mod management;
mod resolve;
mod run;
mod runtime;
mod sandbox;
mod watch;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use cloch_core::Secret;
use futures_util::future::join_all;
use http::request::Parts;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::settings::Declared;
use crate::{Call, FunctionError};
use run::pool::{Pool, PoolOptions};
use run::proxy::{self, CallLimits};
use run::shared::Shared;
use run::worker::{DeniedNetworks, LogFile, WorkerLimits};

pub use crate::settings::options::{FunctionLimits, Policy, Serve};
pub use crate::source::{FUNCTIONS_FOLDER, Source, discover, entrypoint, is_function_name, reserved_prefix};
pub use deploy::Deployments;
pub use deploy::upload::{MAX_UPLOAD_FILES, Upload, UploadedFile};
pub use deploy::versions::{MAX_VERSION_BYTES, VersionError, Versions};
pub use run::ai::AiServer;
pub use run::launcher::{SUBCOMMAND, become_worker};
pub(crate) use run::proxy::boot_error;
pub use run::shared::EngineOptions;
pub use runtime::{Places, VERSION as DENO_VERSION};

/// Interval between two searches for idle workers.
const IDLE_SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum wait for Deno workers to end when Cloch stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(8);
/// Timeout from the start of a Deno worker until the worker listens.
const BOOT_TIMEOUT: Duration = Duration::from_secs(10);

/// A function in the project's folder.
#[derive(Clone, Debug)]
pub struct EngineFunction {
    /// Code of the function.
    pub source: Source,
    /// Resource limits of the function's workers.
    pub limits: FunctionLimits,
    /// Declaration of the function in config.toml and cloch.toml.
    pub declared: Arc<Declared>,
}

/// Closure that returns the functions that are in the project's folder when it is called. It returns `None` if the configuration cannot be
/// read.
pub struct FindFunctions(Box<dyn Fn() -> Option<BTreeMap<String, EngineFunction>> + Send + Sync>);

impl FindFunctions {
    /// Wraps a closure that is called again whenever files in the project's folder change.
    pub fn new(find: impl Fn() -> Option<BTreeMap<String, EngineFunction>> + Send + Sync + 'static) -> Self {
        Self(Box::new(find))
    }
}

impl fmt::Debug for FindFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FindFunctions")
    }
}

/// Runs the project's own functions in Deno workers. Clones share the same state.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Worker pools by function name. Deploying a new function adds a pool.
    pools: Arc<RwLock<BTreeMap<String, Arc<Pool>>>>,
    /// Whether each uploaded function requires an access token, by function name. Takes precedence over config.toml.
    uploads: Arc<RwLock<BTreeMap<String, bool>>>,
    /// Limits of the workers of uploaded functions that are not in the project's folder.
    usual_limits: Arc<FunctionLimits>,
    policy: Policy,
    /// Lock that is held while functions are added, switched or removed.
    changing: Arc<Mutex<()>>,
    shared: Arc<Shared>,
    find: Arc<FindFunctions>,
    /// Functions in the project's folder. Changes of files add and remove functions.
    folders: Arc<RwLock<BTreeMap<String, EngineFunction>>>,
    deployments: Deployments,
    versions: Versions,
    serve: Serve,
}

impl Engine {
    /// Creates the data folders and finds the functions. Starts no Deno worker.
    ///
    /// # Errors
    /// If the data folder cannot be written.
    pub fn new(
        options: EngineOptions,
        deployments: Deployments,
        find: FindFunctions,
        secrets: &BTreeMap<String, Secret>,
        (policy, usual_limits): (Policy, FunctionLimits),
        serve: Serve,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared::new(options)?);
        *shared.secrets.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(secrets.clone());
        let engine = Self {
            pools: Arc::default(),
            uploads: Arc::default(),
            usual_limits: Arc::new(usual_limits),
            policy,
            changing: Arc::default(),
            shared,
            find: Arc::new(find),
            folders: Arc::default(),
            versions: deployments.versions().clone(),
            deployments,
            serve,
        };
        engine.find_functions();
        Ok(engine)
    }

    fn add_pool(&self, name: &str, source: Source, limits: &FunctionLimits) -> Arc<Pool> {
        let options = PoolOptions {
            limits: WorkerLimits {
                memory_bytes: limits.memory_mb << 20,
                cpu: limits.cpu,
                wall: limits.wall,
                boot: BOOT_TIMEOUT,
            },
            denied: DeniedNetworks::without(&limits.allowed_networks),
            max_workers: limits.max_workers,
            max_requests: limits.max_requests,
            idle: limits.idle,
            policy: self.policy,
        };
        let log = LogFile::new(&self.shared.options.folder.join("logs"), name);
        let pool = Pool::new(name, source, options, log, Arc::clone(&self.shared));
        self.pools.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), Arc::clone(&pool));
        pool
    }

    fn pool(&self, name: &str) -> Option<Arc<Pool>> {
        self.pools.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    fn all_pools(&self) -> Vec<(String, Arc<Pool>)> {
        let pools = self.pools.read().unwrap_or_else(PoisonError::into_inner);
        pools.iter().map(|(name, pool)| (name.clone(), Arc::clone(pool))).collect()
    }

    /// Whether the engine serves a function of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.pools.read().unwrap_or_else(PoisonError::into_inner).contains_key(name)
    }

    /// Forwards a function call to a Deno worker. Returns `None` if the engine does not serve the function.
    pub(crate) async fn answer(
        &self,
        call: &Call,
        (body_bytes, timeout): (usize, Duration),
        parts: Parts,
        body: Body,
    ) -> Option<Result<Response, FunctionError>> {
        let pool = self.pool(&call.name)?;
        let wall = pool.options.limits.wall;
        Some(
            proxy::forward(&pool, call, CallLimits { body_bytes, timeout: timeout.min(wall), wall }, parts, body).await,
        )
    }

    /// Prepares the functions, applies changes of their code and ends idle workers until `shutdown` is cancelled. Then stops all workers.
    pub async fn run(self, shutdown: CancellationToken) {
        if let Some(missing) = sandbox::missing().filter(|_| !self.all_pools().is_empty()) {
            tracing::warn!("functions: isolation of functions incomplete: {missing} (docs/security.md)");
        }
        self.shared.serve_socket();
        let engine = self.clone();
        let work = async move {
            let watched = engine.clone();
            tokio::join!(engine.prepare(), watch::follow(&watched), engine.end_idle(), engine.follow_deployments());
        };
        shutdown.run_until_cancelled(work).await;
        join_all(self.all_pools().iter().map(|(_, pool)| pool.stop(STOP_TIMEOUT))).await;
    }

    /// Resolves and downloads the imports of all functions before the first requests, and logs failures.
    async fn prepare(&self) {
        for (name, pool) in &self.all_pools() {
            match pool.prepare(&pool.source()).await {
                Ok(_) if self.in_folder(name).is_some_and(|function| function.limits.warm) => pool.warm_up(),
                Ok(_) => tracing::debug!(function = %name, "functions: imports of a function resolved"),
                Err(error) => {
                    tracing::error!(function = %name, %error, "functions: function cannot run, its requests fail")
                }
            }
        }
    }

    /// Creates an engine that only resolves and downloads the imports of the functions in the project's folder, and serves no requests.
    ///
    /// # Errors
    /// If the data folder cannot be written.
    pub fn for_cache(options: EngineOptions, functions: BTreeMap<String, EngineFunction>) -> io::Result<Self> {
        let find = FindFunctions::new(move || Some(functions.clone()));
        let deployments = Deployments::new(&options.folder, &options.project, None);
        Self::new(
            options,
            deployments,
            find,
            &BTreeMap::new(),
            (Policy::default(), FunctionLimits::default()),
            Serve::Folder,
        )
    }

    /// Resolves and downloads the imports of all functions. Returns for each function its code with the imported files, or the error.
    pub async fn cache(&self) -> Vec<(String, Result<Source, String>)> {
        let mut outcomes = Vec::new();
        for (name, pool) in &self.all_pools() {
            let prepared = pool.prepare(&pool.source()).await;
            outcomes.push((name.clone(), prepared.map(|prepared| prepared.source)));
        }
        outcomes
    }

    async fn end_idle(&self) {
        loop {
            tokio::time::sleep(IDLE_SWEEP_INTERVAL).await;
            self.all_pools().iter().for_each(|(_, pool)| pool.end_idle());
        }
    }
}
