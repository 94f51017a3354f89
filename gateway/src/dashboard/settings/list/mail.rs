//! Settings of mail: SMTP server, subjects and files of templates.

use cloch_auth::settings::{Smtp, Template};
use serde_json::{Value, json};

use super::{Files, Group, Kind, Names, Spec};

/// Names of the mails with links and codes.
pub(super) const TEMPLATES: [&str; 6] =
    ["confirmation", "invite", "recovery", "magic_link", "email_change", "reauthentication"];
/// Names of the mails about changes of an account.
pub(super) const NOTIFICATIONS: [&str; 7] = [
    "password_changed",
    "email_changed",
    "phone_changed",
    "identity_linked",
    "identity_unlinked",
    "mfa_factor_enrolled",
    "mfa_factor_unenrolled",
];

pub(super) const GROUPS: &[Group] = &[
    Group { name: "smtp", title: "Mail server", names: Names::None, settings: SMTP },
    Group { name: "templates", title: "Mail templates", names: Names::Templates, settings: TEMPLATE },
    Group {
        name: "notifications",
        title: "Mail about account changes",
        names: Names::Notifications,
        settings: NOTIFICATION,
    },
];

/// Returns a field of the SMTP settings; the field's default value if the section is missing.
fn smtp(files: Files<'_>, read: fn(&Smtp) -> Value) -> Value {
    files.config.auth.email.smtp.as_ref().map_or_else(|| read(&Smtp::default()), read)
}

const SMTP: &[Spec] = &[
    Spec::config("auth.email.smtp.enabled", Kind::Switch, "Mail is sent by SMTP", |f, _| {
        json!(f.config.auth.email.smtp.as_ref().is_some_and(|smtp| smtp.enabled))
    })
    .hint("If it is off, mail stays in the inbox of this server."),
    Spec::config("auth.email.smtp.host", Kind::Text, "Host", |f, _| smtp(f, |smtp| json!(smtp.host))),
    Spec::config("auth.email.smtp.port", Kind::Count { min: 1, max: 65_535 }, "Port", |f, _| {
        smtp(f, |smtp| json!(smtp.port))
    }),
    Spec::config("auth.email.smtp.user", Kind::Text, "User name", |f, _| smtp(f, |smtp| json!(smtp.user))),
    Spec::secret("auth.email.smtp.pass", "Password", |f, _| smtp(f, |smtp| json!(smtp.pass.expose()))),
    Spec::config("auth.email.smtp.admin_email", Kind::Text, "Address of the sender", |f, _| {
        smtp(f, |smtp| json!(smtp.admin_email))
    }),
    Spec::config("auth.email.smtp.sender_name", Kind::Text, "Name of the sender", |f, _| {
        smtp(f, |smtp| json!(smtp.sender_name))
    }),
];

fn template(template: Option<&Template>, read: fn(&Template) -> Value) -> Value {
    template.map_or(Value::Null, read)
}

fn content(template: &Template) -> Value {
    json!(template.content)
}

fn path(template: &Template) -> Value {
    json!(template.content_path)
}

const TEMPLATE: &[Spec] = &[
    Spec::config("auth.email.template.*.subject", Kind::Text, "Subject of *", |f, name| {
        template(f.config.auth.email.template.get(name), |template| json!(template.subject))
    })
    .hint("A template, such as {{ .Token }} is your code. Without a value, Cloch's own subject."),
    Spec::config("auth.email.template.*.text", Kind::Template, "Text of *", |_, _| Value::Null)
        .hint("HTML with variables such as {{ .ConfirmationURL }}. It is a file in the project's folder templates."),
    Spec::config("auth.email.template.*.content", Kind::Lines, "Text of * in config.toml", |f, name| {
        template(f.config.auth.email.template.get(name), content)
    })
    .hint("HTML with variables such as {{ .ConfirmationURL }}. It takes the place of the file."),
    Spec::config("auth.email.template.*.content_path", Kind::Text, "File with the text of *", |f, name| {
        template(f.config.auth.email.template.get(name), path)
    })
    .hint("Such as ./templates/invite.html"),
];

const NOTIFICATION: &[Spec] = &[
    Spec::config("auth.email.notification.*.enabled", Kind::Switch, "Send *", |f, name| {
        json!(f.config.auth.email.notification.get(name).is_some_and(|notification| notification.enabled))
    }),
    Spec::config("auth.email.notification.*.subject", Kind::Text, "Subject of *", |f, name| {
        let own = f.config.auth.email.notification.get(name);
        template(own.map(|own| &own.template), |template| json!(template.subject))
    }),
    Spec::config("auth.email.notification.*.text", Kind::Template, "Text of *", |_, _| Value::Null)
        .hint("HTML with variables such as {{ .ConfirmationURL }}. It is a file in the project's folder templates."),
    Spec::config("auth.email.notification.*.content", Kind::Lines, "Text of * in config.toml", |f, name| {
        template(f.config.auth.email.notification.get(name).map(|own| &own.template), content)
    })
    .hint("HTML with variables such as {{ .ConfirmationURL }}. It takes the place of the file."),
    Spec::config("auth.email.notification.*.content_path", Kind::Text, "File with the text of *", |f, name| {
        template(f.config.auth.email.notification.get(name).map(|own| &own.template), path)
    }),
];
