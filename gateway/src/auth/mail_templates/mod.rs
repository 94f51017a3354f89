//! The templates of the auth API's mails: the project's own, or the defaults.

mod defaults;
mod escape;
mod html_context;
mod template;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::settings::{Email, Template as TemplateSettings};
use template::Template;

/// The kinds of mail, by the names that config.toml gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MailKind {
    Confirmation,
    Invite,
    Recovery,
    MagicLink,
    EmailChange,
    Reauthentication,
    PasswordChanged,
    EmailChanged,
    PhoneChanged,
    IdentityLinked,
    IdentityUnlinked,
    MfaFactorEnrolled,
    MfaFactorUnenrolled,
}

impl MailKind {
    const ALL: [Self; 13] = [
        Self::Confirmation,
        Self::Invite,
        Self::Recovery,
        Self::MagicLink,
        Self::EmailChange,
        Self::Reauthentication,
        Self::PasswordChanged,
        Self::EmailChanged,
        Self::PhoneChanged,
        Self::IdentityLinked,
        Self::IdentityUnlinked,
        Self::MfaFactorEnrolled,
        Self::MfaFactorUnenrolled,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::Invite => "invite",
            Self::Recovery => "recovery",
            Self::MagicLink => "magic_link",
            Self::EmailChange => "email_change",
            Self::Reauthentication => "reauthentication",
            Self::PasswordChanged => "password_changed",
            Self::EmailChanged => "email_changed",
            Self::PhoneChanged => "phone_changed",
            Self::IdentityLinked => "identity_linked",
            Self::IdentityUnlinked => "identity_unlinked",
            Self::MfaFactorEnrolled => "mfa_factor_enrolled",
            Self::MfaFactorUnenrolled => "mfa_factor_unenrolled",
        }
    }

    /// What the mail is called in links (`type=`) and by the hook (`email_action_type`).
    pub(crate) const fn action(self) -> &'static str {
        match self {
            Self::Confirmation => "signup",
            Self::Invite => "invite",
            Self::Recovery => "recovery",
            Self::MagicLink => "magiclink",
            Self::EmailChange => "email_change",
            Self::Reauthentication => "reauthentication",
            Self::PasswordChanged => "password_changed_notification",
            Self::EmailChanged => "email_changed_notification",
            Self::PhoneChanged => "phone_changed_notification",
            Self::IdentityLinked => "identity_linked_notification",
            Self::IdentityUnlinked => "identity_unlinked_notification",
            Self::MfaFactorEnrolled => "mfa_factor_enrolled_notification",
            Self::MfaFactorUnenrolled => "mfa_factor_unenrolled_notification",
        }
    }
}

/// What a template may name. All texts; `Data` is the user's metadata.
pub(crate) type Variables = serde_json::Map<String, serde_json::Value>;

/// Subject and body of a mail, with the variables filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RenderedMail {
    pub(crate) subject: String,
    pub(crate) html: String,
}

/// Subject and body of every kind of mail.
pub(crate) struct MailTemplates(HashMap<MailKind, (Template, Template)>);

impl MailTemplates {
    /// Reads the templates that config.toml names. One that cannot be parsed is a warning, and the default stands in.
    pub(crate) fn new(email: &Email, project: &Path) -> Result<Self, String> {
        let templates = MailKind::ALL.into_iter().map(|kind| {
            let own = email
                .template
                .get(kind.name())
                .or_else(|| email.notification.get(kind.name()).map(|notification| &notification.template));
            let subject = own.and_then(|own| own.subject.clone());
            let body = own.map(|own| body(own, project)).transpose()?.flatten();
            let (default_subject, default_body) = defaults::default_template(kind);
            Ok((kind, (or_default(kind, subject, default_subject), or_default(kind, body, default_body))))
        });
        templates.collect::<Result<_, String>>().map(Self)
    }

    /// A mail of a kind. A template that fails on these variables gives way to the default.
    pub(crate) fn render(&self, kind: MailKind, variables: &Variables) -> RenderedMail {
        let own = self.0.get(&kind);
        let (default_subject, default_body) = defaults::default_template(kind);
        let rendered = |own: Option<&Template>, default: &str| {
            own.and_then(|template| template.render(variables).ok())
                .or_else(|| Template::new(default).ok()?.render(variables).ok())
                .unwrap_or_default()
        };
        let subject = rendered(own.map(|(subject, _)| subject), default_subject);
        let html = rendered(own.map(|(_, body)| body), default_body);
        RenderedMail { subject: escape::unescape(&subject), html }
    }
}

fn body(own: &TemplateSettings, project: &Path) -> Result<Option<String>, String> {
    match (&own.content, &own.content_path) {
        (Some(content), _) => Ok(Some(content.clone())),
        (None, None) => Ok(None),
        (None, Some(path)) => {
            // The Supabase CLI takes the path from the folder above the project's; templates within the project are as common.
            let candidates = [project.parent().map(|parent| parent.join(path)), Some(project.join(path))];
            let file: PathBuf = candidates
                .into_iter()
                .flatten()
                .find(|file| file.is_file())
                .ok_or_else(|| format!("email.template: no file {}", path.display()))?;
            std::fs::read_to_string(&file)
                .map(Some)
                .map_err(|error| format!("email.template: {}: {error}", file.display()))
        }
    }
}

fn or_default(kind: MailKind, own: Option<String>, default: &str) -> Template {
    own.and_then(|source| {
        Template::new(&source)
            .inspect_err(|error| tracing::warn!(mail.kind = kind.name(), "mail template not usable: {error}"))
            .ok()
    })
    .or_else(|| Template::new(default).ok())
    .unwrap_or_default()
}
