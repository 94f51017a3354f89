//! What every storage request works with: built once, handed down.

use std::sync::Arc;

use cloch_sql::Database;
use cloch_sql::caller::token::Verifier;
use tokio_util::sync::CancellationToken;

use crate::archive::Packers;
use crate::backend::{self, Backend};
use crate::error::Result;
use crate::object::link::Links;
use crate::object_cache::ObjectCache;
use crate::render::Rendered;
use crate::settings::Settings;
use crate::space::Space;
use crate::tus::Holds;

/// The state of the storage API. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StorageState {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    database: Database,
    verifier: Verifier,
    settings: Settings,
    backend: Arc<dyn Backend>,
    holds: Holds,
    rendered: Rendered,
    object_cache: ObjectCache,
    links: Links,
    packers: Packers,
    space: Arc<Space>,
    shutdown: CancellationToken,
}

impl StorageState {
    /// The state over a database, the project's keys and the settings. `shutdown` ends background work.
    ///
    /// # Errors
    /// When the backend cannot be opened.
    pub fn new(
        database: Database,
        verifier: Verifier,
        settings: Settings,
        shutdown: CancellationToken,
    ) -> Result<Self> {
        let backend = backend::open(&settings.backend)?;
        Ok(Self::with_backend(database, verifier, settings, backend, shutdown))
    }

    /// The state over a backend that is open already.
    #[must_use]
    pub fn with_backend(
        database: Database,
        verifier: Verifier,
        settings: Settings,
        backend: Arc<dyn Backend>,
        shutdown: CancellationToken,
    ) -> Self {
        let (holds, rendered) = (Holds::default(), Rendered::open(&settings.images));
        let object_cache = ObjectCache::new(settings.object_cache_bytes);
        let space = Arc::new(Space::new(&settings));
        let links = Links::new(verifier.clone());
        let packers = Packers::default();
        let inner = Inner {
            database,
            verifier,
            settings,
            backend,
            holds,
            rendered,
            object_cache,
            links,
            packers,
            space,
            shutdown,
        };
        Self { inner: Arc::new(inner) }
    }

    pub(crate) fn database(&self) -> &Database {
        &self.inner.database
    }

    pub(crate) fn verifier(&self) -> &Verifier {
        &self.inner.verifier
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    pub(crate) fn backend(&self) -> &Arc<dyn Backend> {
        &self.inner.backend
    }

    /// The resumable uploads that requests of this node are writing to.
    pub(crate) fn holds(&self) -> &Holds {
        &self.inner.holds
    }

    /// The images that have been rendered.
    pub(crate) fn rendered(&self) -> &Rendered {
        &self.inner.rendered
    }

    pub(crate) fn object_cache(&self) -> &ObjectCache {
        &self.inner.object_cache
    }

    /// The signed links that are remembered.
    pub(crate) fn links(&self) -> &Links {
        &self.inner.links
    }

    /// Those who pack archives.
    pub(crate) fn packers(&self) -> &Packers {
        &self.inner.packers
    }

    /// How full the store is.
    pub(crate) fn space(&self) -> &Arc<Space> {
        &self.inner.space
    }

    pub(crate) fn shutdown(&self) -> &CancellationToken {
        &self.inner.shutdown
    }
}
