//! The services that functions use.

use std::sync::Arc;

use cloch_mail::Mailer;
use cloch_sql::Database;
use cloch_sql::caller::{ApiKeys, KeyRing};
use cloch_storage::StorageState;
use url::Url;

use crate::Settings;

/// The services that the gateway provides to functions.
#[derive(Debug)]
pub struct Services {
    /// What the project says about functions.
    pub settings: Settings,
    /// The project's database.
    pub database: Database,
    /// Sends mail.
    pub mailer: Mailer,
    /// The project's storage; `None` if storage is disabled.
    pub storage: Option<StorageState>,
    /// Signs the tokens that functions issue.
    pub keys: Arc<KeyRing>,
    /// The project's API keys, with which functions call the auth API.
    pub api_keys: ApiKeys,
    /// The URL by which this server reaches itself, such as `http://127.0.0.1:54321`.
    pub local_url: Url,
    /// The URL by which clients reach it; links in mails begin with it.
    pub public_url: Url,
    /// The site's address (`auth.site_url`).
    pub site_url: Url,
}
