//! Keeps the schema cache current: loads it, listens for `NOTIFY pgrst`, reloads it on notifications, and reconnects after outages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use cloch_core::supervise::supervise;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::catch_up::CatchUp;
use super::{SchemaCache, Scope, load};
use crate::client::{ClientError, Connection, Notification};
use crate::login::Login;
use crate::metrics;
use crate::schema_version;

/// Time within which several notifications cause only a single reload.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// First delay between attempts to connect to the database. The delay doubles after each attempt.
const MIN_RETRY_DELAY: Duration = Duration::from_millis(500);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(5);
const LOAD_TIMEOUT: Duration = Duration::from_secs(60);
/// Time without notifications after which the connection is pinged, to detect a failed network.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// Current schema cache, shared by all requests and replaced as a whole.
#[derive(Debug, Clone)]
pub struct SharedSchemaCache {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    current: ArcSwapOption<SchemaCache>,
    healthy: AtomicBool,
    catch_up: CatchUp,
}

impl SharedSchemaCache {
    /// Starts the task that loads the schema cache and keeps it current until `shutdown`.
    #[must_use]
    pub fn watch(login: Login, scope: Scope, shutdown: CancellationToken) -> Self {
        let shared_cache = Self { inner: Arc::default() };
        let watcher = Watcher { login, scope, shared_cache: shared_cache.clone() };
        let stop = shutdown.clone();
        tokio::spawn(supervise("schema cache watcher", shutdown, move || {
            let (watcher, stop) = (watcher.clone(), stop.clone());
            async move {
                let _ = stop.run_until_cancelled_owned(watcher.run()).await;
            }
        }));
        shared_cache
    }

    /// Returns the current schema cache; `None` before the first load.
    #[must_use]
    pub fn current(&self) -> Option<Arc<SchemaCache>> {
        self.inner.current.load_full()
    }

    /// Waits until the schema cache contains every schema change that was committed and notified before this call. Called before a request
    /// that does not fit the schema cache is refused. Returns at once while reloading fails.
    pub async fn catch_up(&self) {
        if self.is_ready() {
            self.inner.catch_up.wait().await;
        }
    }

    /// Whether a schema cache is loaded and the last load succeeded.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.inner.healthy.load(Ordering::Relaxed) && self.inner.current.load().is_some()
    }
}

#[derive(Clone)]
struct Watcher {
    login: Login,
    scope: Scope,
    shared_cache: SharedSchemaCache,
}

impl Watcher {
    async fn run(self) {
        let mut pause = MIN_RETRY_DELAY;
        loop {
            let Err(error) = self.listen().await;
            // The last load succeeded, so this failure begins a new outage, and the retry delay starts again at its minimum.
            if self.shared_cache.inner.healthy.swap(false, Ordering::Relaxed) {
                pause = MIN_RETRY_DELAY;
            }
            tracing::warn!(error = %error, retry_ms = pause.as_millis(), "schema cache: connection for change notifications failed, schema changes have no effect on the REST API until a retry succeeds");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(MAX_RETRY_DELAY);
        }
    }

    /// Loads the schema cache and reloads it at each notification, until the connection fails.
    async fn listen(&self) -> Result<std::convert::Infallible, ClientError> {
        let mut connection = Connection::open(&self.login).await?;
        connection.run("", &mut [crate::client::BatchStatement::silent("listen \"pgrst\"", &[])]).await?;
        self.load(&mut connection).await?;
        loop {
            let notified = tokio::select! {
                notified = timeout(self.interval(), connection.notification()) => notified,
                // Reload the schema cache: PostgreSQL refused a statement after a schema change that caused no notification. Event triggers
                // send the notifications, and without a superuser Cloch cannot create event triggers.
                () = schema_version::change_found() => {
                    self.reload(&mut connection).await?;
                    continue;
                }
                number = self.shared_cache.inner.catch_up.requested() => {
                    self.catch_up(&mut connection).await?;
                    self.shared_cache.inner.catch_up.finish(number);
                    continue;
                }
            };
            let Ok(notification) = notified else {
                match self.shared_cache.is_ready() {
                    true => connection.ping().await?,
                    false => self.reload(&mut connection).await?,
                }
                continue;
            };
            if is_schema_change(&notification?) {
                self.change(&mut connection).await?;
            }
        }
    }

    /// Reloads the schema cache if a schema change was committed before this call. PostgreSQL sends the notifications of such changes before it
    /// responds to the ping.
    async fn catch_up(&self, connection: &mut Connection) -> Result<(), ClientError> {
        connection.ping().await?;
        let mut is_changed = false;
        while let Ok(notification) = timeout(Duration::ZERO, connection.notification()).await {
            is_changed |= is_schema_change(&notification?);
        }
        if is_changed { self.change(connection).await } else { Ok(()) }
    }

    /// Invalidates prepared statements, and then reloads the schema cache.
    async fn change(&self, connection: &mut Connection) -> Result<(), ClientError> {
        schema_version::advance();
        self.reload(connection).await
    }

    /// Returns how long the watch task waits for a notification. When this time has passed, the task checks the connection, or repeats a
    /// reload that failed.
    fn interval(&self) -> Duration {
        if self.shared_cache.is_ready() { PING_INTERVAL } else { MAX_RETRY_DELAY }
    }

    /// Reloads the schema cache after a change. After a failure the previous schema cache stays in use, and the reload is repeated after
    /// [`MAX_RETRY_DELAY`].
    async fn reload(&self, connection: &mut Connection) -> Result<(), ClientError> {
        self.settle(connection).await?;
        if let Err(error) = self.load(connection).await {
            // If the connection broke, it cannot execute another query.
            if connection.is_broken() || matches!(error, ClientError::Lost(_)) {
                return Err(error);
            }
            self.shared_cache.inner.healthy.store(false, Ordering::Relaxed);
            tracing::error!(error = %error, "schema cache: reloading the schema cache failed, keeping the previous schema cache, retrying");
        }
        Ok(())
    }

    /// Waits until no notification has arrived for the time [`DEBOUNCE`], so that several notifications cause only one reload. Waits at
    /// most ten times [`DEBOUNCE`].
    async fn settle(&self, connection: &mut Connection) -> Result<(), ClientError> {
        let end = tokio::time::Instant::now() + 10 * DEBOUNCE;
        while tokio::time::Instant::now() < end {
            match timeout(DEBOUNCE, connection.notification()).await {
                Ok(notification) => drop(notification?),
                Err(_) => break,
            }
        }
        Ok(())
    }

    async fn load(&self, connection: &mut Connection) -> Result<(), ClientError> {
        let started = Instant::now();
        let before = self.shared_cache.current();
        let loading = timeout(LOAD_TIMEOUT, load(connection, &self.scope, before.as_deref()));
        let loaded = loading.await.map_err(|_| ClientError::Lost("loading the schema cache took too long".to_owned()));
        let loaded = loaded.flatten();
        metrics::count_schema_load(loaded.is_ok().then(|| started.elapsed().as_secs_f64()));
        let schema_cache = loaded?;
        tracing::info!(
            tables = schema_cache.tables.len(),
            functions = schema_cache.functions.len(),
            duration_ms = started.elapsed().as_millis(),
            "schema cache: loaded"
        );
        self.shared_cache.inner.current.store(Some(Arc::new(schema_cache)));
        // Notifications may have been missed while no connection listened, so prepared statements may be outdated.
        schema_version::advance();
        self.shared_cache.inner.healthy.store(true, Ordering::Relaxed);
        Ok(())
    }
}

fn is_schema_change(notification: &Notification) -> bool {
    matches!(notification.payload.as_str(), "" | "reload schema" | "reload config")
}
