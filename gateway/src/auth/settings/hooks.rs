//! `[auth.hook.<point>]`: the project's own code at fixed points.

use cloch_sql::Secret;
use serde::Deserialize;

/// The points at which the project may be asked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Hooks {
    /// Before a user is stored.
    pub before_user_created: Hook,
    /// After a user is stored.
    pub after_user_created: Hook,
    /// The claims of every access token.
    pub custom_access_token: Hook,
    /// After a second factor's code was checked.
    pub mfa_verification_attempt: Hook,
    /// After a password was checked.
    pub password_verification_attempt: Hook,
    /// In place of sending a text message.
    pub send_sms: Hook,
    /// In place of sending a mail.
    pub send_email: Hook,
}

/// One hook.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Hook {
    /// Whether it is called.
    pub enabled: bool,
    /// `pg-functions://postgres/<schema>/<function>` or an http address.
    pub uri: String,
    /// `v1,whsec_…`, several separated by `|`: what http calls are signed with.
    pub secrets: Secret,
}
