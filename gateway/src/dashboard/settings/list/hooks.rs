//! Settings of the auth hooks.

use cloch_auth::settings::{Hook, Hooks};
use serde_json::{Value, json};

use super::{Files, Group, Kind, Names, Spec};

pub(super) const GROUPS: &[Group] =
    &[Group { name: "hooks", title: "Auth hooks", names: Names::Hooks, settings: HOOKS }];

/// Returns the names of all auth hooks, in the order in which the dashboard shows them.
pub(super) fn names() -> Vec<String> {
    Hooks::default().all().map(|(name, _)| name.to_owned()).into()
}

/// Returns what a hook does, in one sentence.
fn purpose(name: &str) -> &'static str {
    match name {
        "before_user_created" => "Called before a new user is stored; can refuse the user.",
        "after_user_created" => "Called after a new user was stored; cannot undo it.",
        "custom_access_token" => "Called before an access token is signed; can change its claims.",
        "mfa_verification_attempt" => "Called after a code of a second factor was checked; can reject the attempt.",
        "password_verification_attempt" => "Called after a password was checked; can reject the attempt.",
        "send_sms" => "Sends text messages in place of the SMS provider.",
        "send_email" => "Sends the mails of auth in place of the mail server.",
        _ => "",
    }
}

/// Returns a field of a hook's settings.
fn hook(files: Files<'_>, name: &str, read: fn(&Hook) -> Value) -> Value {
    let hooks = files.config.auth.hook.all();
    hooks.into_iter().find(|(known, _)| *known == name).map_or(Value::Null, |(_, hook)| read(hook))
}

const HOOKS: &[Spec] = &[
    Spec::config("auth.hook.*.enabled", Kind::Switch, "The hook * is called", |f, name| {
        hook(f, name, |hook| json!(hook.enabled))
    })
    .about(purpose)
    .hint("If the hook fails, the request fails."),
    Spec::config("auth.hook.*.uri", Kind::Url, "Function or URL of *", |f, name| hook(f, name, |hook| json!(hook.uri)))
        .hint("pg-functions://postgres/SCHEMA/FUNCTION for a function of the database, or an http:// or https:// URL.")
        .hides_path(),
    Spec::secret("auth.hook.*.secrets", "Secrets of *", |f, name| hook(f, name, |hook| json!(hook.secrets.expose())))
        .hint(
            "They sign the requests to a URL, and a database function has none. The form is v1,whsec_BASE64 with 32 to 88 characters of base64. \
             Several are separated by |.",
        ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hook_has_its_own_purpose() {
        let mut purposes: Vec<&str> = names().iter().map(|name| purpose(name)).collect();
        assert!(purposes.iter().all(|purpose| purpose.ends_with('.')), "{purposes:?}");
        purposes.sort_unstable();
        purposes.dedup();
        assert_eq!(purposes.len(), names().len());
    }
}
