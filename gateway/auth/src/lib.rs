//! /auth/v1: accounts, sessions and authentication, compatible with GoTrue's clients.
//!
//! Three layers, each of which uses only those below it: [`http`] has one file for each endpoint, which reads requests and writes
//! responses; [`flow`] has the flows that endpoints share (accounts, sessions, codes, mails, hooks, providers); [`model`] has the rows and
//! statements of schema `auth`. The other modules are used by all layers and use none of them.

mod address_limits;
mod client;
mod contact;
mod error;
mod flow;
mod http;
mod mail_templates;
pub mod metrics;
mod missing_features;
mod model;
mod oidc_cache;
mod password;
mod pkce;
mod provider_http;
mod redirect_urls;
mod roles;
pub mod settings;
mod sms_provider;
mod state;
#[cfg(test)]
mod tests;
pub mod third_party;
pub mod webauthn;

pub use address_limits::AddressLimits;
pub use flow::cleanup;
pub use flow::passkeys::name_of as authenticator_name;
pub use flow::{totp, webauthn_options};
pub use http::{discovery_router, router, unavailable};
pub use missing_features::{MissingFeature, missing_features};
pub use settings::Settings;
pub use state::{AuthState, Setup, SetupError};

/// Reads the templates of text messages.
///
/// # Errors
/// When Go would not take one.
pub fn check_message_templates(settings: &Settings) -> Result<(), SetupError> {
    let templates =
        [("auth.sms.template", &settings.sms.template), ("auth.mfa.phone.template", &settings.mfa.phone.template)];
    for (key, template) in templates {
        sms_provider::render(template, "123456").map_err(|error| SetupError(format!("{key}: {error}")))?;
    }
    Ok(())
}

/// Mail templates that fail with some users, for whom the default mail is sent: one line each.
#[must_use]
pub fn mail_template_problems() -> Vec<String> {
    mail_templates::problems()
}

/// Reads the mail templates that config.toml names.
///
/// # Errors
/// When one of their files is missing or cannot be read, or Go would not take it.
pub fn check_mail_templates(email: &settings::Email, project: &std::path::Path) -> Result<(), SetupError> {
    mail_templates::MailTemplates::new(email, project).map(|_| ()).map_err(SetupError)
}
