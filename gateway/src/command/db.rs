//! `cloch db`: applies migrations, resets, dumps and restores the database.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, Subcommand};
use cloch_sql::database::{Login, Logins};
use cloch_sql::embedded::{Account, Binaries, link_target};
use sqlx::{ConnectOptions, Connection};

use super::dump_input::Source;
use super::{dump, print, restore};
use crate::config::{Config, DatabaseChoice, Flags, Secrets};
use crate::data_dir_lock::DataDirLock;
use crate::error::CommandError;
use crate::{database, logging, missing_data};

/// Manages the database.
#[derive(Args)]
pub struct Db {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Apply the migrations that the database lacks
    Migrate(Flags),
    /// Delete the embedded database and all files, and create them again from migrations and seed
    Reset {
        /// Confirm the deletion of all data
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        flags: Flags,
    },
    /// Write the whole database to a file (PostgreSQL's custom format, with a seal that `restore` verifies)
    Dump {
        /// Dump file to write
        file: PathBuf,
        #[command(flatten)]
        flags: Flags,
    },
    /// Restore a dump of this project into an empty database
    Restore {
        /// Dump file to read
        file: PathBuf,
        /// Also restore a file that this project's `cloch db dump` has not written: its author can run programs as the database's superuser
        #[arg(long)]
        trust: bool,
        /// Confirm the deletion of rows in the project's tables (refused if there are users or files)
        #[arg(long)]
        yes: bool,
        #[command(flatten)]
        flags: Flags,
    },
}

impl Db {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let config = Config::load_of_running(self.action.flags())?;
        let _flush_guard = logging::start(config.log.as_deref(), config.log_json)?;
        config.warnings.iter().for_each(|warning| tracing::warn!("config: check the configuration: {warning}"));
        match self.action {
            Action::Migrate(_) => migrate(&config).await,
            Action::Reset { yes, .. } => reset(&config, yes).await,
            Action::Dump { file, .. } => dump::dump(&config, &file).await,
            Action::Restore { file, yes, trust, .. } => {
                restore::restore(&config, Source { file: &file, is_trusted: trust }, yes).await
            }
        }
    }
}

impl Action {
    fn flags(&self) -> &Flags {
        match self {
            Self::Migrate(flags)
            | Self::Reset { flags, .. }
            | Self::Dump { flags, .. }
            | Self::Restore { flags, .. } => flags,
        }
    }
}

async fn migrate(config: &Config) -> Result<(), CommandError> {
    let secrets = config.secrets()?;
    if let Some(running) = running_database(config, &secrets).await {
        database::migrate_running(config, &running).await?;
    } else {
        let _data_dir_lock = DataDirLock::acquire(&config.data)?;
        missing_data::objects_missing(config)?;
        let opened = database::open(config, &secrets).await?;
        if let Some(cluster) = opened.cluster {
            cluster.stop().await;
        }
    }
    print::line("The database is up to date")?;
    Ok(())
}

async fn reset(config: &Config, yes: bool) -> Result<(), CommandError> {
    if matches!(config.database, DatabaseChoice::External(_)) {
        return Err("reset works on the embedded database only: CLOCH_DB_URL is set".into());
    }
    if !yes {
        return Err(format!("this deletes the database and all files in {}: say --yes", config.data.display()).into());
    }
    // A link from this data folder to the database of another data folder is refused: otherwise the reset would delete that database.
    database::check_place(config)?;
    let folder = DataDirLock::acquire(&config.data)?;
    for name in ["db", "objects", "cache"] {
        let path = config.data.join(name);
        // The folder may be a symbolic link to a folder elsewhere. In this case, the linked folder is deleted and created again empty,
        // because the server refuses a link without a target.
        if let Some(target) = link_target(&path) {
            remove(&target)?;
            std::fs::create_dir(&target).map_err(|error| format!("{}: {error}", target.display()))?;
        } else {
            remove(&path)?;
        }
    }
    drop(folder);
    migrate(config).await
}

fn remove(path: &Path) -> Result<(), CommandError> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("{}: {error}", path.display()).into())
        }
        _ => Ok(()),
    }
}

/// Returns the logins of the project's database if it is running: the login of `CLOCH_DB_URL`, or the logins of the embedded database if a
/// server has locked the data folder. A successful connection to the port is not enough: a server of another data folder with the same keys
/// may listen on this port.
pub(super) async fn running_database(config: &Config, secrets: &Secrets) -> Option<Logins> {
    if matches!(config.database, DatabaseChoice::Embedded { .. }) {
        DataDirLock::holder(&config.data)?;
    }
    let logins = database::logins(config, secrets);
    logins.maintenance.choose_host().await.ok()?;
    let connection = logins.maintenance.sqlx_options().connect().await.ok()?;
    let _ = connection.close().await;
    Some(logins)
}

/// Refuses a command that needs an existing database, such as `cloch db dump`, if the data folder contains no database. Otherwise the
/// command would create an empty database in a wrong data folder, and then dump or show this empty database.
pub(super) fn require_database(config: &Config) -> Result<(), CommandError> {
    if config.database_is_embedded() && !config.has_cluster() {
        return Err(format!(
            "no database found in the data folder {}: name the server's data folder with --data, or start the server once",
            config.data.display()
        )
        .into());
    }
    Ok(())
}

/// Runs `work` with the logins of the database. Uses the running database; if it is not running, starts the cluster for the duration of
/// `work`. If the data folder contains no database, creates one.
pub(super) async fn with_logins<T>(
    config: &Config,
    work: impl AsyncFnOnce(Logins) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let secrets = config.secrets()?;
    if let Some(running) = running_database(config, &secrets).await {
        return work(running).await;
    }
    let _data_dir_lock = DataDirLock::acquire(&config.data)?;
    let opened = database::open(config, &secrets).await?;
    let result = work(opened.database.logins().clone()).await;
    if let Some(cluster) = opened.cluster {
        cluster.stop().await;
    }
    result
}

/// Returns the command that runs the PostgreSQL client program `name`, such as pg_dump, on the database of `login`, in the account that runs
/// the database.
pub(super) fn tool(name: &str, config: &Config, login: &Login) -> Result<Command, CommandError> {
    let program = Binaries::tool(name, config.postgres_bin.clone())?
        .ok_or_else(|| format!("{name} was not found: install PostgreSQL's client programs"))?;
    Ok(Account::choose().client_command(&program, login)?)
}
