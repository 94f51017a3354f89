//! The judges' door: one shared password, and what it opens.
//!
//! `validate-judging-password` {password, device?} answers with a token whose role is `judge`, and one for the device. What a judge
//! may do is policies and column grants of the database; that the token ends with the password is a policy as well (the
//! `password_version` claim).
//!
//! A right password always opens: no number of wrong ones, from wherever, locks it out. Wrong ones are looked at one after the other
//! for each client ([`turns`]) and answered late ([`attempts`]), and the password is too long to be guessed at that pace.

mod attempts;
mod device;
mod password;
mod token;
mod turns;

use cloch_sql::Secret;
use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use cloch_sql::workers::Workers;
use serde::Deserialize;
use serde_json::json;

use crate::limits::Limits;
use crate::{Answer, Call, Function, Refusal};

pub(crate) use password::apply_configured;
pub use password::set_password;

const MAX_PASSWORD_CHARS: usize = 200;
/// A hundred guesses a second are 10^10 in three years: twelve random letters and digits are 10^18.
const MIN_PASSWORD_CHARS: usize = 12;

/// What the door remembers on this node.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    turns: turns::Turns,
    held: attempts::Held,
    known: password::Known,
    hashing: Workers,
}

impl Door {
    /// # Errors
    /// When no thread can be started.
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self {
            turns: turns::Turns::default(),
            held: attempts::Held::default(),
            known: password::Known::default(),
            // One at a time, for each hash takes 19 MB. Of each client one waits at most.
            hashing: Workers::start("judging", 1, QUEUED_HASHES)?,
        })
    }
}

/// Clients that wait for a hash.
const QUEUED_HASHES: usize = 2048;

/// `{password, device?}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Guess {
    password: Secret,
    /// What the answer to the right password gave this device.
    #[serde(default)]
    device: Option<String>,
}

/// Password against token.
pub(crate) struct ValidatePassword;

impl Function for ValidatePassword {
    type Input = Guess;

    fn name(&self) -> &'static str {
        "validate-judging-password"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[ANON, AUTHENTICATED, SERVICE_ROLE]
    }

    fn limits(&self) -> Limits {
        // Not counted: a number that is used up would lock judges out.
        Limits {
            body_bytes: 4096,
            per_address_hourly: None,
            per_user_hourly: None,
            visitors_hourly: None,
            ..Limits::default()
        }
    }

    async fn call(&self, call: Call, guess: Guess) -> Result<Answer, Refusal> {
        let wrong = Answer::Json(json!({ "valid": false }));
        if guess.password.expose().chars().count() > MAX_PASSWORD_CHARS {
            return Ok(wrong);
        }
        let (database, door) = (call.database().admin(), &call.state.door);
        let client = device::client(&call, guess.device.as_deref());
        let place = door.turns.enter(client.clone()).ok_or_else(|| attempts::too_many(turns::LONGEST_WAIT))?;
        let looking = async {
            match password::check(database, door, guess.password).await? {
                Some(version) => Ok(Ok(version)),
                None => attempts::count_wrong(database, &client).await.map(Err),
            }
        };
        match place.take_turn(looking).await? {
            Ok(version) => {
                let keys = &call.services().keys;
                token::issue(
                    keys,
                    version,
                    call.options().token_hours,
                    guess.device.map_or_else(|| device::issue(keys), Ok)?,
                )
            }
            Err(delay) => door.held.wait(delay).await.map(|()| wrong),
        }
    }
}

/// `{password}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPassword {
    password: Secret,
}

/// An admin sets another password; every token given for the last one ends.
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

    async fn call(&self, call: Call, input: NewPassword) -> Result<Answer, Refusal> {
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
