//! The templates of the auth API's mails: the project's own templates, or the defaults.

mod defaults;
mod draft;
mod preview;
mod problems;
mod template;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::settings::{Email, Template as TemplateSettings};
use template::Template;

pub(crate) use draft::render as render_draft;
pub use draft::{DraftProblem, MailDraft, RenderedDraft};
pub use preview::MailPreview;
pub(crate) use preview::preview;
pub(crate) use problems::{all as problems, clear as clear_problems};
pub(crate) use template::Variables;

const MAX_FILE_BYTES: usize = 1 << 20;

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

    /// Returns the name of the mail's kind, as used in links (`type=`) and in the payload of the `send_email` hook (`email_action_type`).
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RenderedMail {
    pub(crate) subject: String,
    pub(crate) html: String,
}

/// The parsed templates for subject and body of one kind of mail: the project's own templates, or the defaults.
struct Templates {
    subject: Template,
    html: Template,
    /// Source text of the template `html`.
    source: String,
}

pub(crate) struct MailTemplates(HashMap<MailKind, Templates>);

impl MailTemplates {
    /// Loads the mail templates that config.toml names. A template that is not valid in Go's template language is an error. A template that
    /// cannot be rendered for a user without metadata is logged as a warning, because these users get the default mail.
    pub(crate) fn new(email: &Email, project: &Path) -> Result<Self, String> {
        let templates = MailKind::ALL.into_iter().map(|kind| {
            let section = if email.template.contains_key(kind.name()) { "template" } else { "notification" };
            let own = own(email, kind);
            let read = |part: &str, source: &str| {
                let failed = |error| format!("auth.email.{section}.{}.{part}: {error}", kind.name());
                Template::new(source).map_err(failed)
            };
            let (default_subject, default_body) = defaults::default_template(kind);
            let body = own.map(|own| body(own, project)).transpose()?.flatten();
            let subject = own.and_then(|own| own.subject.as_deref()).unwrap_or(default_subject);
            let (part, body) = match &body {
                Some((file, text)) => (format!("content ({file})"), text.as_str()),
                None => ("content".to_owned(), default_body),
            };
            let templates =
                Templates { subject: read("subject", subject)?, html: read(&part, body)?, source: body.to_owned() };
            problems::try_out(kind, &templates);
            Ok((kind, templates))
        });
        templates.collect::<Result<_, String>>().map(Self)
    }

    /// Returns the source of the template of a mail's body.
    fn source(&self, kind: MailKind) -> &str {
        self.0.get(&kind).map_or(defaults::default_template(kind).1, |own| &own.source)
    }

    /// Renders a mail. If the project's template for the subject or the body cannot be rendered with these variables, uses the default
    /// template for this part of the mail. Reports this failure in the log and in the dashboard.
    pub(crate) fn render(&self, kind: MailKind, variables: &Variables) -> RenderedMail {
        let (default_subject, default_body) = defaults::default_template(kind);
        let own = self.0.get(&kind);
        let subject = rendered(kind, "subject", own.map(|own| &own.subject), default_subject, variables);
        let html = rendered(kind, "content", own.map(|own| &own.html), default_body, variables);
        RenderedMail { subject: template::unescape(&subject), html }
    }
}

fn rendered(kind: MailKind, part: &str, own: Option<&Template>, default: &str, variables: &Variables) -> String {
    let failure = match own.map(|template| template.render(variables)) {
        Some(Ok(text)) => return text,
        Some(Err(error)) => error,
        None => "it was not read".to_owned(),
    };
    tracing::error!(
        mail.kind = kind.name(),
        error = failure,
        "auth: mail template failed, sending the default {part} instead of the {part} of the template"
    );
    let _ = problems::note(kind, part, &failure);
    Template::new(default).and_then(|template| template.render(variables)).unwrap_or_default()
}

/// Returns the project's settings of a mail's template; `None` if config.toml has none.
fn own(email: &Email, kind: MailKind) -> Option<&TemplateSettings> {
    let notification = || email.notification.get(kind.name()).map(|notification| &notification.template);
    email.template.get(kind.name()).or_else(notification)
}

/// Loads the body of a mail template from config.toml or from a file. Returns the source (config.toml or the file's path) and the text of
/// the body. `None` if config.toml names neither.
fn body(own: &TemplateSettings, project: &Path) -> Result<Option<(String, String)>, String> {
    match (&own.content, &own.content_path) {
        (Some(content), _) => Ok(Some(("config.toml".to_owned(), content.clone()))),
        (None, None) => Ok(None),
        (None, Some(path)) => {
            // The Supabase CLI resolves a relative path from the parent of the project's folder. Paths from the project's folder are also
            // common, so both folders are searched.
            let candidates = [project.parent().map(|parent| parent.join(path)), Some(project.join(path))];
            let file: PathBuf = candidates
                .into_iter()
                .flatten()
                .find(|file| file.is_file())
                .ok_or_else(|| format!("email.template: no file {}", path.display()))?;
            let text = cloch_core::bounded_file::read_text(&file, MAX_FILE_BYTES)
                .map_err(|error| format!("email.template: {}: {error}", file.display()))?;
            // Removes the byte order mark that some Windows editors write at the beginning of a file.
            let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
            Ok(Some((path.display().to_string(), text)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_and_every_template_of_the_club_can_be_used() {
        for kind in MailKind::ALL {
            let (subject, body) = defaults::default_template(kind);
            assert!(Template::new(subject).is_ok() && Template::new(body).is_ok(), "{}", kind.name());
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../supabase-config/templates");
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            let used = Template::new(&std::fs::read_to_string(&file).unwrap());
            assert!(used.is_ok(), "{}: {:?}", file.display(), used.err());
        }
    }

    fn templates(content: &str) -> Result<MailTemplates, String> {
        let own = TemplateSettings { content: Some(content.to_owned()), ..TemplateSettings::default() };
        let email = Email { template: [("magic_link".to_owned(), own)].into(), ..Email::default() };
        MailTemplates::new(&email, Path::new("."))
    }

    fn html(content: &str, metadata: serde_json::Value) -> String {
        let mut variables = Variables::new();
        variables.insert("Token".to_owned(), "123456".into());
        variables.insert("Email".to_owned(), "ann+1@club.example".into());
        variables.insert("Data".to_owned(), metadata);
        templates(content).unwrap().render(MailKind::MagicLink, &variables).html
    }

    /// The expected values were generated with Go's html/template.
    #[test]
    fn templates_of_projects_are_rendered_as_gotrue_renders_them() {
        let list = || serde_json::json!({ "list": ["a", "b"], "n": 3 });
        let none = || serde_json::json!({});
        let range = "<p>{{ range .Data.list }}{{ . }},{{ else }}none{{ end }}</p>";
        assert_eq!(html(range, list()), "<p>a,b,</p>");
        assert_eq!(html(range, serde_json::json!({ "list": [] })), "<p>none</p>");
        assert_eq!(html(range, none()), "<p>none</p>");
        assert_eq!(html("<p>{{ range .Data.list }}{{ . }},{{ end }}end</p>", none()), "<p>end</p>");
        assert_eq!(html("<p>{{ slice .Token 0 3 }} {{ slice .Token 3 }}</p>", none()), "<p>123 456</p>");
        let stop = "{{ range .Data.list }}{{ if eq . \"b\" }}{{ break }}{{ end }}{{ . }}{{ end }}";
        assert_eq!(html(stop, list()), "a");
        assert_eq!(html(&stop.replace("break", "continue"), list()), "a");
        assert_eq!(html("{{ .Email | html }} {{ js .Token }}", none()), "ann+1@club.example 123456");
        let team = "{{ if and .Data.team (eq .Data.team.title \"TT\") }}team{{ else }}no team{{ end }}";
        assert_eq!(html(team, none()), "no team");
        assert_eq!(html("{{ .Data.n | printf \"%.0f\" }}", list()), "3");
        assert_eq!(html("{{ .Data.list }}", list()), "[a b]");
    }

    #[test]
    fn a_template_that_go_refuses_stops_the_start_and_names_the_key() {
        for (content, message) in [
            ("<p>{{ .Email </p>", "auth.email.template.magic_link.content (config.toml): line 1: "),
            ("<p>\n{{ nonsense .Email }}</p>", "line 2: function \"nonsense\" not defined"),
            ("<a href=\"{{ if .Email }}a?{{ end }}{{ .Token }}\">", "ambiguous context within a URL"),
            ("<p title=\"{{ .Email }}", "ends in a non-text context"),
        ] {
            let error = templates(content).err().unwrap();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_template_that_fails_for_users_without_metadata_is_a_problem_from_the_start() {
        let content = "<p>{{ len .Data.list }}</p>";
        let own = TemplateSettings { content: Some(content.to_owned()), ..TemplateSettings::default() };
        let email = Email { template: [("recovery".to_owned(), own)].into(), ..Email::default() };
        MailTemplates::new(&email, Path::new(".")).unwrap();
        assert!(problems().iter().any(|problem| problem.starts_with("recovery: content: line 1: error calling len")));
    }
}
