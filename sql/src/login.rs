//! The parameters of a PostgreSQL login: address, role, password, TLS.

use std::path::PathBuf;
use std::time::Duration;

use cloch_core::Secret;
use futures_util::future::join_all;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgSslMode};
use sqlx::{ConnectOptions, Connection};

use crate::Availability;

/// For one of several hosts to answer.
const HOST_TIMEOUT: Duration = Duration::from_secs(2);

/// The address of a PostgreSQL server: a folder with its unix socket, or a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// The folder that holds `.s.PGSQL.<port>`.
    Socket(PathBuf),
    /// A host name or address, reached over TCP.
    Host(String),
}

/// TLS of a TCP connection (libpq's `sslmode`).
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

/// The parameters of a login to one database.
#[derive(Clone, Debug)]
pub struct Login {
    /// Where the server is; of several hosts the first. See [`Login::place`].
    pub address: Address,
    /// The port, which is also part of the unix socket's name.
    pub port: u16,
    /// The login role.
    pub user: String,
    /// The password; empty if the server requires none.
    pub password: Secret,
    /// The database's name.
    pub database: String,
    /// The TLS mode.
    pub ssl_mode: SslMode,
    /// A file with the certificates to trust instead of the system's (libpq's `sslrootcert`).
    pub ssl_root_cert: Option<PathBuf>,
    /// Whether prepared statements may be kept between transactions; off behind a pooler in transaction mode.
    pub keep_statements: bool,
    /// The servers to choose from (libpq's several hosts): see [`Login::choose_host`]. Empty where there is one only.
    pub hosts: Vec<(Address, u16)>,
    /// Which of them to choose (libpq's `target_session_attrs`).
    pub session_attributes: SessionAttributes,
    /// Whether names without a schema are those of pg_catalog alone. In a superuser's session, what a project has made of the same name and
    /// better fitting types would run with its rights.
    pub catalog_only: bool,
    /// Whether the server serves, and which of the hosts it is: the same for all clones.
    pub availability: Availability,
}

/// What a server's sessions must be able to do (libpq's `target_session_attrs`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionAttributes {
    /// Nothing in particular.
    #[default]
    Any,
    /// Write: the primary, not a standby.
    ReadWrite,
    /// Follow a primary: a standby.
    Standby,
}

impl SessionAttributes {
    fn none_fits(self) -> &'static str {
        match self {
            Self::Any => "no host answers",
            Self::ReadWrite => "no host takes writes (target_session_attrs)",
            Self::Standby => "no host is a standby",
        }
    }
}

impl Login {
    /// The same server and database with another login role.
    #[must_use]
    pub fn with_user(&self, user: &str, password: Secret) -> Self {
        Self { user: user.to_owned(), password, catalog_only: false, ..self.clone() }
    }

    /// The same server and login with another database.
    #[must_use]
    pub fn with_database(&self, database: &str) -> Self {
        Self { database: database.to_owned(), ..self.clone() }
    }

    /// The server's address and port: those of the chosen host, if there are several.
    #[must_use]
    pub fn place(&self) -> (&Address, u16) {
        match self.availability.chosen(&self.hosts) {
            Some((address, port)) => (address, *port),
            None => (&self.address, self.port),
        }
    }

    /// Whether there are several hosts to choose from.
    #[must_use]
    pub fn has_several_hosts(&self) -> bool {
        self.hosts.len() > 1
    }

    /// Chooses, for this login and its clones, the first of several hosts that answers and whose sessions are as wanted. One host is taken as
    /// it is.
    ///
    /// # Errors
    /// What the last of them answered.
    pub async fn choose_host(&self) -> sqlx::Result<()> {
        if !self.has_several_hosts() && self.session_attributes == SessionAttributes::Any {
            return Ok(());
        }
        let mut last = sqlx::Error::Configuration("no host is named".into());
        let answers = join_all(self.hosts.iter().map(|(address, port)| self.fits(address, *port))).await;
        for (index, ((address, port), answer)) in self.hosts.iter().zip(answers).enumerate() {
            match answer {
                Ok(true) => {
                    if self.availability.choose(index) {
                        tracing::info!("database: host {address:?}, port {port}, of the database URL is used");
                    }
                    return Ok(());
                }
                Ok(false) => last = sqlx::Error::Configuration(self.session_attributes.none_fits().into()),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn fits(&self, address: &Address, port: u16) -> sqlx::Result<bool> {
        let candidate = Self { address: address.clone(), port, availability: Availability::default(), ..self.clone() };
        let attempt = async {
            let mut connection = candidate.sqlx_options().connect().await?;
            let (standby, read_only): (bool, bool) =
                sqlx::query_as("select pg_is_in_recovery(), current_setting('default_transaction_read_only')::boolean")
                    .fetch_one(&mut connection)
                    .await?;
            connection.close().await?;
            Ok(match self.session_attributes {
                SessionAttributes::Any => true,
                SessionAttributes::ReadWrite => !standby && !read_only,
                SessionAttributes::Standby => standby,
            })
        };
        tokio::time::timeout(HOST_TIMEOUT, attempt).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// A pool whose connections are opened when first needed, at the chosen host; `name` is their `application_name`.
    #[must_use]
    pub fn pool(&self, options: PgPoolOptions, name: &str) -> PgPool {
        let pool = options.connect_lazy_with(self.sqlx_options().application_name(name));
        if self.has_several_hosts() {
            self.availability.follow(&pool, self);
        }
        pool
    }

    /// The parameters in the form of sqlx.
    #[must_use]
    pub fn sqlx_options(&self) -> PgConnectOptions {
        let (address, port) = self.place();
        let options = PgConnectOptions::new_without_pgpass()
            .port(port)
            .username(&self.user)
            .database(&self.database)
            .application_name("cloch")
            .statement_cache_capacity(if self.keep_statements { 256 } else { 0 });
        let settings = self.session_settings();
        // Even an empty parameter `options` is refused by PgBouncer.
        let options = if settings.is_empty() { options } else { options.options(settings) };
        let options = match address {
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

    /// The settings that every session of the login begins with.
    pub(crate) fn session_settings(&self) -> Vec<(&'static str, &'static str)> {
        let search_path = self.catalog_only.then_some(("search_path", "pg_catalog"));
        self.keepalive_settings().iter().copied().chain(search_path).collect()
    }

    /// TCP keepalive for the server's end of the connection: the server detects a failed network as the client does ([`crate::client`]).
    /// Poolers in transaction mode refuse settings that they do not know.
    fn keepalive_settings(&self) -> &'static [(&'static str, &'static str)] {
        match self.place().0 {
            Address::Host(_) if self.keep_statements => &[
                ("tcp_keepalives_idle", "10"),
                ("tcp_keepalives_interval", "5"),
                ("tcp_keepalives_count", "2"),
                ("tcp_user_timeout", "20s"),
            ],
            _ => &[],
        }
    }
}
