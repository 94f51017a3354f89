//! The auth API (/auth/v1): accounts, sessions and authentication, compatible with clients of GoTrue (Supabase's auth server).
//!
//! The crate has three layers, and each layer imports only the layers below it: [`http`] has one file for each endpoint, which parses
//! requests and writes responses; [`flow`] has the flows that several endpoints share (accounts, sessions, codes, mails, hooks, external
//! sign-in providers); [`model`] has the rows and SQL statements of schema `auth`. All layers use the remaining modules, which import none
//! of the layers.

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
mod sending_transaction;
pub mod settings;
mod sms_provider;
mod state;
#[cfg(test)]
mod tests;
pub mod third_party;
pub mod webauthn;

pub use address_limits::AddressLimits;
pub use flow::cleanup;
pub use flow::external::providers::names as provider_names;
pub use flow::passkeys::name_of as authenticator_name;
pub use flow::{totp, webauthn_options};
pub use http::{discovery_router, router, unavailable};
pub use mail_templates::{DraftProblem, MailDraft, MailPreview, RenderedDraft};
pub use missing_features::{MissingFeature, missing_features};
pub use settings::Settings;
pub use state::{AuthState, Setup, SetupError, check as check_settings};

/// Validates the templates of text messages, which are written in Go's template language.
///
/// # Errors
///
/// Returns an error that names the setting of an invalid template.
pub fn check_message_templates(settings: &Settings) -> Result<(), SetupError> {
    let templates =
        [("auth.sms.template", &settings.sms.template), ("auth.mfa.phone.template", &settings.mfa.phone.template)];
    for (key, template) in templates {
        sms_provider::render(template, "123456").map_err(|error| SetupError(format!("{key}: {error}")))?;
    }
    Ok(())
}

/// Returns the mail templates that cannot be rendered for some users, one line for each template. These users receive the default mail.
#[must_use]
pub fn mail_template_problems() -> Vec<String> {
    mail_templates::problems()
}

/// Loads and validates the mail templates that config.toml names.
///
/// # Errors
///
/// Returns an error if a template file is missing, unreadable or not valid in Go's template language.
pub fn check_mail_templates(email: &settings::Email, project: &std::path::Path) -> Result<(), SetupError> {
    mail_templates::MailTemplates::new(email, project).map(|_| ()).map_err(SetupError)
}

/// Renders the mail of this kind (`confirmation`, `invite`, …) with sample values. Returns `None` if there is no such kind.
///
/// # Errors
///
/// Returns an error if a template file is missing, unreadable or not valid in Go's template language.
pub fn preview_mail(
    email: &settings::Email,
    project: &std::path::Path,
    kind: &str,
) -> Result<Option<MailPreview>, SetupError> {
    mail_templates::preview(email, project, kind).map_err(SetupError)
}

/// Renders a mail template that is not saved yet, with sample values. Returns `None` if there is no mail of this kind.
///
/// # Errors
///
/// Returns an error if the saved template's file is missing or unreadable. Errors of the draft are part of the result.
pub fn render_mail_draft(
    email: &settings::Email,
    project: &std::path::Path,
    kind: &str,
    draft: &MailDraft,
) -> Result<Option<RenderedDraft>, SetupError> {
    mail_templates::render_draft(email, project, kind, draft).map_err(SetupError)
}
