//! Services that functions use.

use std::sync::Arc;

use cloch_mail::Mailer;
use cloch_sql::Database;
use cloch_sql::caller::{ApiKeys, KeyRing};
use cloch_storage::StorageState;
use url::Url;

use crate::Settings;

/// Services that the gateway provides to functions.
#[derive(Debug)]
pub struct Services {
    /// Settings of the functions API from the project's configuration.
    pub settings: Settings,
    /// Database of the project.
    pub database: Database,
    /// Mailer of the project, which queues mails in the outbox.
    pub mailer: Mailer,
    /// Storage of the project; `None` if storage is disabled.
    pub storage: Option<StorageState>,
    /// Keys that sign the tokens that functions issue.
    pub keys: Arc<KeyRing>,
    /// API keys of the project, with which functions call the auth API.
    pub api_keys: ApiKeys,
    /// URL with which Cloch sends requests to its own server, such as `http://127.0.0.1:54321`.
    pub local_url: Url,
    /// URL with which clients reach this server. Links in mails begin with this URL.
    pub public_url: Url,
    /// URL of the project's site (`auth.site_url`).
    pub site_url: Url,
}
