//! Connections to PostgreSQL, and transactions that run as a caller.

use std::time::{Duration, Instant};

use sqlx::pool::PoolConnectionMetadata;
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::{Connection, PgConnection, Postgres, Transaction};
use tokio::time::timeout;

use crate::caller::CallerRoles;
use crate::caller::roles::GrantedBy;
use crate::client::{PING_TIMEOUT, Pool};
use crate::local_settings::LocalSettings;
pub use crate::login::{Address, Login, SessionAttributes, SslMode};
pub use crate::logins::{Logins, Passwords, SERVER_ROLE, read_no_views};
use crate::{Availability, Caller, transaction};

/// The `application_name` of auth's connections: what their triggers send elsewhere may be a caller's text (`net._queue`).
const AUTH_NAME: &str = "cloch auth";
/// A connection that was idle for longer is pinged before it is used again.
const PING_AFTER_IDLE: Duration = Duration::from_millis(500);

/// The pools of the project's database, by login.
#[derive(Clone, Debug)]
pub struct Database {
    logins: Logins,
    admin: PgPool,
    auth: PgPool,
    owner: PgPool,
    callers: PgPool,
    objects: Pool,
    roles: CallerRoles,
}

impl Database {
    /// Creates the pools; connections are opened when first needed.
    #[must_use]
    pub fn new(logins: Logins, connections: PoolSizes) -> Self {
        let pool = |login: &Login, size| login.pool(pool_options(login, size), "cloch");
        let objects = Pool::new(logins.requests.clone(), connections.objects as usize);
        Self {
            admin: pool(&logins.admin, connections.admin),
            auth: logins.auth.pool(pool_options(&logins.auth, connections.auth), AUTH_NAME),
            owner: logins.owner.pool(owner_options(&logins, connections.owner), "cloch"),
            callers: pool(&logins.callers, connections.callers),
            roles: CallerRoles::new(objects.clone()),
            objects,
            logins,
        }
    }

    /// Cloch's own connections, which bypass row-level security. Never run a statement on them that a caller chose, nor write to a table
    /// whose triggers are the project's.
    #[must_use]
    pub fn admin(&self) -> &PgPool {
        &self.admin
    }

    /// The connections of auth, in whose transactions triggers and hooks of the project run.
    #[must_use]
    pub fn auth(&self) -> &PgPool {
        &self.auth
    }

    /// Connections of the project's owner, for what a developer may do.
    #[must_use]
    pub fn owner(&self) -> &PgPool {
        &self.owner
    }

    /// Who logs in, and for what.
    #[must_use]
    pub fn logins(&self) -> &Logins {
        &self.logins
    }

    /// The login behind [`Database::admin`].
    #[must_use]
    pub fn admin_login(&self) -> &Login {
        &self.logins.admin
    }

    /// Connections that may switch to the callers' roles. A transaction must set the role first: see [`Database::begin_as`].
    #[must_use]
    pub fn callers(&self) -> &PgPool {
        &self.callers
    }

    /// As [`Database::callers`], with the one-round-trip client: for the statements of uploads and downloads. Nothing may be set for the
    /// session, which a pooler gives to others.
    #[must_use]
    pub fn objects(&self) -> &Pool {
        &self.objects
    }

    /// Which roles callers may have.
    #[must_use]
    pub fn roles(&self) -> &CallerRoles {
        &self.roles
    }

    /// Begins a transaction that runs as the caller: role and claims are set until its end, so PostgreSQL's grants and policies decide.
    /// Dropping it rolls back.
    ///
    /// # Errors
    /// When no connection is available, or callers may not have the role.
    pub async fn begin_as(&self, caller: &Caller) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.roles.check_caller(caller).await?;
        self.begin_in(caller.role(), &LocalSettings::of(caller)).await
    }

    /// As [`Database::begin_as`], with further local settings. Whether the caller's token may grant `service_role` was checked with it.
    ///
    /// # Errors
    /// As [`Database::begin_as`].
    pub async fn begin_with(
        &self,
        role: &str,
        settings: &LocalSettings,
    ) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.roles.check(role, GrantedBy::OwnKey).await?;
        self.begin_in(role, settings).await
    }

    /// As [`Database::begin_with`] in the login's own role: for functions of Cloch's that switch to callers' roles inside.
    ///
    /// # Errors
    /// When no connection is available.
    pub async fn begin_without_role(&self, settings: &LocalSettings) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.begin_in("none", settings).await
    }

    async fn begin_in(&self, role: &str, settings: &LocalSettings) -> sqlx::Result<Transaction<'static, Postgres>> {
        let mut transaction = self.begin().await?;
        sqlx::query(
            "select set_config('role', $1, true),
                    (select count(set_config(name, text, true)) from unnest($2::text[], $3::text[]) as setting (name, text))",
        )
        .bind(role)
        .bind(settings.names())
        .bind(settings.values())
        .execute(&mut *transaction)
        .await?;
        Ok(transaction)
    }

    /// Begins a transaction. If the server has closed the connection since its last use, nothing was executed, so the next connection is
    /// tried.
    async fn begin(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        let mut left = self.callers.options().get_max_connections();
        loop {
            match transaction::begin(&self.callers).await {
                Err(error) if left > 0 && is_lost(&error) => left -= 1,
                outcome => return outcome,
            }
        }
    }
}

fn pool_options(login: &Login, size: u32) -> PgPoolOptions {
    let availability = login.availability.clone();
    let options = PgPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(Duration::from_secs(10))
        .idle_timeout(Duration::from_secs(60))
        .test_before_acquire(false)
        .before_acquire(move |connection, unused| {
            let is_outdated = is_outdated(&availability, &unused);
            Box::pin(async move {
                if is_outdated {
                    return Err(lost());
                }
                // The server may have been restarted since. A connection in constant use is not pinged.
                if unused.idle_for < PING_AFTER_IDLE {
                    return Ok(true);
                }
                // An error closes the connection without a Terminate message, which would also block on a failed network.
                match timeout(PING_TIMEOUT, connection.ping()).await {
                    Ok(outcome) => outcome.map(|()| true),
                    Err(_) => Err(lost()),
                }
            })
        });
    if !login.has_several_hosts() {
        return options;
    }
    let availability = login.availability.clone();
    options.after_release(move |connection, used| {
        let availability = availability.clone();
        Box::pin(async move {
            if is_outdated(&availability, &used) {
                return Err(lost());
            }
            // The pool itself pings without a time limit, and one of several hosts may never come back.
            tokio::select! {
                answer = connection.ping() => answer.map(|()| true),
                () = availability.outage() => Err(lost()),
            }
        })
    })
}

/// On the operator's server the login may be a superuser: what is made belongs to the project's owner all the same.
fn owner_options(logins: &Logins, size: u32) -> PgPoolOptions {
    let options = pool_options(&logins.owner, size);
    if logins.is_own_cluster() {
        return options;
    }
    options.after_connect(|connection, _| Box::pin(become_owner(connection)))
}

/// Switches to the role that owns the project's objects: `postgres`, as with the Supabase CLI. On a managed server whose superuser has that
/// name, a role of Cloch's own.
pub(crate) const BECOME_OWNER: &str = "select set_config('role', cloch.project_owner(), false)";

async fn become_owner(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query(BECOME_OWNER).execute(connection).await.map(drop)
}

fn is_outdated(availability: &Availability, connection: &PoolConnectionMetadata) -> bool {
    Instant::now().checked_sub(connection.age).is_some_and(|opened| availability.is_outdated(opened))
}

fn lost() -> sqlx::Error {
    sqlx::Error::Io(std::io::ErrorKind::ConnectionReset.into())
}

/// Whether the connection is gone: the server was stopped (57P01) or has crashed (57P02), or does not respond.
#[must_use]
pub fn is_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => {
            error.kind() != std::io::ErrorKind::ConnectionRefused && error.kind() != std::io::ErrorKind::NotFound
        }
        sqlx::Error::Database(refusal) => matches!(refusal.code().as_deref(), Some("57P01" | "57P02")),
        _ => false,
    }
}

/// Whether the database is temporarily unavailable: it restarts, or has no free connection. A retried request may succeed.
#[must_use]
pub fn is_unavailable(error: &sqlx::Error) -> bool {
    use sqlx::Error::{Database, Io, PoolClosed, PoolTimedOut, Tls, WorkerCrashed};
    match error {
        Io(_) | Tls(_) | PoolTimedOut | PoolClosed | WorkerCrashed => true,
        // Connection exceptions; server stopped, crashed or starting; database dropped; too many connections.
        Database(refusal) => refusal.code().is_some_and(|code| {
            code.starts_with("08") || matches!(code.as_ref(), "57P01" | "57P02" | "57P03" | "57P04" | "53300")
        }),
        _ => false,
    }
}

/// The maximum number of connections of each pool.
#[derive(Clone, Copy, Debug)]
pub struct PoolSizes {
    /// For Cloch's own work.
    pub admin: u32,
    /// For auth.
    pub auth: u32,
    /// For the project's owner.
    pub owner: u32,
    /// For storage and functions on behalf of callers.
    pub callers: u32,
    /// For the statements of uploads and downloads.
    pub objects: u32,
    /// For the table REST.
    pub rest: u32,
}

impl Default for PoolSizes {
    fn default() -> Self {
        Self { admin: 10, auth: 10, owner: 4, callers: 10, objects: 8, rest: 12 }
    }
}
