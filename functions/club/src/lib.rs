//! The club's named functions: send-email, send-invite, validate-judging-password, open-judge-link, set-judging-password, send-guest-email
//! and preview-receipt.
//!
//! The functions require the tables of one project (`club.*`, `public.guest_letters`). [`is_declared`] returns whether a project is the club's; for
//! any other project the gateway does not call [`register`] and [`prepare`].

mod admin;
mod auth_api;
mod email_html;
mod guest_email;
mod judging;
pub mod mail_jobs;
mod preview_receipt;
mod send_email;
mod send_invite;
pub mod settings;
mod stored_files;

use std::io;
use std::sync::Arc;

use cloch_core::Secret;
use cloch_core::workers::Workers;
use cloch_functions::settings::SettingsError;
use cloch_functions::{FunctionError, Registry};
use cloch_sql::Database;

pub use judging::set_password as set_judging_password;
pub use settings::Settings;

/// Name of the secret with the initial password of the judges. A password that an administrator sets later replaces the initial password.
pub const JUDGING_PASSWORD: &str = "JUDGING_PASSWORD";

/// Name of the function whose declaration identifies the club's project. A project that declares the function also has the tables that the club's
/// functions require.
const JUDGES_SIGN_IN: &str = "validate-judging-password";

/// Maximum number of messages that wait until their HTML is sanitised, per worker thread.
const QUEUED_MESSAGES_PER_THREAD: usize = 16;

/// Whether the `[functions]` section of config.toml declares the club's functions.
#[must_use]
pub fn is_declared(functions: &toml::Table) -> bool {
    let enabled = |section: &toml::Value| section.get("enabled").is_none_or(|value| value.as_bool() != Some(false));
    functions.get(JUDGES_SIGN_IN).is_some_and(enabled)
}

/// Adds the club's functions to the registry of functions.
///
/// # Errors
/// If no thread can be started.
pub fn register(registry: Registry, settings: &Settings) -> io::Result<Registry> {
    let html = Workers::for_each_core("html", QUEUED_MESSAGES_PER_THREAD)?;
    let recipients = Arc::new(settings.recipients.clone());
    let registry = registry
        .with(preview_receipt::PreviewReceipt { recipients: recipients.clone() })
        .with(send_email::SendEmail { options: settings.options("send-email"), html: html.clone(), recipients })
        .with(send_invite::SendInvite {
            options: settings.options("send-invite"),
            invitation_expiry: settings.invitation_expiry,
        })
        .with(judging::ValidatePassword::new(settings.options(JUDGES_SIGN_IN))?)
        .with(judging::OpenLink::new(settings.options(JUDGES_SIGN_IN)))
        .with(judging::SetPassword)
        .with(guest_email::SendGuestEmail {
            options: settings.options("send-guest-email"),
            ai: settings.ai.clone(),
            html,
        });
    Ok(registry)
}

/// Replaces the judges' password by the configured password if the configuration has changed since the last start. Call this function after
/// the database migrations.
///
/// # Errors
/// If the database fails.
pub async fn prepare(database: &Database, password: Option<&Secret>) -> Result<(), FunctionError> {
    judging::apply_configured(database, password).await
}

/// Returns an error if the URL of the language model server must not be reached by outbound requests.
///
/// # Errors
/// If the URL is not allowed. The error names the configuration key.
pub fn check_destinations(settings: &Settings, functions: &cloch_functions::Settings) -> Result<(), SettingsError> {
    settings.ai.base_url.as_ref().map_or(Ok(()), |url| functions.check_destination("ai.base_url", url))
}
