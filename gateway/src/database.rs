//! Opens the project's database: starts the embedded cluster or connects to an external server, and applies the project's migrations.

use std::path::PathBuf;

use cloch_core::Secret;
use cloch_sql::Database;
use cloch_sql::bootstrap::{Bootstrapped, Project, bootstrap};
use cloch_sql::database::{Address, Login, Logins, PoolSizes};
use cloch_sql::embedded::{Account, Cluster, ClusterSettings, EmbeddedError, extension_folder, superuser_login};
use cloch_sql::migrations::MigrationError;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row};

use crate::config::{Config, ConfigError, DatabaseChoice, Secrets};

/// Error: the project's database cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The embedded cluster cannot be started.
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),
    /// The chosen port of the embedded cluster cannot be stored.
    #[error(transparent)]
    Port(#[from] ConfigError),
    /// A migration or the seed failed.
    #[error(transparent)]
    Migration(#[from] MigrationError),
    /// The external server cannot be reached, or a statement failed.
    #[error("the database of CLOCH_DB_URL cannot be used: {0}")]
    Unreachable(#[source] sqlx::Error),
    /// The external server's version is too old.
    #[error("the database of CLOCH_DB_URL is PostgreSQL {found}; 15 to 18 can be used")]
    TooOld {
        /// Major version of the server.
        found: i32,
    },
}

/// The open database, and its PostgreSQL cluster if the database is embedded.
#[derive(Debug)]
pub struct OpenDatabase {
    /// Connection pools.
    pub database: Database,
    /// Maximum number of connections of the table REST API.
    pub rest_connections: u32,
    /// Whether the seed of this database had never run before this start.
    pub fresh: bool,
    /// Whether another program created the database, so that what exists in it stays unchanged.
    pub is_foreign: bool,
    /// Whether the seed was applied by this start.
    pub seeded: bool,
    /// The embedded cluster, which the caller must stop; `None` for an external server.
    pub cluster: Option<Cluster>,
}

/// Name of the database that a dump is restored into, until it is swapped with the project's database.
pub const RESTORED_DATABASE: &str = "cloch_restored";

/// Name of the project's old database after the swap, until it is dropped.
pub const REPLACED_DATABASE: &str = "cloch_replaced";

/// Databases that an interrupted restore may leave behind.
pub const RESTORE_LEFTOVERS: [&str; 2] = [RESTORED_DATABASE, REPLACED_DATABASE];

/// Opens the project's database: starts the embedded cluster or connects to the external server. Applies the platform SQL, the project's
/// migrations and the seed.
///
/// # Errors
/// When the database cannot be opened or migrated; the message is for the operator.
pub async fn open(config: &Config, secrets: &Secrets) -> Result<OpenDatabase, DatabaseError> {
    open_as(config, secrets, project).await
}

/// Opens the database as [`open`] does, but does not seed a new database.
///
/// # Errors
/// When the database cannot be opened or migrated; the message is for the operator.
pub async fn open_unseeded(config: &Config, secrets: &Secrets) -> Result<OpenDatabase, DatabaseError> {
    open_as(config, secrets, unseeded_project).await
}

/// Opens the database as [`open`] does, but applies only the platform SQL, neither migrations nor seed. A project is imported into this
/// database.
///
/// # Errors
/// When the database cannot be opened or migrated; the message is for the operator.
pub async fn open_without_project(config: &Config, secrets: &Secrets) -> Result<OpenDatabase, DatabaseError> {
    let platform = |config: &Config, is_own: bool| Project { migrate: false, ..unseeded_project(config, is_own) };
    open_as(config, secrets, platform).await
}

async fn open_as(
    config: &Config,
    secrets: &Secrets,
    project: fn(&Config, bool) -> Project,
) -> Result<OpenDatabase, DatabaseError> {
    let cluster = match cluster_settings(config, secrets) {
        Some(settings) => Some(start_cluster(config, settings).await?),
        None => None,
    };
    let opened = async {
        let logins = match &cluster {
            Some(cluster) => cluster_logins(cluster.login(), secrets),
            None => logins(config, secrets),
        };
        logins.maintenance.choose_host().await.map_err(DatabaseError::Unreachable)?;
        let sizes = pool_sizes(&logins.maintenance).await?;
        let is_own = cluster.is_some();
        if is_own {
            drop_leftovers(&logins.maintenance).await?;
        }
        let bootstrapped = bootstrap(&logins, &project(config, is_own)).await?;
        report(&bootstrapped);
        Ok((Database::new(logins, sizes), sizes.rest, bootstrapped))
    };
    match opened.await {
        Ok((database, rest_connections, bootstrapped)) => {
            let (fresh, is_foreign, seeded) = (bootstrapped.fresh, bootstrapped.is_foreign, bootstrapped.seeds > 0);
            Ok(OpenDatabase { database, rest_connections, fresh, is_foreign, seeded, cluster })
        }
        Err(error) => {
            if let Some(cluster) = cluster {
                cluster.stop().await;
            }
            Err(error)
        }
    }
}

/// Migrates the database of a running server. The nodes of the server then reload their schema caches.
///
/// # Errors
/// When the database cannot be migrated; the message is for the operator.
pub async fn migrate_running(config: &Config, logins: &Logins) -> Result<(), DatabaseError> {
    let is_own = matches!(config.database, DatabaseChoice::Embedded { .. });
    // `pool_sizes` is called only to check the version: it fails if the PostgreSQL server is too old.
    pool_sizes(&logins.maintenance).await?;
    report(&bootstrap(logins, &project(config, is_own)).await?);
    Ok(())
}

async fn drop_leftovers(login: &Login) -> Result<(), DatabaseError> {
    let mut connection = login.sqlx_options().connect().await.map_err(DatabaseError::Unreachable)?;
    let names: Vec<String> = sqlx::query_scalar("select datname::text from pg_database where datname = any ($1)")
        .bind(RESTORE_LEFTOVERS)
        .fetch_all(&mut connection)
        .await
        .map_err(DatabaseError::Unreachable)?;
    for name in names {
        let drop = sqlx::raw_sql(AssertSqlSafe(format!("drop database {name} with (force)")));
        drop.execute(&mut connection).await.map_err(DatabaseError::Unreachable)?;
    }
    connection.close().await.map_err(DatabaseError::Unreachable)
}

/// Creates the connection pools of a database that another process may already use. Neither starts nor migrates the database.
#[must_use]
pub fn connect_lazily(config: &Config, secrets: &Secrets) -> Database {
    Database::new(logins(config, secrets), PoolSizes::default())
}

/// Returns the logins of the project's database without starting the database, for a database that another process runs.
#[must_use]
pub fn logins(config: &Config, secrets: &Secrets) -> Logins {
    match &config.database {
        DatabaseChoice::External(login) => {
            let requests = config.pooler.as_ref().unwrap_or(login).clone();
            Logins { requests, ..Logins::same(login) }
        }
        DatabaseChoice::Embedded { port, .. } => {
            let password = Secret::new(&secrets.database.supabase_admin);
            let superuser = superuser_login(Address::Host("127.0.0.1".to_owned()), *port, password);
            cluster_logins(superuser, secrets)
        }
    }
}

/// Returns the logins of an embedded cluster.
#[must_use]
pub fn cluster_logins(superuser: Login, secrets: &Secrets) -> Logins {
    Logins::of_cluster(superuser, secrets.database_passwords())
}

/// Checks that the embedded database is in the data folder, or that it can be created there. Creates nothing.
///
/// # Errors
/// When PostgreSQL's account cannot enter the data folder, or the database's folder is a link to a missing path or to another data folder's
/// database.
pub fn check_place(config: &Config) -> Result<(), EmbeddedError> {
    match config.database {
        DatabaseChoice::Embedded { .. } => Account::choose().cluster_folder(&config.data.join("db")).map(drop),
        DatabaseChoice::External(_) => Ok(()),
    }
}

/// Starts the embedded cluster. If config.toml does not set its port and another program uses the port, the cluster listens on the next free
/// port, which is stored in the data folder.
///
/// # Errors
/// When the cluster cannot be started, or the port cannot be stored.
pub async fn start_cluster(config: &Config, settings: ClusterSettings) -> Result<Cluster, DatabaseError> {
    if !config.may_choose_database_port() {
        return Ok(Cluster::start(settings).await?);
    }
    let wanted = settings.port;
    let cluster = Cluster::start_on_free_port(settings, config.port).await?;
    let port = cluster.port();
    if port != wanted {
        tracing::info!("database: port {wanted} is in use, PostgreSQL listens on port {port} instead");
        if let Err(error) = config.store_database_port(port) {
            cluster.stop().await;
            return Err(error.into());
        }
    }
    Ok(cluster)
}

/// Returns the settings of the embedded cluster; `None` if an external server is used.
#[must_use]
pub fn cluster_settings(config: &Config, secrets: &Secrets) -> Option<ClusterSettings> {
    let DatabaseChoice::Embedded { port, binaries, .. } = &config.database else { return None };
    let parameters = config.file.db.settings.iter().map(|(name, value)| (name.clone(), setting_text(value))).collect();
    Some(ClusterSettings {
        folder: config.data.join("db"),
        port: *port,
        password: Secret::new(&secrets.database.supabase_admin),
        binaries: binaries.clone(),
        parameters,
    })
}

fn setting_text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the settings for migrating the project's database without the seed, for a database into which a dump is restored. `is_own`:
/// whether the database is embedded.
#[must_use]
pub fn unseeded_project(config: &Config, is_own: bool) -> Project {
    Project { seed: Vec::new(), ..project(config, is_own) }
}

fn project(config: &Config, is_own: bool) -> Project {
    let seed = &config.file.db.seed;
    Project {
        folder: PathBuf::from(&config.project),
        migrate: config.applies_migrations(),
        seed: if seed.enabled { seed.sql_paths.clone() } else { Vec::new() },
        extensions: if is_own { extension_folder(&config.data.join("db")) } else { None },
        settings: vec![("app.settings.jwt_exp".to_owned(), config.file.auth.jwt_expiry.to_string())],
        major_version: config.file.db.major_version,
    }
}

/// Divides the connections that the PostgreSQL server allows among Cloch's connection pools. A quarter of the connections is left for the
/// operator's sessions and other nodes.
async fn pool_sizes(login: &Login) -> Result<PoolSizes, DatabaseError> {
    let mut connection = login.sqlx_options().connect().await.map_err(DatabaseError::Unreachable)?;
    let row = sqlx::query(
        "select current_setting('max_connections')::int
                - current_setting('superuser_reserved_connections')::int,
                current_setting('server_version_num')::int / 10000",
    )
    .fetch_one(&mut connection)
    .await
    .map_err(DatabaseError::Unreachable)?;
    let _ = connection.close().await;
    let allowed: i32 = row.try_get(0).map_err(DatabaseError::Unreachable)?;
    let version: i32 = row.try_get(1).map_err(DatabaseError::Unreachable)?;
    if version < 15 {
        return Err(DatabaseError::TooOld { found: version });
    }
    let ours = u32::try_from(allowed).unwrap_or(20) * 3 / 4;
    let share = |wanted: u32| wanted.min(ours / 5).max(2);
    let usual = PoolSizes::default();
    Ok(PoolSizes {
        admin: share(usual.admin),
        operators: usual.operators.min(ours / 10).max(1),
        auth: share(usual.auth),
        owner: usual.owner.min(ours / 10).max(1),
        callers: share(usual.callers),
        objects: share(usual.objects),
        rest: share(usual.rest),
    })
}

fn report(bootstrapped: &Bootstrapped) {
    if bootstrapped.migrations > 0 || bootstrapped.seeds > 0 {
        tracing::info!(
            migrations = bootstrapped.migrations,
            seeds = bootstrapped.seeds,
            "database: applied the project's migrations and seed"
        );
    }
    if !bootstrapped.added.is_empty() {
        tracing::info!(
            count = bootstrapped.added.len(),
            "database: attached to a database of another program, existing objects are unchanged. The next lines list the objects that Cloch \
             added outside of schema cloch"
        );
        for fact in &bootstrapped.added {
            tracing::info!("database: object added by Cloch outside of schema cloch (no action needed): {fact}");
        }
    }
    if let Some(newest) = bootstrapped.newer.last() {
        tracing::warn!(
            count = bootstrapped.newer.len(),
            newest,
            "database: a newer version of Cloch has upgraded this database, and this version does not know its changes. Install the newer \
             version again, or restore a backup from before the upgrade (docs/upgrading.md)"
        );
    }
    for (subject, detail) in &bootstrapped.notices {
        tracing::warn!("database: limitation of this PostgreSQL: {subject}: {detail}");
    }
}
