//! `cloch why`: explains why a request is refused, or why its response is empty.

use std::process::ExitCode;

use clap::Args;
use cloch_rest::why::{Sessions, why};
use cloch_sql::caller::{ANON, Caller};
use cloch_sql::database::Login;
use serde_json::{Map, Value};
use sqlx::{ConnectOptions, Connection as _};
use uuid::Uuid;

use super::db::with_logins;
use super::print;
use crate::config::{Config, Flags};
use crate::error::CommandError;
use crate::logging;
use crate::why_request::AskedRequest;

/// Explains which privilege or policy decides a request. Changes nothing: the request itself is not run.
#[derive(Args)]
pub struct Why {
    /// GET, POST, PATCH, PUT or DELETE; for a channel JOIN or SEND
    method: String,
    /// /rest/v1/table?…, /storage/v1/object/bucket/path, or a private channel's topic
    target: String,
    /// Caller of the request: a role (anon), a user's ID, or claims as a JSON object
    #[arg(long = "as", default_value = ANON, value_name = "WHO")]
    who: String,
    /// Body of the request, as JSON
    #[arg(long, value_name = "JSON")]
    body: Option<String>,
    /// Whether written rows are returned, as with `.select()` of supabase-js
    #[arg(long)]
    returning: bool,
    /// For a request to the table REST: an exposed schema (`Accept-Profile`) other than the first
    #[arg(long)]
    schema: Option<String>,
    /// For a channel: broadcast or presence
    #[arg(long, default_value = "broadcast")]
    extension: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flags: Flags,
}

impl Why {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let config = Config::load_of_running(&self.flags)?;
        let _flush_guard = logging::start(config.log.as_deref(), config.log_json)?;
        let explanation = with_logins(&config, async |logins| {
            let caller = caller(&logins.admin, &self.who).await?;
            let mut sessions = Sessions::open(&logins, caller.role()).await?;
            let asked = AskedRequest {
                method: &self.method,
                target: &self.target,
                body: self.body.as_deref(),
                returning: self.returning,
                schema: self.schema.as_deref(),
                extension: &self.extension,
            };
            let question = asked.question(&config, caller, &mut sessions.reader).await?;
            Ok(why(&mut sessions, &question).await?)
        })
        .await?;
        let text = if self.json { serde_json::to_string_pretty(&explanation)? } else { explanation.to_string() };
        print::line(text.trim_end())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Resolves `--as` to a caller: claims, a user's ID with the claims of a new session, or a role.
async fn caller(login: &Login, who: &str) -> Result<Caller, CommandError> {
    if who.starts_with('{') {
        let claims: Map<String, Value> = serde_json::from_str(who).map_err(|error| format!("--as: {error}"))?;
        return Ok(Caller::from_claims(claims, None));
    }
    let claims = match who.parse::<Uuid>() {
        Ok(id) => user_claims(login, id).await?.ok_or_else(|| format!("--as: there is no user {id}"))?,
        Err(_) => Map::from_iter([("role".to_owned(), Value::from(who))]),
    };
    Ok(Caller::from_claims(claims, None))
}

async fn user_claims(login: &Login, id: Uuid) -> Result<Option<Map<String, Value>>, CommandError> {
    let mut connection = login.sqlx_options().connect().await?;
    let claims = cloch_sql::caller::user_claims(&mut connection, id).await?;
    connection.close().await?;
    Ok(claims)
}
