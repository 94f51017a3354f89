//! Checks whether a request may run in the role that a token, a hook, a setting or a dashboard user specifies. The role must exist,
//! `authenticator` must be able to switch to the role, and row-level security must apply to the role. Only the project's own keys grant
//! `service_role`.
//!
//! PostgreSQL's own check in `set role` is not sufficient: `set role none` returns to the login role, and the login of `CLOCH_DB_URL` may
//! switch to roles that are not for callers. One query checks all roles. The results are cached, so that a request needs no query.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use serde::Deserialize;
use tokio::sync::Mutex;

use super::{Caller, SERVICE_ROLE};
use crate::client::{BatchStatement, ClientError, Pool, Rows};

/// Age at which cached check results are reloaded in the background. They are reloaded at a fixed age, because PostgreSQL sends no
/// notification when roles change.
const REFRESH_AFTER: Duration = Duration::from_secs(5);
/// Age of the cached check results after which a request waits for a reload.
const EXPIRES_AFTER: Duration = Duration::from_secs(30);
/// Minimum age of the cached check results before the refusal of a role causes a reload. The reload is needed because the role may have
/// been granted after the results were loaded.
const MIN_RETRY_AGE: Duration = Duration::from_millis(500);

/// Role name with which `set role` returns to the login role.
const NONE: &str = "none";

/// Reason for refusing a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoleRefusal {
    /// The role does not exist.
    #[error("role \"{0}\" does not exist")]
    Unknown(String),
    /// The role exists, but callers may not use it.
    #[error("permission denied to set role \"{0}\"")]
    Denied(String, Reason),
}

/// Reason why callers may not use an existing role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The role is a login role of the server, owns the database or the project's objects, or may access the server's files.
    Login,
    /// `authenticator` may not switch to the role.
    NotGranted,
    /// The role is a superuser.
    Superuser,
    /// The role has BYPASSRLS.
    BypassesRowSecurity,
    /// The role is a member of a role that bypasses row-level security, owns the database or the project's objects, or may access the
    /// server's files.
    Member,
    /// The role is `service_role`, which only the project's own keys grant.
    ServiceRole,
}

impl RoleRefusal {
    /// Returns the SQLSTATE that PostgreSQL uses for the refusal.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unknown(_) => "22023",
            Self::Denied(..) => "42501",
        }
    }

    /// Returns a hint why the role is refused; `None` for an unknown role.
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

/// Error of a role check.
#[derive(Debug, thiserror::Error)]
pub enum RoleError {
    /// The caller may not use the role.
    #[error(transparent)]
    Refused(#[from] RoleRefusal),
    /// The query for roles failed.
    #[error(transparent)]
    Database(#[from] ClientError),
}

/// Source of the requested role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantedBy {
    /// API key of the project without a user session, as used by the project's own servers.
    OwnKey,
    /// A user session (whose claims a hook may have changed), a third-party issuer, or a dashboard user.
    Others,
}

impl GrantedBy {
    /// Returns the source of the caller's role: an API key of the project, or another source.
    #[must_use]
    pub fn of(caller: &Caller) -> Self {
        if caller.is_foreign() || caller.claims().contains_key("session_id") { Self::Others } else { Self::OwnKey }
    }
}

/// Cached check results for all roles of a database. Clones share the cache.
#[derive(Debug, Clone)]
pub struct CallerRoles {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    pool: Pool,
    verdicts: ArcSwapOption<Verdicts>,
    /// Lock held while roles are being loaded, so that only one query runs at a time.
    reading: Mutex<()>,
    /// Number of role changes reported by [`CallerRoles::expire`].
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
            // `set role none` returns to the login role. No role can have the name `none`.
            _ if role.eq_ignore_ascii_case(NONE) => denied(Reason::Login),
            None => Err(RoleRefusal::Unknown(role.to_owned())),
            Some(Some(reason)) => denied(*reason),
            Some(None) => Ok(()),
        }
    }
}

impl CallerRoles {
    /// Creates an empty cache. The pool's login role must be able to switch to the callers' roles.
    #[must_use]
    pub fn new(pool: Pool) -> Self {
        let inner =
            Inner { pool, verdicts: ArcSwapOption::empty(), reading: Mutex::default(), generation: AtomicU64::new(0) };
        Self { inner: Arc::new(inner) }
    }

    /// Checks whether a request may run in the caller's role.
    ///
    /// # Errors
    /// Returns the reason for refusing the role, or a database error.
    pub async fn check_caller(&self, caller: &Caller) -> Result<(), RoleError> {
        self.check(caller.role(), GrantedBy::of(caller)).await
    }

    /// Checks whether a role from the given source may be used.
    ///
    /// # Errors
    /// Returns the reason for refusing the role, or a database error.
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

    /// Invalidates the cached check results after a role change: the next check reloads the roles.
    pub fn expire(&self) {
        self.inner.generation.fetch_add(1, Ordering::Release);
    }

    /// Reloads the roles in the background, unless another reload is in progress.
    fn refresh(&self) {
        if self.inner.reading.try_lock().is_ok() {
            let roles = self.clone();
            tokio::spawn(async move {
                if let Err(error) = roles.read().await {
                    tracing::warn!(%error, "database: reloading the database roles failed, the cached roles stay in use for up to 30 s, then requests fail until a reload succeeds");
                }
            });
        }
    }

    /// Loads the roles, or waits for a load in progress and returns its result.
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

/// Converts the error to the error with which PostgreSQL refuses `set role`, because each API already translates PostgreSQL's SQLSTATEs.
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

/// [`RoleRefusal`] as a database error of sqlx.
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
