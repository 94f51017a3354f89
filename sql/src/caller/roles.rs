//! The one check of a role that somebody names, in a token, a hook, a setting or a question: it exists, `authenticator` may become it, and
//! row-level security holds for it. Only the project's own keys grant `service_role`.
//!
//! `set role` alone does not refuse enough: `none` is the login itself, and the login of `CLOCH_DB_URL` may become roles that callers may
//! not. The verdicts on all roles are read at once and kept: a request costs a look-up in memory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use serde::Deserialize;
use tokio::sync::Mutex;

use super::{Caller, SERVICE_ROLE};
use crate::client::{BatchStatement, ClientError, Pool, Rows};

/// Age from which verdicts are read anew in the background. PostgreSQL sends no notification of changed roles.
const REFRESH_AFTER: Duration = Duration::from_secs(5);
/// Age from which a request waits for new verdicts.
const EXPIRES_AFTER: Duration = Duration::from_secs(30);
/// Least age of verdicts that a refused role reads anew: it may just have been granted.
const MIN_RETRY_AGE: Duration = Duration::from_millis(500);

/// The name with which `set role` returns to the login.
const NONE: &str = "none";

/// Why a caller may not have a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoleRefusal {
    /// There is no such role.
    #[error("role \"{0}\" does not exist")]
    Unknown(String),
    /// There is, but not for callers.
    #[error("permission denied to set role \"{0}\"")]
    Denied(String, Reason),
}

/// Why a role is not for callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It is the callers' login, or owns the database.
    Login,
    /// `authenticator` may not become it.
    NotGranted,
    /// It is a superuser.
    Superuser,
    /// It has BYPASSRLS.
    BypassesRowSecurity,
    /// It is a member of a role that callers may not have.
    Member,
    /// `service_role`, which the project's own keys alone grant.
    ServiceRole,
}

impl RoleRefusal {
    /// PostgreSQL's code for the refusal.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown(_) => "22023",
            Self::Denied(..) => "42501",
        }
    }

    /// What has to change for the role to be accepted.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        let Self::Denied(_, reason) = self else { return None };
        Some(match reason {
            Reason::Login => "It is a login of the server.",
            Reason::NotGranted => "Roles of callers are granted to authenticator.",
            Reason::Superuser => "It is a superuser.",
            Reason::BypassesRowSecurity => "It has BYPASSRLS.",
            Reason::Member => {
                "It is a member of a role that bypasses row-level security, owns the database or reads the server's files."
            }
            Reason::ServiceRole => "Only the project's secret keys grant it.",
        })
    }
}

/// Why a role was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum RoleError {
    /// It is not for this caller.
    #[error(transparent)]
    Refused(#[from] RoleRefusal),
    /// The database did not answer.
    #[error(transparent)]
    Database(#[from] ClientError),
}

/// Who vouches for a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantedBy {
    /// The project's own keys, outside of a session: its servers.
    OwnKey,
    /// A session of a user (a hook may have changed its claims), another issuer, or a person's question.
    Others,
}

impl GrantedBy {
    /// Who vouches for this caller's role.
    #[must_use]
    pub fn of(caller: &Caller) -> Self {
        if caller.is_foreign() || caller.claims().contains_key("session_id") { Self::Others } else { Self::OwnKey }
    }
}

/// The verdicts on all roles of a database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CallerRoles {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    pool: Pool,
    verdicts: ArcSwapOption<Verdicts>,
    /// Held while verdicts are read.
    reading: Mutex<()>,
    /// Counts announced changes of roles.
    generation: AtomicU64,
}

#[derive(Debug)]
struct Verdicts {
    by_role: HashMap<String, Option<Reason>>,
    read_at: Instant,
    generation: u64,
}

impl Verdicts {
    fn check(&self, role: &str) -> Result<(), RoleRefusal> {
        let denied = |reason| Err(RoleRefusal::Denied(role.to_owned(), reason));
        match self.by_role.get(role) {
            // A role cannot be called so, and `set role` takes it for the login.
            _ if role.eq_ignore_ascii_case(NONE) => denied(Reason::Login),
            None => Err(RoleRefusal::Unknown(role.to_owned())),
            Some(Some(reason)) => denied(*reason),
            Some(None) => Ok(()),
        }
    }
}

impl CallerRoles {
    /// The roles of the database behind this pool, whose login switches to the callers' roles.
    #[must_use]
    pub fn new(pool: Pool) -> Self {
        let inner =
            Inner { pool, verdicts: ArcSwapOption::empty(), reading: Mutex::default(), generation: AtomicU64::new(0) };
        Self { inner: Arc::new(inner) }
    }

    /// Whether a request may run in this caller's role.
    ///
    /// # Errors
    /// Why not; or the database did not answer.
    pub async fn check_caller(&self, caller: &Caller) -> Result<(), RoleError> {
        self.check(caller.role(), GrantedBy::of(caller)).await
    }

    /// Whether somebody may have a role.
    ///
    /// # Errors
    /// Why not; or the database did not answer.
    pub async fn check(&self, role: &str, granted_by: GrantedBy) -> Result<(), RoleError> {
        if role == SERVICE_ROLE && granted_by != GrantedBy::OwnKey {
            return Err(RoleRefusal::Denied(role.to_owned(), Reason::ServiceRole).into());
        }
        if let Some(verdicts) = self.inner.verdicts.load().as_deref()
            && verdicts.generation == self.inner.generation.load(Ordering::Acquire)
        {
            let (age, verdict) = (verdicts.read_at.elapsed(), verdicts.check(role));
            if age < EXPIRES_AFTER && (verdict.is_ok() || age < MIN_RETRY_AGE) {
                if age > REFRESH_AFTER {
                    self.refresh();
                }
                return Ok(verdict?);
            }
        }
        Ok(self.read().await?.check(role)?)
    }

    /// Notes that roles may have changed: the next check reads them.
    pub fn expire(&self) {
        self.inner.generation.fetch_add(1, Ordering::Release);
    }

    /// Reads the verdicts in the background, unless somebody does.
    fn refresh(&self) {
        if self.inner.reading.try_lock().is_ok() {
            let roles = self.clone();
            tokio::spawn(async move {
                if let Err(error) = roles.read().await {
                    tracing::warn!(%error, "reloading the roles of callers failed");
                }
            });
        }
    }

    /// The verdicts, read now or by whoever was reading.
    async fn read(&self) -> Result<Arc<Verdicts>, ClientError> {
        let asked_at = Instant::now();
        let _reading = self.inner.reading.lock().await;
        if let Some(verdicts) = self.inner.verdicts.load_full()
            && verdicts.read_at >= asked_at
            && verdicts.generation == self.inner.generation.load(Ordering::Acquire)
        {
            return Ok(verdicts);
        }
        let (read_at, generation) = (Instant::now(), self.inner.generation.load(Ordering::Acquire));
        let verdicts = Arc::new(Verdicts { by_role: self.query().await?, read_at, generation });
        self.inner.verdicts.store(Some(Arc::clone(&verdicts)));
        Ok(verdicts)
    }

    async fn query(&self) -> Result<HashMap<String, Option<Reason>>, ClientError> {
        let mut rows = Rows::default();
        let mut steps = [BatchStatement { sql: include_str!("roles.sql"), params: &[], sink: Some(&mut rows) }];
        self.inner.pool.get().await?.run("", &mut steps).await?;
        let parse = |text: Option<&str>| serde_json::from_str(text.unwrap_or_default());
        let parsed = rows.rows().iter().map(|row| parse(row.text(0))).collect::<Result<_, _>>();
        parsed.map_err(|error| ClientError::Lost(format!("an unexpected result of the query for roles: {error}")))
    }
}

/// As if PostgreSQL had refused `set role`: the APIs have words for its codes.
impl From<RoleError> for sqlx::Error {
    fn from(error: RoleError) -> Self {
        match error {
            RoleError::Refused(refusal) => {
                Self::Database(Box::new(RefusedSetRole { code: refusal.code(), message: refusal.to_string() }))
            }
            RoleError::Database(error) => Self::Io(std::io::Error::other(error)),
        }
    }
}

/// A [`RoleRefusal`] in the form of PostgreSQL's own.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct RefusedSetRole {
    code: &'static str,
    message: String,
}

impl sqlx::error::DatabaseError for RefusedSetRole {
    fn message(&self) -> &str {
        &self.message
    }

    fn code(&self) -> Option<std::borrow::Cow<'_, str>> {
        Some(self.code.into())
    }

    fn kind(&self) -> sqlx::error::ErrorKind {
        sqlx::error::ErrorKind::Other
    }

    fn as_error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn std::error::Error + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn std::error::Error + Send + Sync + 'static> {
        self
    }
}
