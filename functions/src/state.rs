//! The state of the functions API: built once, handed down.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::outbound::ChosenBy;
use crate::settings::SettingsError;
use crate::{Registry, Services, limits};

/// Between two deletions of rate limits' counts that have expired.
const SWEEP_INTERVAL: Duration = Duration::from_mins(10);

/// The functions there is code for, and what they work with. Cheap to clone.
#[derive(Clone, Debug)]
pub struct FunctionsState {
    pub(crate) services: Arc<Services>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) http: reqwest::Client,
}

impl FunctionsState {
    /// Puts the parts together.
    ///
    /// # Errors
    /// When the HTTP client cannot be made: no TLS on this machine.
    pub fn new(mut services: Services, registry: Registry) -> Result<Self, reqwest::Error> {
        for url in [&mut services.local_url, &mut services.public_url] {
            // So that what is appended stays below a path the URL may have.
            if !url.path().ends_with('/') {
                url.set_path(&format!("{}/", url.path()));
            }
        }
        let http = services.settings.outbound.client(ChosenBy::Project).build()?;
        for (name, declared) in &services.settings.functions {
            if declared.options.upstream.is_none() && registry.get(name).is_none() {
                tracing::warn!(
                    function = %name,
                    "declared in config.toml, but there is no code for it here: set functions.{name}.upstream in cloch.toml"
                );
            }
        }
        Ok(Self { services: Arc::new(services), registry: Arc::new(registry), http })
    }

    /// Refuses upstreams that requests may not go to.
    ///
    /// # Errors
    /// The first of them.
    pub fn check_destinations(&self) -> Result<(), SettingsError> {
        let settings = &self.services.settings;
        for (name, declared) in &settings.functions {
            if let Some(url) = &declared.options.upstream {
                settings.check_destination(&format!("functions.{name}.upstream"), url)?;
            }
        }
        Ok(())
    }

    /// Deletes expired counts of rate limits until `shutdown` is cancelled.
    pub async fn run(self, shutdown: CancellationToken) {
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(SWEEP_INTERVAL) => {}
            }
            if let Err(error) = limits::sweep(self.services.database.admin()).await {
                tracing::warn!(error = %error, "expired rate limits cannot be deleted");
            }
        }
    }
}
