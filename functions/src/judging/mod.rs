//! The judges' door: one shared password, and what it opens.
//!
//! `validate-judging-password` {password} answers with a token whose role is `judge`. What a judge may do is policies and column
//! grants of the database; that the token ends with the password is a policy as well (the `password_version` claim). Guessing is
//! counted before a guess is looked at, so guesses that arrive together count as well.

mod attempts;
mod password;
mod token;

use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use serde::Deserialize;
use serde_json::json;

use crate::limits::Limits;
use crate::{Answer, Call, Function, Refusal};

pub(crate) use password::apply_configured;
pub use password::set_password;

const MAX_PASSWORD_CHARS: usize = 200;
const MIN_PASSWORD_CHARS: usize = 10;

/// `{password}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    password: cloch_sql::Secret,
}

/// Password against token.
pub(crate) struct ValidatePassword;

impl Function for ValidatePassword {
    type Input = Input;

    fn name(&self) -> &'static str {
        "validate-judging-password"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[ANON, AUTHENTICATED, SERVICE_ROLE]
    }

    fn limits(&self) -> Limits {
        // Right answers are bounded too: each costs a password hash.
        Limits { body_bytes: 4096, per_address_hourly: 120, visitors_hourly: 600, ..Limits::default() }
    }

    async fn call(&self, call: Call, input: Input) -> Result<Answer, Refusal> {
        if input.password.expose().chars().count() > MAX_PASSWORD_CHARS {
            return Ok(Answer::Json(json!({ "valid": false })));
        }
        let database = call.database().admin();
        let attempt = attempts::count(database, &call.network()).await?;
        let Some(version) = password::check(database, input.password).await? else {
            return Ok(Answer::Json(json!({ "valid": false })));
        };
        attempt.did_not_fail(database).await?;
        token::issue(&call.services().keys, version, call.options().token_hours)
    }
}

/// An admin sets another password; every token given for the last one ends.
pub(crate) struct SetPassword;

impl Function for SetPassword {
    type Input = Input;

    fn name(&self) -> &'static str {
        "set-judging-password"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[AUTHENTICATED, SERVICE_ROLE]
    }

    fn limits(&self) -> Limits {
        Limits { body_bytes: 4096, per_user_hourly: 30, ..Limits::default() }
    }

    async fn call(&self, call: Call, input: Input) -> Result<Answer, Refusal> {
        call.require_admin().await?;
        let length = input.password.expose().chars().count();
        if !(MIN_PASSWORD_CHARS..=MAX_PASSWORD_CHARS).contains(&length) {
            let message = format!("password: {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters");
            return Err(Refusal::bad_input(message));
        }
        set_password(call.database(), input.password, call.caller().user_id()).await?;
        Ok(Answer::Json(json!({ "success": true })))
    }
}
