//! `cloch import`: imports a Supabase project. Loads its database in one transaction and copies its stored files. Then compares the numbers
//! of rows, objects and bytes in the source with those in this project.

use std::path::PathBuf;

use cloch_core::Secret;
use cloch_sql::database::Login;
use cloch_storage::backend::open::open as open_store;
use sqlx::{ConnectOptions, Connection, PgConnection};

use super::files::{self, Access, Origin, Present};
use super::inventory::{Comparison, Inventory};
use super::keys::TakenOver;
use super::load::{Loaded, load};
use super::record::{Record, refuse_used};
use super::source::{Wanted, dump};
use super::{LeftOut, functions};
use crate::config::{Config, DatabaseChoice};
use crate::data_dir_lock::{self, DataDirLock};
use crate::error::CommandError;
use crate::setup::storage::both_stores;
use crate::{database, missing_data};

#[derive(Debug)]
pub(crate) struct Request {
    pub from: From,
    /// How the stored files of the source project are read; `None` if stored files are not imported.
    pub files: Option<Access>,
    pub sessions: bool,
    /// File with the source project's JWT secret.
    pub jwt_secret: Option<PathBuf>,
    /// File with the source project's JWT signing keys.
    pub jwt_keys: Option<PathBuf>,
    pub functions: Option<PathBuf>,
    /// Whether the migrations in the project's folder are recorded as applied if the source has no migration history.
    pub assume_migrated: bool,
}

#[derive(Debug)]
pub(crate) enum From {
    Database(Login),
    /// Folder with the files of a dump.
    Folder(PathBuf),
}

impl From {
    /// Returns a name of the source for messages and for the record of the import. The name contains no password.
    fn name(&self) -> String {
        match self {
            Self::Folder(folder) => {
                std::path::absolute(folder).unwrap_or_else(|_| folder.clone()).display().to_string()
            }
            Self::Database(login) => format!("{:?}:{}/{}", login.address, login.port, login.database),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Report {
    pub text: String,
    pub is_clean: bool,
}

/// Imports a project, or continues an interrupted import.
///
/// # Errors
/// When the import cannot be completed. The database then contains either everything or nothing of the source database.
pub(crate) async fn import(config: &Config, request: &Request) -> Result<Report, CommandError> {
    let taken_over = TakenOver::read(request.jwt_secret.as_deref(), request.jwt_keys.as_deref())?;
    let _data_dir_lock = DataDirLock::acquire(&config.data)?;
    let secrets = config.secrets()?;
    missing_data::objects_missing(config)?;
    let opened = database::open_without_project(config, &secrets).await?;
    let result = run(config, request, &opened.database.logins().owner).await;
    drop(opened.database);
    if let Some(cluster) = opened.cluster {
        cluster.stop().await;
    }
    let mut report = result?;
    // The keys of the source are saved last: if the import fails, secrets.toml still contains the secrets with which the database was
    // created.
    if !taken_over.is_empty() {
        let own = crate::config::Secrets::load(&config.secrets_file())?.ok_or("secrets.toml has disappeared")?;
        taken_over.applied(own)?.save(&config.secrets_file())?;
        report.text.push_str("\nThe keys of the source are in secrets.toml.");
    }
    Ok(report)
}

/// Tries the import with a temporary database in a temporary data folder, which is deleted afterwards. The project's own data is not
/// changed.
///
/// # Errors
/// Returns the error with which the import would fail.
pub(crate) async fn dry_run(mut config: Config, request: &Request) -> Result<Report, CommandError> {
    let taken_over = TakenOver::read(request.jwt_secret.as_deref(), request.jwt_keys.as_deref())?;
    let scratch = Scratch::make()?;
    config.data = scratch.folder.clone();
    config.cloch.storage.folder = None;
    config.cloch.storage.s3 = None;
    let binaries = config.postgres_bin.clone();
    config.database = DatabaseChoice::Embedded { port: free_port()?, is_free_to_choose: false, binaries };
    let secrets = config.secrets()?;
    taken_over.applied(secrets.clone())?;
    missing_data::objects_missing(&config)?;
    let opened = database::open_without_project(&config, &secrets).await?;
    let result = rehearse(&config, request, &opened.database.logins().owner).await;
    drop(opened.database);
    if let Some(cluster) = opened.cluster {
        cluster.stop().await;
    }
    result
}

async fn rehearse(config: &Config, request: &Request, login: &Login) -> Result<Report, CommandError> {
    let mut connection = login.sqlx_options().connect().await?;
    let record = load_database(config, request, &mut connection).await?;
    let comparison = record.expected.compare(&Inventory::read(&mut connection).await?, record.sessions);
    let files = files::records(&mut connection).await?;
    connection.close().await?;
    let mut text = describe(&record, &comparison);
    text.push_str(&format!("\n{} files of {} bytes would be brought.", files.len(), record.expected.file_bytes));
    if let (Some(access), Some(first)) = (&request.files, files.first()) {
        Origin::new(access.clone())?
            .check(first)
            .await
            .map_err(|error| format!("the files cannot be read: {error}"))?;
        text.push_str(" The source gives them.");
    }
    text.push_str("\nThis was a dry run: nothing was changed.");
    Ok(Report { text, is_clean: comparison.is_equal() && record.left_out.is_empty() })
}

async fn run(config: &Config, request: &Request, login: &Login) -> Result<Report, CommandError> {
    let mut connection = login.sqlx_options().connect().await?;
    let record = match Record::read(&mut connection).await? {
        Some(record) if record.source == request.from.name() => {
            tracing::info!("import: an earlier run has loaded the database, continuing with the files of storage");
            record
        }
        Some(record) => {
            return Err(format!("this database holds an import from {} already", record.source).into());
        }
        None => load_database(config, request, &mut connection).await?,
    };
    let report = bring_files(config, request, &mut connection, &record).await;
    connection.close().await?;
    let mut report = report?;
    if let Some(folder) = &request.functions {
        let (copied, present) = functions::copy(folder, &config.project)?;
        report.text.push_str(&format!("\nFunctions copied: {}.", listed(&copied)));
        report.text.push_str(&format!(" Kept as the project has them: {}.", listed(&present)));
    }
    Ok(report)
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Loads a dump into the database, and writes the record of the import in the same transaction. If the source is a database, first writes a
/// dump of it.
async fn load_database(
    config: &Config,
    request: &Request,
    connection: &mut PgConnection,
) -> Result<Record, CommandError> {
    refuse_used(connection).await?;
    let own = config.data.join("import");
    let (folder, dumped) = match &request.from {
        From::Folder(folder) => (folder.clone(), None),
        From::Database(login) => {
            data_dir_lock::make_inner(&own)?;
            let wanted = Wanted { binaries: config.postgres_bin.as_deref(), sessions: request.sessions };
            tracing::info!("import: dumping the source database");
            (own.clone(), Some(dump(login, &wanted, &own).await?))
        }
    };
    tracing::info!("import: loading the dump into the database");
    let mut transaction = connection.begin().await?;
    sqlx::raw_sql("set local statement_timeout = 0; set local client_min_messages = error")
        .execute(&mut *transaction)
        .await?;
    let loaded = load(&mut transaction, &folder, request.sessions).await?;
    settle_history(&mut transaction, config, request.assume_migrated).await?;
    let mut left_out = loaded.left_out.clone();
    let expected = match dumped {
        Some(dumped) => {
            left_out.extend(dumped.left_out);
            dumped.inventory
        }
        None => expected_of_files(loaded),
    };
    let file_bytes =
        if expected.file_bytes > 0 { expected.file_bytes } else { bytes_of_records(&mut transaction).await? };
    let expected = Inventory { file_bytes, ..expected };
    let record = Record { source: request.from.name(), sessions: request.sessions, expected, left_out };
    record.write(&mut transaction).await?;
    transaction.commit().await?;
    let _ = std::fs::remove_dir_all(&own);
    Ok(record)
}

fn expected_of_files(loaded: Loaded) -> Inventory {
    // The rows of the migration history are not compared, because Cloch also writes to this table.
    let mut rows = loaded.rows;
    rows.retain(|name, _| !name.starts_with("supabase_migrations."));
    Inventory { rows, objects: loaded.objects, extensions: loaded.extensions, file_bytes: 0 }
}

async fn bytes_of_records(connection: &mut PgConnection) -> Result<u64, CommandError> {
    Ok(files::records(connection).await?.iter().filter_map(|record| record.size).sum())
}

/// Checks the imported migration history. If it is empty although the project's folder contains migrations, the next start of the server
/// would run these migrations again on the imported database. To prevent this, records them as applied if `assume` is set, otherwise
/// returns an error.
async fn settle_history(to: &mut PgConnection, config: &Config, assume: bool) -> Result<(), CommandError> {
    let is_empty: bool = sqlx::query_scalar("select not exists (select from supabase_migrations.schema_migrations)")
        .fetch_one(&mut *to)
        .await?;
    if !is_empty || !config.applies_migrations() {
        return Ok(());
    }
    let migrations = cloch_sql::migrations::read_folder(&config.project.join("migrations"))?;
    if migrations.is_empty() {
        return Ok(());
    }
    if !assume {
        return Err(
            "the source brings no history of migrations, but the project's folder has migrations, which the next start would run again. \
             If what moves in has them already, say --assume-migrated; otherwise move them out of the folder. Nothing was changed"
                .into(),
        );
    }
    for migration in &migrations {
        sqlx::query("insert into supabase_migrations.schema_migrations (version, name) values ($1, $2)")
            .bind(&migration.version)
            .bind(&migration.name)
            .execute(&mut *to)
            .await?;
    }
    Ok(())
}

/// Copies the stored files, and compares the counts of the source project with those of this project.
async fn bring_files(
    config: &Config,
    request: &Request,
    connection: &mut PgConnection,
    record: &Record,
) -> Result<Report, CommandError> {
    let (files_store, s3_store) = both_stores(config);
    let store = open_store(&s3_store.unwrap_or(files_store))?;
    let mut failures = Vec::new();
    if let Some(access) = &request.files {
        tracing::info!("import: copying the files of storage");
        let moved = files::fetch(files::records(connection).await?, &Origin::new(access.clone())?, &*store).await?;
        tracing::info!(moved.files, moved.bytes, moved.present, moved.failed, "import: files of storage copied");
        failures = moved.failures;
    }
    let mut here = Inventory::read(connection).await?;
    let records = files::records(connection).await?;
    let present = Present::list(&*store).await?;
    let sizes: Vec<u64> = records.iter().filter_map(|record| present.size(record)).collect();
    here.file_bytes = sizes.iter().sum();
    let mut comparison = record.expected.compare(&here, record.sessions);
    comparison.line("files with their bytes", records.len() as u64, sizes.len() as u64);
    let mut text = describe(record, &comparison);
    text.push_str(&list("Files that could not be brought; run the command again", &failures));
    let is_clean = comparison.is_equal() && record.left_out.is_empty() && failures.is_empty();
    text.push_str(if is_clean { "\nEverything is here." } else { "\nNot everything is here; see above." });
    Ok(Report { text, is_clean })
}

fn describe(record: &Record, comparison: &Comparison) -> String {
    format!("{}{}", comparison.text(), list("Left out", &record.left_out))
}

fn list(title: &str, entries: &[LeftOut]) -> String {
    let lines: String = entries.iter().map(|entry| format!("\n  {}: {}", entry.what, entry.reason)).collect();
    if lines.is_empty() { lines } else { format!("\n{title}:{lines}\n") }
}

/// Temporary folder of a dry run. It is deleted when the value is dropped.
struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    fn make() -> Result<Self, CommandError> {
        let folder = std::env::temp_dir().join(format!("cloch-dry-run-{}", uuid::Uuid::new_v4().simple()));
        data_dir_lock::make(&folder)?;
        Ok(Self { folder })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn free_port() -> Result<u16, CommandError> {
    Ok(std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Parses the URL of the source database (option `--from`).
pub(crate) fn source_login(url: &Secret) -> Result<Login, CommandError> {
    Login::from_url(url).map_err(|error| format!("--from: {error}").into())
}
