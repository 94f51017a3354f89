//! What functions work with: built once, handed down.

use std::sync::Arc;

use cloch_mail::Mailer;
use cloch_sql::Database;
use cloch_sql::caller::{ApiKeys, KeyRing};
use cloch_storage::StorageState;
use url::Url;

use crate::Settings;

/// What the gateway gives to functions.
#[derive(Debug)]
pub struct Services {
    /// What the project says about functions.
    pub settings: Settings,
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
