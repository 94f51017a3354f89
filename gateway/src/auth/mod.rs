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
pub(crate) mod webauthn;

pub use address_limits::AddressLimits;
pub use flow::cleanup;
pub(crate) use flow::passkeys::name_of as authenticator_name;
pub(crate) use flow::{totp, webauthn_options};
pub use http::{discovery_router, router, unavailable};
pub use missing_features::{MissingFeature, missing_features};
pub use settings::Settings;
pub use state::{AuthState, Setup, SetupError};

/// Reads the mail templates that config.toml names.
///
/// # Errors
/// When one of their files is missing or cannot be read.
pub fn check_mail_templates(email: &settings::Email, project: &std::path::Path) -> Result<(), SetupError> {
    mail_templates::MailTemplates::new(email, project).map(|_| ()).map_err(SetupError)
}
