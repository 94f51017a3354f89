//! The default mail templates, for kinds of mail without a template of the project.

use super::MailKind;

pub(crate) fn default_template(kind: MailKind) -> (&'static str, &'static str) {
    match kind {
        MailKind::Confirmation => (
            "Please confirm your e-mail address",
            "<h2>Welcome</h2>\n<p>Follow this link to confirm that {{ .Email }} is yours:</p>\n\
             <p><a href=\"{{ .ConfirmationURL }}\">Confirm my address</a></p>\n\
             <p>Or enter this code: <strong>{{ .Token }}</strong></p>\n\
             <p>If you did not ask for an account, do nothing.</p>",
        ),
        MailKind::Invite => (
            "You are invited",
            "<h2>You are invited</h2>\n<p>An account at {{ .SiteURL }} is waiting for you. Follow this link to accept it:</p>\n\
             <p><a href=\"{{ .ConfirmationURL }}\">Accept the invitation</a></p>",
        ),
        MailKind::Recovery => (
            "Choose a new password",
            "<h2>Choose a new password</h2>\n<p>Follow this link to set a new password:</p>\n\
             <p><a href=\"{{ .ConfirmationURL }}\">Set a new password</a></p>\n\
             <p>Or enter this code: <strong>{{ .Token }}</strong></p>\n\
             <p>If you did not ask for it, do nothing: your password stays as it is.</p>",
        ),
        MailKind::MagicLink => (
            "Your link to sign in",
            "<h2>Sign in</h2>\n<p>Follow this link to sign in:</p>\n\
             <p><a href=\"{{ .ConfirmationURL }}\">Sign in</a></p>\n\
             <p>Or enter this code: <strong>{{ .Token }}</strong></p>\n\
             <p>If you did not ask for it, do nothing.</p>",
        ),
        MailKind::EmailChange => (
            "Please confirm your new e-mail address",
            "<h2>A new e-mail address</h2>\n\
             <p>Follow this link to confirm the change from {{ .Email }} to {{ .NewEmail }}:</p>\n\
             <p><a href=\"{{ .ConfirmationURL }}\">Confirm the change</a></p>\n\
             <p>Or enter this code: <strong>{{ .Token }}</strong></p>\n\
             <p>If you did not ask for it, do nothing: the address stays as it is.</p>",
        ),
        MailKind::Reauthentication => {
            ("{{ .Token }} is your code", "<h2>Is it you?</h2>\n<p>Enter this code: <strong>{{ .Token }}</strong></p>")
        }
        MailKind::PasswordChanged => (
            "Your password was changed",
            "<h2>Your password was changed</h2>\n<p>The password of {{ .Email }} was changed. \
             If it was not you, reset your password now.</p>",
        ),
        MailKind::EmailChanged => (
            "Your e-mail address was changed",
            "<h2>Your e-mail address was changed</h2>\n<p>Your account moved from {{ .OldEmail }} to {{ .Email }}. \
             If it was not you, tell us at once.</p>",
        ),
        MailKind::PhoneChanged => (
            "Your phone number was changed",
            "<h2>Your phone number was changed</h2>\n<p>The number of {{ .Email }} changed from {{ .OldPhone }} to \
             {{ .Phone }}. If it was not you, tell us at once.</p>",
        ),
        MailKind::IdentityLinked => (
            "A new way to sign in was added",
            "<h2>A new way to sign in</h2>\n<p>{{ .Email }} can now sign in with {{ .Provider }}. \
             If it was not you, tell us at once.</p>",
        ),
        MailKind::IdentityUnlinked => (
            "A way to sign in was removed",
            "<h2>A way to sign in was removed</h2>\n<p>{{ .Email }} can no longer sign in with {{ .Provider }}. \
             If it was not you, tell us at once.</p>",
        ),
        MailKind::MfaFactorEnrolled => (
            "A second factor was added",
            "<h2>A second factor was added</h2>\n<p>{{ .Email }} now has a second factor ({{ .FactorType }}). \
             If it was not you, tell us at once.</p>",
        ),
        MailKind::MfaFactorUnenrolled => (
            "A second factor was removed",
            "<h2>A second factor was removed</h2>\n<p>{{ .Email }} no longer has a second factor ({{ .FactorType }}). \
             If it was not you, tell us at once.</p>",
        ),
    }
}
