//! Keeps the catalog current: loads it, listens for `NOTIFY pgrst`, loads it again; outages included.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use tokio_util::sync::CancellationToken;

use super::{Catalog, Scope, load};
use crate::client::{ClientError, Connection};
use crate::database::Login;

/// Notifications within this time lead to one reload.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// The longest pause between attempts to reach the database.
const LONGEST_PAUSE: Duration = Duration::from_secs(32);

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
        tokio::spawn(async move {
            let _ = shutdown.run_until_cancelled_owned(watcher.run()).await;
        });
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

struct Watcher {
    login: Login,
    scope: Scope,
    catalogs: Catalogs,
}

impl Watcher {
    async fn run(self) {
        let mut pause = Duration::from_secs(1);
        loop {
            let started = Instant::now();
            let Err(error) = self.listen().await;
            self.catalogs.inner.healthy.store(false, Ordering::Relaxed);
            if started.elapsed() > LONGEST_PAUSE {
                pause = Duration::from_secs(1);
            }
            tracing::warn!(error = %error, retry_s = pause.as_secs(), "the database's catalog cannot be watched");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Loads, then reloads at each notification, until the connection breaks.
    async fn listen(&self) -> Result<std::convert::Infallible, ClientError> {
        let mut connection = Connection::open(&self.login).await?;
        connection.run("", &mut [crate::client::Step::silent("listen \"pgrst\"", &[])]).await?;
        self.load(&mut connection).await?;
        loop {
            let notification = connection.notification().await?;
            if !matches!(notification.payload.as_str(), "" | "reload schema" | "reload config") {
                continue;
            }
            self.settle(&mut connection).await?;
            if let Err(error) = self.load(&mut connection).await {
                if connection.is_broken() {
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
            match tokio::time::timeout(DEBOUNCE, connection.notification()).await {
                Ok(notification) => drop(notification?),
                Err(_) => break,
            }
        }
        Ok(())
    }

    async fn load(&self, connection: &mut Connection) -> Result<(), ClientError> {
        let started = Instant::now();
        let before = self.catalogs.current();
        let catalog = load(connection, &self.scope, before.as_deref()).await?;
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
