//! Connections to PostgreSQL, and the transaction that runs as a caller.

use std::path::PathBuf;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgSslMode};
use sqlx::{Postgres, Transaction};

use crate::{Caller, Secret};

/// Where a PostgreSQL answers: a folder with its unix socket, or a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// The folder that holds `.s.PGSQL.<port>`.
    Socket(PathBuf),
    /// A host name or address, reached over TCP.
    Host(String),
}

/// How the TLS of a TCP connection is settled (libpq's `sslmode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SslMode {
    /// Never.
    Disable,
    /// If the server offers it.
    #[default]
    Prefer,
    /// Always, without checking the certificate.
    Require,
    /// Always, with the certificate's chain checked.
    VerifyCa,
    /// Always, with chain and host name checked.
    VerifyFull,
}

/// Everything needed to log in to one database.
#[derive(Clone, Debug)]
pub struct Login {
    /// Where the server is.
    pub address: Address,
    /// Its port (also part of the socket's name).
    pub port: u16,
    /// The login role.
    pub user: String,
    /// Its password; empty where the server asks for none.
    pub password: Secret,
    /// The database's name.
    pub database: String,
    /// TLS.
    pub ssl_mode: SslMode,
    /// A file with the certificates to trust instead of the system's (libpq's `sslrootcert`).
    pub ssl_root_cert: Option<PathBuf>,
    /// Whether prepared statements may be kept between transactions; off behind a pooler in transaction mode.
    pub keep_statements: bool,
}

impl Login {
    /// The same server and database with another login role.
    #[must_use]
    pub fn with_user(&self, user: &str, password: Secret) -> Self {
        Self { user: user.to_owned(), password, ..self.clone() }
    }

    /// The same server and login with another database.
    #[must_use]
    pub fn with_database(&self, database: &str) -> Self {
        Self { database: database.to_owned(), ..self.clone() }
    }

    /// The form sqlx connects with.
    #[must_use]
    pub fn sqlx_options(&self) -> PgConnectOptions {
        let options = PgConnectOptions::new_without_pgpass()
            .port(self.port)
            .username(&self.user)
            .database(&self.database)
            .application_name("cloch")
            .statement_cache_capacity(if self.keep_statements { 256 } else { 0 });
        let options = match &self.address {
            Address::Socket(folder) => options.socket(folder),
            Address::Host(host) => options.host(host),
        };
        let options = match &self.ssl_root_cert {
            Some(path) => options.ssl_root_cert(path),
            None => options,
        };
        let options = options.ssl_mode(match self.ssl_mode {
            SslMode::Disable => PgSslMode::Disable,
            SslMode::Prefer => PgSslMode::Prefer,
            SslMode::Require => PgSslMode::Require,
            SslMode::VerifyCa => PgSslMode::VerifyCa,
            SslMode::VerifyFull => PgSslMode::VerifyFull,
        });
        if self.password.is_empty() { options } else { options.password(self.password.expose()) }
    }
}

/// The project's database: one login for Cloch's own work, one for work on behalf of callers.
#[derive(Clone, Debug)]
pub struct Database {
    admin_login: Login,
    caller_login: Login,
    admin: PgPool,
    callers: PgPool,
}

impl Database {
    /// Opens both pools. Connections are made when first needed. `admin` is Cloch's own login (auth, migrations, the outbox);
    /// `caller` is the login that may become the callers' roles: `authenticator`, or the same as `admin` on a managed server.
    #[must_use]
    pub fn new(admin: Login, caller: Login, connections: PoolSizes) -> Self {
        let pool = |login: &Login, size| {
            PgPoolOptions::new()
                .max_connections(size)
                .acquire_timeout(Duration::from_secs(10))
                .idle_timeout(Duration::from_secs(60))
                .test_before_acquire(false)
                .connect_lazy_with(login.sqlx_options())
        };
        Self {
            admin: pool(&admin, connections.admin),
            callers: pool(&caller, connections.callers),
            admin_login: admin,
            caller_login: caller,
        }
    }

    /// Cloch's own connections: not subject to row-level security. Never run anything a caller chose on them.
    #[must_use]
    pub fn admin(&self) -> &PgPool {
        &self.admin
    }

    /// The login behind [`Database::admin`].
    #[must_use]
    pub fn admin_login(&self) -> &Login {
        &self.admin_login
    }

    /// The login that becomes the callers' roles: what the table REST's own client connects with.
    #[must_use]
    pub fn caller_login(&self) -> &Login {
        &self.caller_login
    }

    /// A transaction that runs as the caller: role and claims are set until it ends, so PostgreSQL's grants and policies decide.
    /// Dropping it rolls back.
    ///
    /// # Errors
    /// When no connection can be had, or the role is not one that callers may have.
    pub async fn begin_as(&self, caller: &Caller) -> sqlx::Result<Transaction<'static, Postgres>> {
        let mut transaction = self.callers.begin().await?;
        sqlx::query(
            "select set_config('role', $1, true),
                    set_config('request.jwt.claims', $2, true),
                    set_config('request.jwt.claim.sub', $3, true),
                    set_config('request.jwt.claim.role', $1, true)",
        )
        .bind(caller.role())
        .bind(caller.claims_json())
        .bind(caller.claim("sub").unwrap_or_default())
        .execute(&mut *transaction)
        .await?;
        Ok(transaction)
    }
}

/// How many connections each part may hold.
#[derive(Clone, Copy, Debug)]
pub struct PoolSizes {
    /// For Cloch's own work.
    pub admin: u32,
    /// For storage and functions on behalf of callers.
    pub callers: u32,
    /// For the table REST.
    pub rest: u32,
}

impl Default for PoolSizes {
    fn default() -> Self {
        Self { admin: 10, callers: 10, rest: 12 }
    }
}
