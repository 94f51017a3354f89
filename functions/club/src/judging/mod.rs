//! The judges' sign-in: exchanges one shared password, or a judge's own link ([`link`]), for an access token.
//!
//! `validate-judging-password` {password, device?} returns a token with the role `judge`, and a device token. Policies and column grants of the
//! database determine the permissions of a judge; a policy on the `password_version` claim also refuses tokens of a replaced password.
//!
//! The right password is always accepted: wrong guesses never lock judges out. Guesses of one client are checked one after the other
//! ([`guess_queue`]), the response to a wrong guess is delayed ([`throttle`]), and the password is too long to be guessed at the resulting rate.

mod device_token;
mod guess_queue;
mod judge_token;
mod link;
mod password;
mod throttle;

use std::io;

use cloch_core::Secret;
use cloch_functions::limits::Limits;
use cloch_functions::{Call, Function, FunctionError, FunctionResponse};
use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use serde::Deserialize;
use serde_json::json;

use crate::admin::require_admin;
use crate::settings::Options;

pub(crate) use link::OpenLink;
pub(crate) use password::apply_configured;
pub use password::set_password;

const MAX_PASSWORD_CHARS: usize = 200;
/// Minimum length of the judges' password in characters. At 100 guesses per second, three years allow 10^10 guesses; twelve random letters and digits
/// have 10^18 combinations.
const MIN_PASSWORD_CHARS: usize = 12;

/// Request body of `validate-judging-password`: `{password, device?}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Guess {
    password: Secret,
    /// Device token that this device received when a judge signed in on it before.
    #[serde(default)]
    device: Option<String>,
}

/// The function `validate-judging-password`, which exchanges the judges' password for a token.
pub(crate) struct ValidatePassword {
    options: Options,
    queue: guess_queue::GuessQueue,
    delayed: throttle::DelayedAnswers,
    checker: password::Checker,
}

impl ValidatePassword {
    /// Starts the password hashing thread. Fails if the thread cannot be started.
    pub(crate) fn new(options: Options) -> io::Result<Self> {
        Ok(Self {
            options,
            queue: guess_queue::GuessQueue::default(),
            delayed: throttle::DelayedAnswers::default(),
            checker: password::Checker::new()?,
        })
    }
}

impl Function for ValidatePassword {
    type Input = Guess;

    fn name(&self) -> &'static str {
        "validate-judging-password"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[ANON, AUTHENTICATED, SERVICE_ROLE]
    }

    fn limits(&self) -> Limits {
        // The number of calls is not limited, because reaching the limit would lock judges out.
        Limits {
            body_bytes: 4096,
            per_address_hourly: None,
            per_user_hourly: None,
            visitors_hourly: None,
            ..Limits::default()
        }
    }

    async fn call(&self, call: Call, guess: Guess) -> Result<FunctionResponse, FunctionError> {
        let wrong = FunctionResponse::Json(json!({ "valid": false }));
        if guess.password.expose().chars().count() > MAX_PASSWORD_CHARS {
            return Ok(wrong);
        }
        let database = call.database().admin();
        let client = device_token::client(&call, guess.device.as_deref());
        let place = self.queue.enter(client.clone()).ok_or_else(|| throttle::too_many(guess_queue::MAX_WAIT))?;
        let checked = async {
            match self.checker.check(database, guess.password).await? {
                Some(version) => Ok(Ok(version)),
                None => throttle::count_wrong(database, &client).await.map(Err),
            }
        };
        match place.run_in_turn(checked).await? {
            Ok(version) => {
                let keys = &call.services().keys;
                let device = guess.device.map_or_else(|| device_token::issue(keys), Ok)?;
                let access = judge_token::Access::Password { password_version: version };
                judge_token::issue(keys, access, self.options.token_hours, Some(device))
            }
            Err(delay) => self.delayed.wait(delay).await.map(|()| wrong),
        }
    }
}

/// Request body of `set-judging-password`: `{password}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPassword {
    password: Secret,
}

/// The function `set-judging-password`, with which an administrator replaces the judges' password. All tokens issued for the previous password become
/// invalid.
pub(crate) struct SetPassword;

impl Function for SetPassword {
    type Input = NewPassword;

    fn name(&self) -> &'static str {
        "set-judging-password"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[AUTHENTICATED, SERVICE_ROLE]
    }

    fn limits(&self) -> Limits {
        Limits { body_bytes: 4096, per_user_hourly: Some(30), ..Limits::default() }
    }

    async fn call(&self, call: Call, input: NewPassword) -> Result<FunctionResponse, FunctionError> {
        require_admin(&call).await?;
        let length = input.password.expose().chars().count();
        if !(MIN_PASSWORD_CHARS..=MAX_PASSWORD_CHARS).contains(&length) {
            let message = format!("password: {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters");
            return Err(FunctionError::bad_input(message));
        }
        set_password(call.database(), input.password, call.caller().user_id()).await?;
        Ok(FunctionResponse::Json(json!({ "success": true })))
    }
}
