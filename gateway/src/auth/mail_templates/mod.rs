//! The templates of the auth API's mails: the project's own, or the defaults.

mod defaults;
mod escape;
mod html_context;
mod template;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::settings::{Email, Template as TemplateSettings};
use template::Template;

pub(crate) use template::Variables;

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

    /// The name of the mail's kind in links (`type=`) and for the hook (`email_action_type`).
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

/// Subject and body of a mail, with the variables filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RenderedMail {
    pub(crate) subject: String,
    pub(crate) html: String,
}

/// Subject and body of every kind of mail.
pub(crate) struct MailTemplates(HashMap<MailKind, (Template, Template)>);

impl MailTemplates {
    /// Reads the templates that config.toml names. An invalid template, or one that prints a value where no escaper makes it safe, is
    /// logged as an error with its key; as upstream, the default is used instead.
    pub(crate) fn new(email: &Email, project: &Path) -> Result<Self, String> {
        let templates = MailKind::ALL.into_iter().map(|kind| {
            let own = email
                .template
                .get(kind.name())
                .or_else(|| email.notification.get(kind.name()).map(|notification| &notification.template));
            let subject = own.and_then(|own| own.subject.clone());
            let body = own.map(|own| body(own, project)).transpose()?.flatten();
            let (default_subject, default_body) = defaults::default_template(kind);
            let subject = or_default(kind, "subject", subject, default_subject);
            Ok((kind, (subject, or_default(kind, "content", body, default_body))))
        });
        templates.collect::<Result<_, String>>().map(Self)
    }

    /// Renders a mail. If the project's template fails with these variables, the default is used.
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
            // The Supabase CLI resolves the path from the parent of the project's folder; templates inside the project are as common.
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

fn or_default(kind: MailKind, part: &str, own: Option<String>, default: &str) -> Template {
    own.and_then(|source| {
        Template::new(&source)
            .inspect_err(|error| {
                tracing::error!(
                    mail.kind = kind.name(),
                    "the {part} of the mail template {} cannot be used, the default is sent: {error}",
                    kind.name()
                );
            })
            .ok()
    })
    .or_else(|| Template::new(default).ok())
    .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn every_default_and_every_template_of_the_club_can_be_used() {
        for kind in MailKind::ALL {
            let (subject, body) = defaults::default_template(kind);
            assert!(Template::new(subject).is_ok() && Template::new(body).is_ok(), "{}", kind.name());
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../supabase-config/templates");
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            let used = Template::new(&std::fs::read_to_string(&file).unwrap());
            assert!(used.is_ok(), "{}: {:?}", file.display(), used.err());
        }
    }

    #[test]
    fn a_template_that_cannot_be_used_gives_way_to_the_default() {
        let own = TemplateSettings {
            content: Some("<a onclick=\"{{ .Email }}\">{{ .Token }}</a>".to_owned()),
            ..TemplateSettings::default()
        };
        let email = Email { template: [("invite".to_owned(), own)].into(), ..Email::default() };
        let templates = MailTemplates::new(&email, Path::new(".")).unwrap();
        let html = templates.render(MailKind::Invite, &Variables::new()).html;
        assert!(html.contains("You are invited") && !html.contains("onclick"), "{html}");
    }
}
