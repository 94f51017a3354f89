//! The club's named functions: send-email, send-invite, validate-judging-password, set-judging-password and send-guest-email.
//!
//! They are code for one project's tables (`club.*`, `public.guest_letters`). [`is_declared`] tells whether a project is that one; for any
//! other project [`register`] and [`prepare`] are not called and no password is generated.

mod admin;
mod auth_api;
mod email_html;
mod guest_email;
mod judging;
pub mod mail_jobs;
mod send_email;
mod send_invite;
pub mod settings;
mod stored_files;

use std::io;

use cloch_core::Secret;
use cloch_core::workers::Workers;
use cloch_functions::settings::SettingsError;
use cloch_functions::{FunctionError, Registry};
use cloch_sql::Database;

pub use judging::set_password as set_judging_password;
pub use settings::Settings;

/// The name of the secret with the judges' initial password; a password that an admin sets later replaces it.
pub const JUDGING_PASSWORD: &str = "JUDGING_PASSWORD";

/// The function whose declaration identifies the club's project: a project that declares it also has the tables it needs.
const JUDGES_SIGN_IN: &str = "validate-judging-password";

/// Messages that may wait for each thread until their HTML is cleaned.
const QUEUED_MESSAGES_PER_THREAD: usize = 16;

/// Whether config.toml's `[functions]` are those of the club's project.
#[must_use]
pub fn is_declared(functions: &toml::Table) -> bool {
    let enabled = |section: &toml::Value| section.get("enabled").is_none_or(|value| value.as_bool() != Some(false));
    functions.get(JUDGES_SIGN_IN).is_some_and(enabled)
}

/// The club's functions as members of a registry.
///
/// # Errors
/// When no thread can be started.
pub fn register(registry: Registry, settings: &Settings) -> io::Result<Registry> {
    let html = Workers::for_each_core("html", QUEUED_MESSAGES_PER_THREAD)?;
    let registry = registry
        .with(send_email::SendEmail { options: settings.options("send-email"), html: html.clone() })
        .with(send_invite::SendInvite {
            options: settings.options("send-invite"),
            invitation_expiry: settings.invitation_expiry,
        })
        .with(judging::ValidatePassword::new(settings.options(JUDGES_SIGN_IN))?)
        .with(judging::SetPassword)
        .with(guest_email::SendGuestEmail {
            options: settings.options("send-guest-email"),
            ai: settings.ai.clone(),
            html,
        });
    Ok(registry)
}

/// Puts the configured judging password in force, unless an admin has set another one since. Call it once the database is migrated.
///
/// # Errors
/// When the database does not answer.
pub async fn prepare(database: &Database, password: Option<&Secret>) -> Result<(), FunctionError> {
    judging::apply_configured(database, password).await
}

/// Refuses a URL of the language model that outbound requests are not allowed to reach.
///
/// # Errors
/// The error names the configuration key.
pub fn check_destinations(settings: &Settings, functions: &cloch_functions::Settings) -> Result<(), SettingsError> {
    settings.ai.base_url.as_ref().map_or(Ok(()), |url| functions.check_destination("ai.base_url", url))
}
