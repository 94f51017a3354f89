//! Connection pools of the project's database, and transactions in the role of a caller.

use std::time::{Duration, Instant};

use cloch_core::disk_full;
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

/// `application_name` of the auth API's connections. The SQL function `net._queue` uses this name to detect HTTP requests that were queued
/// by triggers on the tables of schema auth, because such requests may contain text of callers.
const AUTH_NAME: &str = "cloch auth";
/// Idle time after which a connection is pinged before it is used again.
const PING_AFTER_IDLE: Duration = Duration::from_millis(500);

/// Connection pools of the project's database, one per login.
#[derive(Clone, Debug)]
pub struct Database {
    logins: Logins,
    admin: PgPool,
    operators: PgPool,
    auth: PgPool,
    owner: PgPool,
    callers: PgPool,
    objects: Pool,
    roles: CallerRoles,
}

impl Database {
    /// Creates the pools. Connections are opened when needed.
    #[must_use]
    pub fn new(logins: Logins, connections: PoolSizes) -> Self {
        let pool = |login: &Login, size| login.pool(pool_options(login, size), "cloch");
        let objects = Pool::new(logins.requests.clone(), connections.objects as usize);
        Self {
            admin: pool(&logins.admin, connections.admin),
            operators: pool(&logins.operators, connections.operators),
            auth: logins.auth.pool(pool_options(&logins.auth, connections.auth), AUTH_NAME),
            owner: logins.owner.pool(owner_options(&logins, connections.owner), "cloch"),
            callers: pool(&logins.callers, connections.callers),
            roles: CallerRoles::new(objects.clone()),
            objects,
            logins,
        }
    }

    /// Returns the pool for Cloch's internal work, which bypasses row-level security. Never use this pool to execute a statement chosen by
    /// a caller. The project's owner can create triggers on some tables that this pool writes (uploads, queues), and replace tables that it
    /// reads by views. Such code runs in the pool's sessions and can change their settings. Therefore, use [`Database::operators`] for the
    /// tables of operators and audits.
    #[must_use]
    pub fn admin(&self) -> &PgPool {
        &self.admin
    }

    /// Returns the pool for the tables of schema `cloch` that only the server may write: operators, audits, API keys and settings
    /// (`platform/functions/cloch/is_servers_session.sql`). On an embedded cluster, its login has no rights on other objects, except the
    /// counters of limits. So code of the project never runs in its sessions. Also use this pool to read operators and their sessions,
    /// because code of the project can replace operators and functions in the sessions of other pools.
    #[must_use]
    pub fn operators(&self) -> &PgPool {
        &self.operators
    }

    /// Returns the pool of the auth API's login, whose transactions execute triggers and hooks of the project.
    #[must_use]
    pub fn auth(&self) -> &PgPool {
        &self.auth
    }

    /// Returns the pool of the project owner's login, for actions of developers.
    #[must_use]
    pub fn owner(&self) -> &PgPool {
        &self.owner
    }

    /// Returns all logins to the project's database.
    #[must_use]
    pub fn logins(&self) -> &Logins {
        &self.logins
    }

    /// Returns the login for Cloch's internal work, which bypasses row-level security.
    #[must_use]
    pub fn admin_login(&self) -> &Login {
        &self.logins.admin
    }

    /// Returns the pool whose login may switch to the callers' roles. A transaction must set the role first: see [`Database::begin_as`].
    #[must_use]
    pub fn callers(&self) -> &PgPool {
        &self.callers
    }

    /// Returns the pool for uploads and downloads, whose login may switch to the callers' roles. Its client runs a whole transaction in one
    /// network round trip. Do not change session settings on its connections: behind a pooler, other clients may use the same session.
    #[must_use]
    pub fn objects(&self) -> &Pool {
        &self.objects
    }

    /// Returns the cached results of the checks whether requests may run in a role.
    #[must_use]
    pub fn roles(&self) -> &CallerRoles {
        &self.roles
    }

    /// Begins a transaction in the caller's role. Role and claims are set until the transaction ends, so that PostgreSQL's grants and
    /// policies apply. Dropping the transaction rolls it back.
    ///
    /// # Errors
    /// Fails if no connection is available or callers may not use the role.
    pub async fn begin_as(&self, caller: &Caller) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.roles.check_caller(caller).await?;
        self.begin_in(caller.role(), &LocalSettings::of(caller)).await
    }

    /// Begins a transaction in the given role, with the given settings until the transaction ends. The calling function must already have
    /// checked whether the caller may use `service_role`. Dropping the transaction rolls it back.
    ///
    /// # Errors
    /// See [`Database::begin_as`].
    pub async fn begin_with(
        &self,
        role: &str,
        settings: &LocalSettings,
    ) -> sqlx::Result<Transaction<'static, Postgres>> {
        self.roles.check(role, GrantedBy::OwnKey).await?;
        self.begin_in(role, settings).await
    }

    /// Begins a transaction in the login's own role, with the given settings until the transaction ends, for internal database functions
    /// that switch to callers' roles themselves.
    ///
    /// # Errors
    /// Fails if no connection is available.
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

    /// Begins a transaction. If this fails because the server has closed an idle connection of the pool, tries the next connection: no
    /// statement was executed on the closed connection.
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
                // The server may have been restarted since the connection was last used, so an idle connection is pinged. A connection in
                // constant use is not pinged.
                if unused.idle_for < PING_AFTER_IDLE {
                    return Ok(true);
                }
                // A failed ping closes the connection without a Terminate message, because sending the message would also block on a failed
                // network.
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
            // When a connection is released, sqlx pings it without a timeout, but a failed host may never respond. Therefore the connection
            // is pinged here first, and the wait ends when the server counts as lost.
            tokio::select! {
                answer = connection.ping() => answer.map(|()| true),
                () = availability.outage() => Err(lost()),
            }
        })
    })
}

/// Returns the options of the owner's pool. On an external server, each new connection switches to the role of the project's owner, because
/// the login may be a superuser and new objects must belong to the project's owner.
fn owner_options(logins: &Logins, size: u32) -> PgPoolOptions {
    let options = pool_options(&logins.owner, size);
    if logins.is_own_cluster() {
        return options;
    }
    options.after_connect(|connection, _| Box::pin(become_owner(connection)))
}

/// SQL statement that switches to the role that owns the project's objects. The role is `postgres`, as with the Supabase CLI, or
/// `cloch_owner`, which Cloch creates on a managed server where its login is not a member of `postgres`.
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

/// Whether the connection is lost: the server was stopped (57P01) or has crashed (57P02), or does not respond.
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

/// Whether the database is temporarily unavailable, because it restarts or has no free connection. A retry may succeed.
#[must_use]
pub fn is_unavailable(error: &sqlx::Error) -> bool {
    use sqlx::Error::{Database, Io, PoolClosed, PoolTimedOut, Tls, WorkerCrashed};
    match error {
        Io(_) | Tls(_) | PoolTimedOut | PoolClosed | WorkerCrashed => true,
        // SQLSTATEs of connection exceptions, a stopped, crashed or starting server, a dropped database, too many connections.
        Database(refusal) => refusal.code().is_some_and(|code| {
            code.starts_with("08") || matches!(code.as_ref(), "57P01" | "57P02" | "57P03" | "57P04" | "53300")
        }),
        _ => false,
    }
}

/// Whether a statement failed because the database's disk is full.
#[must_use]
pub fn is_disk_full(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|refusal| refusal.code()).is_some_and(|code| code == disk_full::SQLSTATE)
}

/// Maximum number of connections of each pool of a [`Database`].
#[derive(Clone, Copy, Debug)]
pub struct PoolSizes {
    /// Maximum number of connections for Cloch's internal work.
    pub admin: u32,
    /// Maximum number of connections for the tables of operators, audits, API keys and settings.
    pub operators: u32,
    /// Maximum number of connections for the auth API.
    pub auth: u32,
    /// Maximum number of connections of the project's owner.
    pub owner: u32,
    /// Maximum number of connections for storage and functions in the role of callers.
    pub callers: u32,
    /// Maximum number of connections for uploads and downloads.
    pub objects: u32,
    /// Maximum number of connections for the table REST API.
    pub rest: u32,
}

impl Default for PoolSizes {
    fn default() -> Self {
        Self { admin: 10, operators: 4, auth: 10, owner: 4, callers: 10, objects: 8, rest: 12 }
    }
}
