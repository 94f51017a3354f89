//! What functions work with: built once, handed down.

use std::sync::Arc;
use std::time::Duration;

use cloch_mail::Mailer;
use cloch_sql::Database;
use cloch_sql::caller::{ApiKeys, KeyRing};
use cloch_sql::workers::Workers;
use cloch_storage::StorageState;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::judging::Door;
use crate::outbound::{ChosenBy, REFUSED};
use crate::{Refusal, Registry, Settings, judging, limits};

/// Messages that may wait for each thread until their HTML is cleaned.
const QUEUED_MESSAGES: usize = 16;
const SWEEP: Duration = Duration::from_mins(10);

/// The parts a [`FunctionsState`] is made of.
#[derive(Debug)]
pub struct Services {
    /// What the project says about functions.
    pub settings: Settings,
    /// The functions there is code for.
    pub registry: Registry,
    /// The project's database.
    pub database: Database,
    /// Sends mail.
    pub mailer: Mailer,
    /// The project's files; none where the project has storage switched off.
    pub storage: Option<StorageState>,
    /// Signs the tokens that functions give out.
    pub keys: Arc<KeyRing>,
    /// The project's API keys: functions call the auth API as a project's own server does.
    pub api_keys: ApiKeys,
    /// Where this server reaches itself, such as `http://127.0.0.1:54321`.
    pub local_url: Url,
    /// Where clients reach it: links in mails begin with it.
    pub public_url: Url,
    /// The site's address (`auth.site_url`).
    pub site_url: Url,
}

/// Why functions cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The HTTP client cannot be made: no TLS on this machine.
    #[error("the HTTP client of functions cannot be made: {0}")]
    HttpClient(#[from] reqwest::Error),
    /// The system has no threads left.
    #[error("the threads of functions cannot be started: {0}")]
    Threads(#[from] std::io::Error),
}

/// What functions work with. Cheap to clone.
#[derive(Clone, Debug)]
pub struct FunctionsState {
    pub(crate) services: Arc<Services>,
    pub(crate) http: reqwest::Client,
    /// Threads that clean the HTML of messages.
    pub(crate) html: Workers,
    pub(crate) door: Door,
}

impl FunctionsState {
    /// Puts the parts together.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(mut services: Services) -> Result<Self, SetupError> {
        for url in [&mut services.local_url, &mut services.public_url] {
            // So that what is appended stays below a path the URL may have.
            if !url.path().ends_with('/') {
                url.set_path(&format!("{}/", url.path()));
            }
        }
        let http = services.settings.outbound.client(ChosenBy::Project).build()?;
        for (name, declared) in &services.settings.functions {
            if declared.options.upstream.is_none() && services.registry.get(name).is_none() {
                tracing::warn!(
                    function = %name,
                    "declared in config.toml, but there is no code for it here: set functions.{name}.upstream in cloch.toml"
                );
            }
        }
        Ok(Self {
            services: Arc::new(services),
            http,
            html: Workers::for_each_core("html", QUEUED_MESSAGES)?,
            door: Door::new()?,
        })
    }

    /// What has to be so before the first call: the configured judging password is the one in force, unless an admin has set
    /// another since. Call it once the database is migrated.
    ///
    /// # Errors
    /// When the database does not answer, or a configured URL is one that requests may not go to.
    pub async fn prepare(&self) -> Result<(), Refusal> {
        self.check_destinations()?;
        judging::apply_configured(self).await
    }

    fn check_destinations(&self) -> Result<(), Refusal> {
        let settings = &self.services.settings;
        let upstreams = settings.functions.iter().filter_map(|(name, declared)| {
            Some((format!("functions.{name}.upstream"), declared.options.upstream.as_ref()?))
        });
        let model = settings.ai.base_url.as_ref().map(|url| ("ai.base_url".to_owned(), url));
        for (key, url) in upstreams.chain(model) {
            if !settings.outbound.permits(url, ChosenBy::Project) {
                return Err(Refusal::bad_input(format!("cloch.toml: {key}: {REFUSED}")));
            }
        }
        Ok(())
    }

    /// Keeps house until `shutdown` is cancelled: forgets counts that are over.
    pub async fn run(self, shutdown: CancellationToken) {
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                () = tokio::time::sleep(SWEEP) => {}
            }
            if let Err(error) = limits::sweep(self.services.database.admin()).await {
                tracing::warn!(error = %error, "old counts cannot be deleted");
            }
        }
    }
}
