//! The `send_email` hook: the project receives the content of each mail and sends the mail itself.

use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use crate::client::Client;
use crate::flow::hooks;
use crate::flow::message_count::Unsent;
use crate::flow::one_time_code::Code;
use crate::mail_templates::MailKind;
use crate::model::user::User;
use crate::state::AuthState;

/// The one-time codes of a mail, with their field names in the hook's payload.
#[derive(Default)]
pub(crate) struct Codes<'a> {
    token: &'a str,
    token_hash: &'a str,
    token_new: &'a str,
    token_hash_new: &'a str,
}

impl<'a> Codes<'a> {
    pub(crate) fn of(code: &'a Code) -> Self {
        Self { token: &code.digits, token_hash: &code.hash, ..Self::default() }
    }

    /// Returns the codes of an e-mail address change. `current` is the code for the current address, `None` if only the new address must
    /// confirm the change. If both addresses must confirm, the names are swapped as in GoTrue: `token` is the code for the current address,
    /// but `token_hash` is the hash of the code for the new address.
    pub(crate) fn of_change(new: &'a Code, current: Option<&'a Code>) -> Self {
        match current {
            None => Self::of(new),
            Some(current) => Self {
                token: &current.digits,
                token_hash: &new.hash,
                token_new: &new.digits,
                token_hash_new: &current.hash,
            },
        }
    }
}

pub(crate) fn is_on(state: &AuthState) -> bool {
    state.settings().hook.send_email.enabled
}

/// Whether the project has enabled a `send_email` hook that is an HTTP endpoint. Such a hook sends a mail before the transaction of the
/// request is committed or rolled back.
pub(crate) fn sends_at_once(state: &AuthState) -> bool {
    is_on(state) && !hooks::is_function(&state.settings().hook.send_email)
}

#[expect(clippy::too_many_arguments, reason = "all of it is what the hook is told")]
pub(crate) async fn send(
    state: &AuthState,
    tx: &mut PgConnection,
    client: &Client,
    user: &User,
    kind: MailKind,
    codes: &Codes<'_>,
    target: &str,
    more: &[(&str, &str)],
) -> Result<(), Unsent> {
    let named = |name: &str| more.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value);
    let mut input = Map::new();
    input.insert("user".into(), serde_json::to_value(user).unwrap_or(Value::Null));
    input.insert(
        "email_data".into(),
        json!({
            "token": codes.token, "token_hash": codes.token_hash, "redirect_to": target,
            "email_action_type": kind.action(), "site_url": state.external_url(),
            "token_new": codes.token_new, "token_hash_new": codes.token_hash_new,
            "old_email": named("OldEmail"), "old_phone": named("OldPhone"), "provider": named("Provider"),
            "factor_type": named("FactorType"),
        }),
    );
    hooks::send(state, tx, &state.settings().hook.send_email, "send-email", client, input).await
}
