//! What a caller may do on a channel. On a private one the policies on `realtime.messages` say it: they are asked with rows
//! that are never kept.

use std::sync::Arc;

use cloch_sql::{Caller, Database};
use http::HeaderMap;
use serde_json::{Map, Value};
use sqlx::{Postgres, Transaction};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::JoinError;
use super::hub::Topic;

/// What a caller may hear, and, once it was asked, what it may send.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rights {
    pub(super) read_broadcasts: bool,
    pub(super) read_presence: bool,
    write_broadcasts: Option<bool>,
    write_presence: Option<bool>,
}

/// The two things that policies tell apart by `realtime.messages.extension`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extension {
    Broadcast,
    Presence,
}

impl Extension {
    fn name(self) -> &'static str {
        match self {
            Self::Broadcast => "broadcast",
            Self::Presence => "presence",
        }
    }
}

/// `insufficient_privilege`: a policy or a grant says no.
const REFUSED: &str = "42501";
/// `invalid_parameter_value`: what `set role` answers to a role that is none of the caller's.
const NO_ROLE: &str = "22023";

/// `query_canceled`: a policy took too long.
const CANCELED: &str = "57014";
/// Time that the policies of a channel have for one question.
const POLICY_TIMEOUT_MS: &str = "3000";
/// Questions at one time: they take connections of Cloch's own, which other APIs need as well.
const MAX_QUESTIONS: usize = 4;

/// What the policies of channels are asked, so many questions at one time.
#[derive(Clone, Debug)]
pub(super) struct Questions {
    database: Database,
    turns: Arc<Semaphore>,
}

impl Questions {
    pub(super) fn new(database: Database) -> Self {
        let connections = database.admin().options().get_max_connections() as usize;
        Self { database, turns: Arc::new(Semaphore::new((connections / 2).clamp(1, MAX_QUESTIONS))) }
    }

    /// A transaction, and the turn that it takes.
    async fn begin(&self) -> sqlx::Result<(OwnedSemaphorePermit, Transaction<'static, Postgres>)> {
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
        Ok((turn, self.database.admin().begin().await?))
    }
}

impl Rights {
    /// Asks for what has to be known at a join. A public channel is open to all.
    pub(super) async fn of(
        questions: &Questions,
        caller: &Caller,
        headers: &HeaderMap,
        topic: &Topic,
        presence: bool,
    ) -> Result<Self, JoinError> {
        if !topic.private {
            let all = Some(true);
            return Ok(Self { read_broadcasts: true, read_presence: true, write_broadcasts: all, write_presence: all });
        }
        let read =
            readable(questions, caller, headers, topic).await.map_err(|error| match code(&error).as_deref() {
                Some(REFUSED | NO_ROLE) => JoinError::Unauthorized(topic.name.clone()),
                Some(CANCELED) => JoinError::PolicyTimeout,
                _ => JoinError::Database(error),
            })?;
        let may = |extension: Extension| read.iter().any(|name| name == extension.name());
        let (broadcasts, any_presence) = (may(Extension::Broadcast), may(Extension::Presence));
        let may_join = broadcasts || (presence && any_presence);
        if !may_join {
            return Err(JoinError::Unauthorized(topic.name.clone()));
        }
        Ok(Self {
            read_broadcasts: broadcasts,
            read_presence: any_presence,
            write_broadcasts: None,
            write_presence: None,
        })
    }

    /// Whether the caller may send; asked once.
    pub(super) async fn may_send(
        &mut self,
        extension: Extension,
        questions: &Questions,
        caller: &Caller,
        headers: &HeaderMap,
        topic: &Topic,
    ) -> sqlx::Result<bool> {
        let known = match extension {
            Extension::Broadcast => &mut self.write_broadcasts,
            Extension::Presence => &mut self.write_presence,
        };
        if let Some(known) = *known {
            return Ok(known);
        }
        let may = may_write(questions, caller, headers, topic, extension).await?;
        *known = Some(may);
        Ok(may)
    }
}

/// The extensions of the probe rows that the caller can see.
async fn readable(
    questions: &Questions,
    caller: &Caller,
    headers: &HeaderMap,
    topic: &Topic,
) -> sqlx::Result<Vec<String>> {
    let (_turn, mut transaction) = questions.begin().await?;
    let ids: Vec<uuid::Uuid> = sqlx::query_scalar(
        "insert into realtime.messages (topic, extension, event, private)
         values ($1, 'broadcast', 'probe', true), ($1, 'presence', 'probe', true) returning id",
    )
    .bind(&topic.name)
    .fetch_all(&mut *transaction)
    .await?;
    become_caller(&mut transaction, caller, headers, topic).await?;
    let seen = sqlx::query_scalar("select extension from realtime.messages where id = any($1)")
        .bind(ids)
        .fetch_all(&mut *transaction)
        .await?;
    transaction.rollback().await?;
    Ok(seen)
}

/// Whether the caller's own insert is let in.
pub(super) async fn may_write(
    questions: &Questions,
    caller: &Caller,
    headers: &HeaderMap,
    topic: &Topic,
    extension: Extension,
) -> sqlx::Result<bool> {
    let (_turn, mut transaction) = questions.begin().await?;
    become_caller(&mut transaction, caller, headers, topic).await?;
    let written =
        sqlx::query("insert into realtime.messages (topic, extension, event, private) values ($1, $2, 'probe', true)")
            .bind(&topic.name)
            .bind(extension.name())
            .execute(&mut *transaction)
            .await;
    transaction.rollback().await?;
    match written {
        Ok(_) => Ok(true),
        Err(error) if code(&error).as_deref() == Some(REFUSED) => Ok(false),
        Err(error) => Err(error),
    }
}

/// From here on the transaction is the caller's, on this topic.
async fn become_caller(
    transaction: &mut Transaction<'static, Postgres>,
    caller: &Caller,
    headers: &HeaderMap,
    topic: &Topic,
) -> sqlx::Result<()> {
    sqlx::query(
        "select set_config('realtime.topic', $1, true), set_config('request.headers', $2, true),
                set_config('request.jwt.claims', $3, true), set_config('request.jwt.claim.sub', $4, true),
                set_config('request.jwt.claim.role', $5, true), set_config('statement_timeout', $6, true),
                set_config('role', $5, true)",
    )
    .bind(&topic.name)
    .bind(headers_json(headers))
    .bind(caller.claims_json())
    .bind(caller.claim("sub").unwrap_or_default())
    .bind(caller.role())
    .bind(POLICY_TIMEOUT_MS)
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

fn headers_json(headers: &HeaderMap) -> String {
    let texts = headers.iter().filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.into())));
    Value::Object(texts.collect::<Map<_, _>>()).to_string()
}

fn code(error: &sqlx::Error) -> Option<String> {
    error.as_database_error().and_then(|error| error.code()).map(std::borrow::Cow::into_owned)
}
