//! State of the functions API: registered functions and the services that the functions use.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cloch_core::outbound::ChosenBy;
use tokio_util::sync::CancellationToken;

use crate::deno::Engine;
use crate::settings::SettingsError;
use crate::{Registry, Services, limits};

/// Interval between two deletions of expired rate limit counts.
const SWEEP_INTERVAL: Duration = Duration::from_mins(10);

/// An error that prevents the start of the functions API.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A function has code both in the project's folder and in Cloch.
    #[error(
        "the function {name} is in two places: {} and this program, which has it for projects that declare it in config.toml. Rename or \
         remove one of them",
        entrypoint.display()
    )]
    TwoPlaces {
        /// Name of the function that has code in two places.
        name: String,
        /// Entrypoint of the function in the project's folder.
        entrypoint: PathBuf,
    },
    /// The HTTP client cannot be created.
    #[error(transparent)]
    Http(#[from] reqwest::Error),
}

/// State of the functions API: registered functions and their services. Clones share the same state.
#[derive(Clone, Debug)]
pub struct FunctionsState {
    pub(crate) engine: Option<Engine>,
    pub(crate) services: Arc<Services>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) http: reqwest::Client,
}

impl FunctionsState {
    /// Creates the state of the functions API. `engine` runs the project's own functions.
    ///
    /// # Errors
    /// Fails if a function has code both in the project's folder and in Cloch, or if the HTTP client cannot be created (no TLS on this
    /// machine).
    pub fn new(mut services: Services, registry: Registry, engine: Option<Engine>) -> Result<Self, StartError> {
        for url in [&mut services.local_url, &mut services.public_url] {
            // `Url::join` drops the last segment of a path without a trailing slash.
            if !url.path().ends_with('/') {
                url.set_path(&format!("{}/", url.path()));
            }
        }
        let http = services.settings.outbound.client(ChosenBy::Project).build()?;
        for (name, declared) in &services.settings.functions {
            let is_in_rust = registry.get(name).is_some();
            match &declared.source {
                Some(source) if is_in_rust => {
                    return Err(StartError::TwoPlaces { name: name.clone(), entrypoint: source.entrypoint.clone() });
                }
                None if !is_in_rust && declared.options.upstream.is_none() => tracing::warn!(
                    function = %name,
                    "functions: function without code: {name} is declared in config.toml, but its code is missing: write \
                     functions/{name}/index.ts, or set functions.{name}.upstream in cloch.toml"
                ),
                _ => {}
            }
        }
        Ok(Self { services: Arc::new(services), registry: Arc::new(registry), http, engine })
    }

    /// Returns the services that functions use, for background tasks of the project's own functions.
    #[must_use]
    pub fn services(&self) -> Arc<Services> {
        Arc::clone(&self.services)
    }

    /// Returns the engine that runs the project's own functions; `None` if the functions API has no engine.
    #[must_use]
    pub fn engine(&self) -> Option<&Engine> {
        self.engine.as_ref()
    }

    /// Whether a function with this name is implemented in Cloch, or is executed by an upstream server.
    #[must_use]
    pub fn is_taken(&self, name: &str) -> bool {
        let declared = self.services.settings.functions.get(name);
        self.registry.get(name).is_some() || declared.is_some_and(|declared| declared.options.upstream.is_some())
    }

    /// Checks that outbound requests are allowed to reach the upstream servers of all functions.
    ///
    /// # Errors
    /// Returns an error for the first upstream server that is not allowed.
    pub fn check_destinations(&self) -> Result<(), SettingsError> {
        let settings = &self.services.settings;
        for (name, declared) in &settings.functions {
            if let Some(url) = &declared.options.upstream {
                settings.check_destination(&format!("functions.{name}.upstream"), url)?;
            }
        }
        Ok(())
    }

    /// Runs the project's own functions, and deletes expired rate limit counts, until `shutdown` is cancelled.
    pub async fn run(self, shutdown: CancellationToken) {
        let engine = self.engine.clone();
        let own = async {
            if let Some(engine) = engine {
                engine.run(shutdown.clone()).await;
            }
        };
        tokio::join!(own, self.sweep(shutdown.clone()));
    }

    async fn sweep(&self, shutdown: CancellationToken) {
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(SWEEP_INTERVAL) => {}
            }
            if let Err(error) = limits::sweep(self.services.database.admin()).await {
                tracing::warn!(error = %error, "functions: deleting expired rate limit counts failed, retrying in 10 minutes");
            }
        }
    }
}
