//! Renders a mail template with sample values, for the dashboard.

use std::path::Path;

use super::template::Variables;
use super::{MailKind, MailTemplates, defaults, own};
use crate::settings::Email;

/// Variables of mail templates, each with a sample value.
const SAMPLES: [(&str, &str); 13] = [
    ("ConfirmationURL", "https://app.example/auth/v1/verify?token=sample"),
    ("Token", "123456"),
    ("TokenNew", "654321"),
    ("TokenHash", "a1b2c3d4e5f6"),
    ("SiteURL", "https://app.example"),
    ("RedirectTo", "https://app.example/welcome"),
    ("Email", "ann@example.com"),
    ("NewEmail", "ann.new@example.com"),
    ("OldEmail", "ann.old@example.com"),
    ("Phone", "+44 20 7946 0000"),
    ("OldPhone", "+44 20 7946 0001"),
    ("Provider", "github"),
    ("FactorType", "totp"),
];

/// A mail with sample values.
#[derive(Clone, Debug)]
pub struct MailPreview {
    /// The rendered subject.
    pub subject: String,
    /// The rendered body.
    pub html: String,
    /// The template of the body.
    pub source: String,
    /// Whether config.toml contains a subject or body for this kind of mail.
    pub is_own: bool,
    /// The template of the subject.
    pub subject_source: String,
    /// The variables that templates can use, each with a sample value.
    pub samples: Variables,
}

/// Returns the variables of mail templates with sample values; `Data` is empty.
pub(super) fn samples() -> Variables {
    let mut variables: Variables = SAMPLES.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    variables.insert("Data".to_owned(), serde_json::Value::Object(Variables::new()));
    variables
}

/// Renders the mail of this kind (`confirmation`, `invite`, …) with sample values. Returns `None` if there is no such kind.
///
/// # Errors
///
/// Returns an error if a template file is missing, unreadable or not valid in Go's template language.
pub(crate) fn preview(email: &Email, project: &Path, kind: &str) -> Result<Option<MailPreview>, String> {
    let Some(kind) = MailKind::ALL.into_iter().find(|known| known.name() == kind) else { return Ok(None) };
    let templates = MailTemplates::new(email, project)?;
    let samples = samples();
    let mail = templates.render(kind, &samples);
    let source = templates.source(kind).to_owned();
    let own = own(email, kind);
    let subject = own.and_then(|own| own.subject.as_deref()).unwrap_or(defaults::default_template(kind).0);
    let (is_own, subject_source) = (own.is_some(), subject.to_owned());
    Ok(Some(MailPreview { subject: mail.subject, html: mail.html, source, is_own, subject_source, samples }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Template;

    #[test]
    fn a_preview_has_the_sample_values_of_the_own_template_or_of_the_default() {
        let own = Template {
            subject: Some("Hello {{ .Email }}".to_owned()),
            content: Some("<p>{{ .Token }} {{ .Data.name }}</p>".to_owned()),
            content_path: None,
        };
        let email = Email { template: [("invite".to_owned(), own)].into(), ..Email::default() };
        let show = |kind: &str| preview(&email, Path::new("."), kind).unwrap();
        let invite = show("invite").unwrap();
        assert_eq!((invite.subject.as_str(), invite.html.as_str()), ("Hello ann@example.com", "<p>123456 </p>"));
        assert_eq!(invite.source, "<p>{{ .Token }} {{ .Data.name }}</p>");
        assert!(invite.is_own && invite.samples.contains_key("ConfirmationURL"));
        let recovery = show("recovery").unwrap();
        assert!(recovery.source.contains("{{ .ConfirmationURL }}"));
        assert!(recovery.html.contains("https://app.example/auth/v1/verify?token=sample") && !recovery.is_own);
        assert!(show("other").is_none());
    }
}
