//! The function `open-judge-link`, which exchanges the token of a judge's link for an access token.
//!
//! A link is a random token, so it cannot be guessed. Unknown tokens are queued, counted and delayed like wrong passwords all the same. The access
//! token has no `password_version`: the database decides at each request whether the link still works (`club.link_judge`).

use cloch_core::Secret;
use cloch_functions::limits::Limits;
use cloch_functions::{Call, Function, FunctionError, FunctionResponse};
use cloch_sql::caller::{ANON, AUTHENTICATED, SERVICE_ROLE};
use serde::Deserialize;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::judge_token::Access;
use super::{device_token, guess_queue, judge_token, throttle};
use crate::settings::Options;

/// Request body of `open-judge-link`: `{token}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Opened {
    token: Secret,
}

/// The function `open-judge-link`.
pub(crate) struct OpenLink {
    options: Options,
    queue: guess_queue::GuessQueue,
    delayed: throttle::DelayedAnswers,
}

impl OpenLink {
    pub(crate) fn new(options: Options) -> Self {
        Self { options, queue: guess_queue::GuessQueue::default(), delayed: throttle::DelayedAnswers::default() }
    }
}

impl Function for OpenLink {
    type Input = Opened;

    fn name(&self) -> &'static str {
        "open-judge-link"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[ANON, AUTHENTICATED, SERVICE_ROLE]
    }

    fn limits(&self) -> Limits {
        // The number of calls is not limited, because reaching the limit would lock judges out.
        Limits {
            body_bytes: 1024,
            per_address_hourly: None,
            per_user_hourly: None,
            visitors_hourly: None,
            ..Limits::default()
        }
    }

    async fn call(&self, call: Call, opened: Opened) -> Result<FunctionResponse, FunctionError> {
        let database = call.database().admin();
        let client = device_token::client(&call, None);
        let place = self.queue.enter(client.clone()).ok_or_else(|| throttle::too_many(guess_queue::MAX_WAIT))?;
        let checked = async {
            match link_of(database, &opened.token).await? {
                Some(link) => Ok(Ok(link)),
                None => throttle::count_wrong(database, &client).await.map(Err),
            }
        };
        match place.run_in_turn(checked).await? {
            Ok(link) => {
                let keys = &call.services().keys;
                judge_token::issue(keys, Access::Link { judge_link: link }, self.options.token_hours, None)
            }
            Err(delay) => {
                self.delayed.wait(delay).await?;
                Ok(FunctionResponse::Json(json!({ "valid": false })))
            }
        }
    }
}

/// Returns the id of the judge's link to which the token belongs, or `None` if the token belongs to no valid link.
async fn link_of(pool: &PgPool, token: &Secret) -> Result<Option<Uuid>, FunctionError> {
    let query = "select link from club.open_judge_link($1)";
    Ok(sqlx::query_scalar(query).bind(token.expose()).fetch_optional(pool).await?)
}
