//! Authorization of channels (Supabase's documentation: "Realtime Authorization"). On private channels, the policies on `realtime.messages`
//! decide which messages a caller may read and write. The policies are checked with probe rows in a transaction that is rolled back. As in
//! Supabase's Realtime server, the event and the payload of a probe row are null: a policy cannot distinguish the messages of a channel.
//! Policies and triggers are SQL of the project, so the transaction uses a database login that has no rights of its own and only switches
//! to the caller's role.

use std::sync::Arc;

use cloch_sql::{Caller, Database};
use http::HeaderMap;
use serde_json::{Map, Value};
use sqlx::{Postgres, Transaction};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::JoinError;
use super::hub::Topic;
use super::sqlstate::{INSUFFICIENT_PRIVILEGE, INVALID_PARAMETER_VALUE};

/// Permissions of a caller on a channel. A write permission is `None` until it was checked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Permissions {
    pub(super) read_broadcasts: bool,
    pub(super) read_presence: bool,
    write_broadcasts: Option<bool>,
    write_presence: Option<bool>,
}

/// Kinds of messages that policies distinguish by `realtime.messages.extension`.
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

/// SQLSTATE `query_canceled`: a policy exceeded [`POLICY_TIMEOUT_MS`].
const QUERY_CANCELED: &str = "57014";
/// `statement_timeout` of policy checks, in milliseconds.
const POLICY_TIMEOUT_MS: &str = "3000";
/// Maximum number of concurrent policy checks. A check uses a connection of the pool that all APIs share for statements of callers.
const MAX_CONCURRENT_CHECKS: usize = 4;

/// SQL that begins a transaction with a role that bypasses row-level security. The database login of policy checks may switch to this role,
/// but has no rights of its own.
const BEGIN_AS_SERVICE_ROLE: &str = "begin; set local role service_role";

/// Runs policy checks of private channels, at most [`MAX_CONCURRENT_CHECKS`] at the same time.
#[derive(Clone, Debug)]
pub(super) struct PolicyChecks {
    database: Database,
    permits: Arc<Semaphore>,
}

impl PolicyChecks {
    pub(super) fn new(database: Database) -> Self {
        let connections = database.callers().options().get_max_connections() as usize;
        Self { database, permits: Arc::new(Semaphore::new((connections / 2).clamp(1, MAX_CONCURRENT_CHECKS))) }
    }

    /// Waits until a further policy check may run, then begins a transaction with the SQL `statement`.
    async fn begin(
        &self,
        statement: &'static str,
    ) -> sqlx::Result<(OwnedSemaphorePermit, Transaction<'static, Postgres>)> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(|_| sqlx::Error::PoolClosed)?;
        Ok((permit, cloch_sql::transaction::begin_with(self.database.callers(), statement).await?))
    }
}

impl Permissions {
    /// Determines what a caller may receive on a channel. Refuses the join unless the caller may read broadcasts or, if the join requests
    /// presence (`presence`), the presence of the topic. On a public channel, every caller has all permissions.
    pub(super) async fn check(
        policy_checks: &PolicyChecks,
        caller: &Caller,
        headers: &HeaderMap,
        topic: &Topic,
        presence: bool,
    ) -> Result<Self, JoinError> {
        if !topic.private {
            let all = Some(true);
            return Ok(Self { read_broadcasts: true, read_presence: true, write_broadcasts: all, write_presence: all });
        }
        let read = readable_extensions(policy_checks, caller, headers, topic).await.map_err(|error| {
            match code(&error).as_deref() {
                Some(INSUFFICIENT_PRIVILEGE | INVALID_PARAMETER_VALUE) => JoinError::Unauthorized(topic.name.clone()),
                Some(QUERY_CANCELED) => JoinError::PolicyTimeout,
                _ => JoinError::Database(error),
            }
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

    /// Whether the caller may send messages of this kind (`realtime.messages.extension`) to the channel. Caches the result of the first
    /// check.
    pub(super) async fn may_send(
        &mut self,
        extension: Extension,
        policy_checks: &PolicyChecks,
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
        let may = may_write(policy_checks, caller, headers, topic, extension).await?;
        *known = Some(may);
        Ok(may)
    }
}

/// Inserts one probe row for each kind of message (`realtime.messages.extension`), and returns the kinds of the rows that the caller can
/// select.
async fn readable_extensions(
    policy_checks: &PolicyChecks,
    caller: &Caller,
    headers: &HeaderMap,
    topic: &Topic,
) -> sqlx::Result<Vec<String>> {
    let (_permit, mut transaction) = policy_checks.begin(BEGIN_AS_SERVICE_ROLE).await?;
    let ids: Vec<uuid::Uuid> = sqlx::query_scalar(
        "insert into realtime.messages (topic, extension, private)
         values ($1, 'broadcast', true), ($1, 'presence', true) returning id",
    )
    .bind(&topic.name)
    .fetch_all(&mut *transaction)
    .await?;
    set_caller(&mut transaction, caller, headers, topic).await?;
    let seen = sqlx::query_scalar("select extension from realtime.messages where id = any($1)")
        .bind(ids)
        .fetch_all(&mut *transaction)
        .await?;
    transaction.rollback().await?;
    Ok(seen)
}

/// Whether the policies allow the caller to insert a probe row of this kind (`realtime.messages.extension`).
pub(super) async fn may_write(
    policy_checks: &PolicyChecks,
    caller: &Caller,
    headers: &HeaderMap,
    topic: &Topic,
    extension: Extension,
) -> sqlx::Result<bool> {
    let (_permit, mut transaction) = policy_checks.begin("begin").await?;
    set_caller(&mut transaction, caller, headers, topic).await?;
    let written = sqlx::query("insert into realtime.messages (topic, extension, private) values ($1, $2, true)")
        .bind(&topic.name)
        .bind(extension.name())
        .execute(&mut *transaction)
        .await;
    transaction.rollback().await?;
    match written {
        Ok(_) => Ok(true),
        Err(error) if code(&error).as_deref() == Some(INSUFFICIENT_PRIVILEGE) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Sets the caller's role, claims, headers, topic and statement timeout for the transaction.
async fn set_caller(
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
