//! Shared state of all storage requests.

pub(crate) mod archive_permits;
pub(crate) mod upload_locks;

use std::sync::Arc;

use cloch_core::spans;
use cloch_sql::Database;
use cloch_sql::caller::token::Verifier;
use tokio_util::sync::CancellationToken;

use self::archive_permits::ArchivePermits;
use self::upload_locks::UploadLocks;
use crate::backend::Backend;
use crate::backend::open::open;
use crate::backend::traced::TracedBackend;
use crate::backend::tracked::TrackedBackend;
use crate::capacity::Capacity;
use crate::error::Result;
use crate::object_cache::ObjectCache;
use crate::render::cache::RenderCache;
use crate::render::permits::RenderPermits;
use crate::settings::Settings;
use crate::signed_url::SignedUrls;

/// The state of the storage API. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StorageState {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: Settings,
    shared: Arc<Shared>,
}

/// State that stays the same when the settings are replaced ([`StorageState::with_settings`]).
#[derive(Debug)]
struct Shared {
    database: Database,
    verifier: Verifier,
    backend: Arc<dyn Backend>,
    upload_locks: UploadLocks,
    render_cache: RenderCache,
    render_permits: RenderPermits,
    object_cache: ObjectCache,
    signed_urls: SignedUrls,
    archive_permits: ArchivePermits,
    capacity: Arc<Capacity>,
    shutdown: CancellationToken,
}

impl StorageState {
    /// Creates the state with the storage backend of the settings. Cancelling `shutdown` stops background tasks.
    ///
    /// # Errors
    /// If the storage backend cannot be opened.
    pub fn new(
        database: Database,
        verifier: Verifier,
        settings: Settings,
        shutdown: CancellationToken,
    ) -> Result<Self> {
        let mut backend = open(&settings.backend)?;
        if spans::are_recorded() {
            backend = Arc::new(TracedBackend(backend));
        }
        let backend = match &settings.new_blobs {
            Some(new_blobs) => Arc::new(TrackedBackend::new(backend, Arc::clone(new_blobs))),
            None => backend,
        };
        Ok(Self::with_backend(database, verifier, settings, backend, shutdown))
    }

    /// Creates the state with a storage backend that is already open.
    #[must_use]
    pub fn with_backend(
        database: Database,
        verifier: Verifier,
        settings: Settings,
        backend: Arc<dyn Backend>,
        shutdown: CancellationToken,
    ) -> Self {
        let shared = Shared {
            backend,
            upload_locks: UploadLocks::default(),
            render_cache: RenderCache::open(&settings.images),
            render_permits: RenderPermits::new(&settings.images),
            object_cache: ObjectCache::new(settings.object_cache_bytes),
            signed_urls: SignedUrls::new(verifier.clone()),
            archive_permits: ArchivePermits::default(),
            capacity: Arc::new(Capacity::new(&settings)),
            database,
            verifier,
            shutdown,
        };
        Self { inner: Arc::new(Inner { settings, shared: Arc::new(shared) }) }
    }

    /// Returns a state with other settings, for requests that begin from now on. The caches, the locks and the storage backend are not
    /// replaced, and they keep the settings with which they were opened. The new capacity limits also apply to running uploads.
    #[must_use]
    pub fn with_settings(&self, settings: Settings) -> Self {
        self.capacity().set_limits(&settings);
        Self { inner: Arc::new(Inner { settings, shared: Arc::clone(&self.inner.shared) }) }
    }

    pub(crate) fn database(&self) -> &Database {
        &self.inner.shared.database
    }

    pub(crate) fn verifier(&self) -> &Verifier {
        &self.inner.shared.verifier
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn backend(&self) -> &Arc<dyn Backend> {
        &self.inner.shared.backend
    }

    /// Returns the locks of resumable uploads that requests of this node hold.
    pub(crate) fn upload_locks(&self) -> &UploadLocks {
        &self.inner.shared.upload_locks
    }

    pub(crate) fn render_cache(&self) -> &RenderCache {
        &self.inner.shared.render_cache
    }

    pub(crate) fn render_permits(&self) -> &RenderPermits {
        &self.inner.shared.render_permits
    }

    pub(crate) fn object_cache(&self) -> &ObjectCache {
        &self.inner.shared.object_cache
    }

    pub(crate) fn signed_urls(&self) -> &SignedUrls {
        &self.inner.shared.signed_urls
    }

    pub(crate) fn archive_permits(&self) -> &ArchivePermits {
        &self.inner.shared.archive_permits
    }

    pub(crate) fn capacity(&self) -> &Arc<Capacity> {
        &self.inner.shared.capacity
    }

    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.inner.shared.shutdown
    }
}
