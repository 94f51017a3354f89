//! Keeps the catalog current: loads it, listens for `NOTIFY pgrst`, loads it again; outages included.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{Catalog, Scope, load};
use crate::client::{ClientError, Connection};
use crate::login::Login;
use crate::supervise::supervise;

/// Notifications within this time lead to one reload.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// The first pause between attempts to reach the database, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long a load may take.
const LOAD_TIMEOUT: Duration = Duration::from_secs(60);
/// When no notification has come for this long, the server is asked whether it is there: a network that breaks without a word would
/// leave the watcher deaf.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// The current catalog, replaced as a whole.
#[derive(Debug, Clone)]
pub struct Catalogs {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    current: ArcSwapOption<Catalog>,
    /// Whether the last attempt to load succeeded.
    healthy: AtomicBool,
}

impl Catalogs {
    /// Starts loading and watching; ends with `shutdown`.
    #[must_use]
    pub fn watch(login: Login, scope: Scope, shutdown: CancellationToken) -> Self {
        let catalogs = Self { inner: Arc::default() };
        let watcher = Watcher { login, scope, catalogs: catalogs.clone() };
        let stop = shutdown.clone();
        tokio::spawn(supervise("catalog watcher", shutdown, move || {
            let (watcher, stop) = (watcher.clone(), stop.clone());
            async move {
                let _ = stop.run_until_cancelled_owned(watcher.run()).await;
            }
        }));
        catalogs
    }

    /// The catalog; none before the first load.
    #[must_use]
    pub fn current(&self) -> Option<Arc<Catalog>> {
        self.inner.current.load_full()
    }

    /// Whether there is a catalog and the last load went well.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.inner.healthy.load(Ordering::Relaxed) && self.inner.current.load().is_some()
    }
}

#[derive(Clone)]
struct Watcher {
    login: Login,
    scope: Scope,
    catalogs: Catalogs,
}

impl Watcher {
    async fn run(self) {
        let mut pause = FIRST_PAUSE;
        loop {
            let Err(error) = self.listen().await;
            // It had been loaded: what broke is new.
            if self.catalogs.inner.healthy.swap(false, Ordering::Relaxed) {
                pause = FIRST_PAUSE;
            }
            tracing::warn!(error = %error, retry_ms = pause.as_millis(), "the database's catalog cannot be watched");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Loads, then reloads at each notification, until the connection breaks.
    async fn listen(&self) -> Result<std::convert::Infallible, ClientError> {
        let mut connection = Connection::open(&self.login).await?;
        connection.run("", &mut [crate::client::BatchStatement::silent("listen \"pgrst\"", &[])]).await?;
        self.load(&mut connection).await?;
        loop {
            let Ok(notification) = timeout(PING_INTERVAL, connection.notification()).await else {
                connection.ping().await?;
                continue;
            };
            let notification = notification?;
            if !matches!(notification.payload.as_str(), "" | "reload schema" | "reload config") {
                continue;
            }
            self.settle(&mut connection).await?;
            if let Err(error) = self.load(&mut connection).await {
                // An unanswered load leaves a connection on which nothing else can be asked.
                if connection.is_broken() || matches!(error, ClientError::Lost(_)) {
                    return Err(error);
                }
                self.catalogs.inner.healthy.store(false, Ordering::Relaxed);
                tracing::error!(error = %error, "the catalog could not be reloaded; the one before stays in use");
            }
        }
    }

    /// Waits until notifications have paused.
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
        let before = self.catalogs.current();
        let loading = timeout(LOAD_TIMEOUT, load(connection, &self.scope, before.as_deref()));
        let catalog =
            loading.await.map_err(|_| ClientError::Lost("loading the catalog took too long".to_owned()))??;
        tracing::info!(
            tables = catalog.tables.len(),
            functions = catalog.functions.len(),
            duration_ms = started.elapsed().as_millis(),
            "the catalog is loaded"
        );
        self.catalogs.inner.current.store(Some(Arc::new(catalog)));
        self.catalogs.inner.healthy.store(true, Ordering::Relaxed);
        Ok(())
    }
}
