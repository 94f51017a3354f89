//! Parameters of a PostgreSQL login: address, role, password, TLS.

use std::path::PathBuf;
use std::time::Duration;

use cloch_core::Secret;
use futures_util::future::join_all;
use log::LevelFilter;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions, PgSslMode};
use sqlx::{ConnectOptions, Connection};

use crate::Availability;

/// Timeout for connecting to each host of a login with several hosts.
const HOST_TIMEOUT: Duration = Duration::from_secs(2);
/// Execution time from which sqlx reports a statement as slow.
const SLOW_STATEMENT: Duration = Duration::from_secs(1);

/// Address of a PostgreSQL server: the folder of its Unix socket, or a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Folder that contains `.s.PGSQL.<port>`.
    Socket(PathBuf),
    /// Host name or IP address for TCP.
    Host(String),
}

/// TLS mode of a TCP connection (libpq's `sslmode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SslMode {
    /// No TLS is used.
    Disable,
    /// TLS is used if the server offers it.
    #[default]
    Prefer,
    /// TLS, without verification of the certificate.
    Require,
    /// TLS, with verification of the certificate chain.
    VerifyCa,
    /// TLS, with verification of the certificate chain and the host name.
    VerifyFull,
}

/// Parameters of a login to one database.
#[derive(Clone, Debug)]
pub struct Login {
    /// Address of the server, or of the first server if the login has several hosts. [`Login::place`] returns the server in use.
    pub address: Address,
    /// Port, also part of the Unix socket's name.
    pub port: u16,
    /// Name of the login role.
    pub user: String,
    /// Password; empty if the server requires none.
    pub password: Secret,
    /// Name of the database.
    pub database: String,
    /// TLS mode of TCP connections.
    pub ssl_mode: SslMode,
    /// File with the trusted certificates (libpq's `sslrootcert`); `None` to trust the bundled Mozilla roots.
    pub ssl_root_cert: Option<PathBuf>,
    /// Whether prepared statements may be kept between transactions; `false` behind a pooler in transaction mode.
    pub keep_statements: bool,
    /// All hosts of the connection string (libpq allows several), among which [`Login::choose_host`] chooses. Empty if the login was not
    /// created from a connection string.
    pub hosts: Vec<(Address, u16)>,
    /// Required attributes of the chosen host (libpq's `target_session_attrs`).
    pub session_attributes: SessionAttributes,
    /// Whether the search_path of the login's sessions contains only pg_catalog. This is necessary for a superuser's sessions: otherwise a
    /// function of the project with the name of a system function, but better matching argument types, would run with superuser rights.
    pub catalog_only: bool,
    /// Availability of the server, and the host in use; shared by all clones of the login.
    pub availability: Availability,
}

/// Required attributes of a server's sessions (libpq's `target_session_attrs`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionAttributes {
    /// Any server that responds.
    #[default]
    Any,
    /// The primary, which accepts writes.
    ReadWrite,
    /// A standby of a primary.
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
    /// Returns a login to the same database with another role.
    #[must_use]
    pub fn with_user(&self, user: &str, password: Secret) -> Self {
        Self { user: user.to_owned(), password, catalog_only: false, ..self.clone() }
    }

    /// Returns a login with the same role to another database of the server.
    #[must_use]
    pub fn with_database(&self, database: &str) -> Self {
        Self { database: database.to_owned(), ..self.clone() }
    }

    /// Returns the address and port of the server. If the login has several hosts, returns those of the host in use.
    #[must_use]
    pub fn place(&self) -> (&Address, u16) {
        match self.availability.chosen(&self.hosts) {
            Some((address, port)) => (address, *port),
            None => (&self.address, self.port),
        }
    }

    /// Whether the login has several hosts.
    #[must_use]
    pub fn has_several_hosts(&self) -> bool {
        self.hosts.len() > 1
    }

    /// Chooses a host for this login and its clones: the first host of the list that responds and has the required session attributes. A
    /// single host is not checked unless attributes are required.
    ///
    /// # Errors
    /// Returns the error of the last host if no host is suitable.
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
                        tracing::info!(
                            "database: using host {address:?}, port {port}, of the hosts in the database URL"
                        );
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

    /// Creates a pool whose connections are opened on demand and lead to the chosen host. `name` is the `application_name` of the
    /// connections.
    #[must_use]
    pub fn pool(&self, options: PgPoolOptions, name: &str) -> PgPool {
        let pool = options.connect_lazy_with(self.sqlx_options().application_name(name));
        if self.has_several_hosts() {
            self.availability.follow(&pool, self);
        }
        pool
    }

    /// Converts the login's parameters to sqlx's options.
    #[must_use]
    pub fn sqlx_options(&self) -> PgConnectOptions {
        let (address, port) = self.place();
        let options = PgConnectOptions::new_without_pgpass()
            .port(port)
            .username(&self.user)
            .database(&self.database)
            .application_name("cloch")
            // Log slow statements only at level debug, because sqlx logs the whole text with its values, also of a migration, a seed or SQL
            // from the dashboard.
            .log_slow_statements(LevelFilter::Debug, SLOW_STATEMENT)
            .statement_cache_capacity(if self.keep_statements { 256 } else { 0 });
        let settings = self.session_settings();
        // PgBouncer refuses the start-up parameter `options`, even if it is empty.
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

    /// Returns the initial settings of every session of the login.
    pub(crate) fn session_settings(&self) -> Vec<(&'static str, &'static str)> {
        let search_path = self.catalog_only.then_some(("search_path", "pg_catalog"));
        // The database or the role may have another default, with which the literals in Cloch's SQL would have another meaning. Not set through
        // a pooler in transaction mode, because sqlx can only set it with `options`.
        let literals = self.keep_statements.then_some(("standard_conforming_strings", "on"));
        self.keepalive_settings().iter().copied().chain(literals).chain(search_path).collect()
    }

    /// Returns settings that make the server detect lost connections (TCP keepalive), with the same times as the client
    /// ([`crate::client`]). Empty for a login through a pooler in transaction mode, because such poolers refuse unknown settings.
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
