//! Settings of sign-in providers and of CAPTCHAs.

use cloch_auth::settings::Provider;
use serde_json::{Value, json};

use super::{Files, Group, Kind, Names, Spec};

pub(super) const GROUPS: &[Group] = &[
    Group { name: "providers", title: "Sign-in providers", names: Names::Providers, settings: PROVIDERS },
    Group { name: "captcha", title: "CAPTCHA", names: Names::None, settings: CAPTCHA },
];

/// Returns a field of a sign-in provider's settings; the field's default value if the provider is not configured.
fn provider(files: Files<'_>, name: &str, read: fn(&Provider) -> Value) -> Value {
    files.config.auth.external.get(name).map_or_else(|| read(&Provider::default()), read)
}

const PROVIDERS: &[Spec] = &[
    Spec::config("auth.external.*.enabled", Kind::Switch, "Users can sign in with *", |f, name| {
        provider(f, name, |provider| json!(provider.enabled))
    }),
    Spec::config("auth.external.*.client_id", Kind::Text, "Client ID", |f, name| {
        provider(f, name, |provider| json!(provider.client_id))
    })
    .hint("Several IDs are separated by commas."),
    Spec::secret("auth.external.*.secret", "Client secret", |f, name| {
        provider(f, name, |provider| json!(provider.secret.expose()))
    }),
    Spec::config("auth.external.*.url", Kind::Text, "URL of a self-hosted provider", |f, name| {
        provider(f, name, |provider| json!(provider.url))
    }),
    Spec::config(
        "auth.external.*.email_optional",
        Kind::Switch,
        "Users without an e-mail address can sign in",
        |f, name| provider(f, name, |provider| json!(provider.email_optional)),
    ),
    Spec::config(
        "auth.external.*.skip_nonce_check",
        Kind::Switch,
        "The nonce of ID tokens is not checked",
        |f, name| provider(f, name, |provider| json!(provider.skip_nonce_check)),
    ),
];

const CAPTCHA: &[Spec] = &[
    Spec::config("auth.captcha.enabled", Kind::Switch, "Sign-ins need a CAPTCHA", |f, _| {
        json!(f.config.auth.captcha.as_ref().is_some_and(|captcha| captcha.enabled))
    }),
    Spec::config("auth.captcha.provider", Kind::Choice { choices: &["hcaptcha", "turnstile"] }, "Service", |f, _| {
        json!(f.config.auth.captcha.as_ref().map(|captcha| captcha.provider.as_str()).unwrap_or_default())
    }),
    Spec::secret("auth.captcha.secret", "Secret key of the service", |f, _| {
        json!(f.config.auth.captcha.as_ref().map(|captcha| captcha.secret.expose()))
    }),
];
