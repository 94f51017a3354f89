//! Replays the WAL to the requested moment in a PostgreSQL server that accepts no connections from outside.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Output;

use cloch_core::Secret;
use cloch_sql::database::{Address, Login, SERVER_ROLE, read_no_views};
use cloch_sql::embedded::{Binaries, Cluster, ClusterSettings};
use cloch_storage::backend::BlobKey;
use sqlx::postgres::PgRow;
use sqlx::{ConnectOptions, Connection, PgConnection, Row};

use super::Step;
use super::configuration;
use super::plan::ReplayEnd;
use super::staging::Draft;
use crate::error::{BackupError, Result, blocking};

/// Name of the file with the access rules (pg_hba) of the PostgreSQL server during the restore.
const ACCESS_FILE: &str = "cloch_restore_hba.conf";

impl ReplayEnd {
    fn parameter(self) -> (&'static str, String) {
        match self {
            Self::Mark(lsn) => ("recovery_target_lsn", lsn.to_string()),
            Self::Moment(moment) => ("recovery_target_time", moment.format("%Y-%m-%d %H:%M:%S%.6f+00").to_string()),
        }
    }
}

/// Files and counts read from the restored database.
#[derive(Clone, Debug, Default)]
pub struct Recovered {
    /// Current objects.
    pub objects: Vec<Object>,
    /// Previous versions of objects, in buckets with versioning.
    pub versions: Vec<Object>,
    /// Blobs of parts of unfinished uploads. If such a blob is lost, no object is lost.
    pub upload_parts: Vec<BlobKey>,
    /// Number of users in the restored database.
    pub users: u64,
    /// Number of unfinished uploads that the restore deleted, because they cannot be continued.
    pub unfinished_uploads: u64,
}

impl Recovered {
    /// Returns the number of files to which rows refer, including previous versions of objects.
    pub(crate) fn file_count(&self) -> usize {
        self.objects.len() + self.versions.len()
    }
}

/// An object of the restored database.
#[derive(Clone, Debug)]
pub struct Object {
    /// Version of the object, which is the key of the object's blob.
    pub version: String,
    /// Size in bytes according to the object's row.
    pub size: Option<u64>,
    /// Path of the object: `bucket/name`, with `?versionId=` for a previous version.
    pub path: String,
}

/// Verifies the files of the restored cluster, replaces its configuration, and starts the PostgreSQL server. The server accepts connections when
/// replay has finished.
pub(super) async fn start(draft: &Draft, binaries: Option<PathBuf>, end: ReplayEnd) -> Result<Cluster> {
    let version = fs::read_to_string(draft.cluster.join("PG_VERSION")).map_err(BackupError::io(&draft.cluster))?;
    let version = version.trim();
    let binaries = programs(binaries.as_deref(), version)?;
    verify(draft, &binaries).await?;
    configuration::replace(draft)?;
    // The access file is in the cluster's folder. PostgreSQL's account may not be allowed to enter the folders above the temporary data
    // folder.
    let access = draft.cluster.join(ACCESS_FILE);
    fs::write(&access, "local all all trust\n").map_err(BackupError::io(&access))?;
    draft.account.own(&access)?;
    let signal = draft.cluster.join("recovery.signal");
    fs::write(&signal, "").map_err(BackupError::io(&signal))?;
    draft.account.own(&signal)?;
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let parameters = [
        // Accept connections only through the Unix socket, whose folder is private.
        ("listen_addresses", String::new()),
        ("hba_file", access.display().to_string()),
        end.parameter(),
        ("recovery_target_timeline", "current".to_owned()),
        ("recovery_target_action", "promote".to_owned()),
        // Accept connections only after replay has finished.
        ("hot_standby", "off".to_owned()),
        // Run no background jobs in the restored copy: no subscriptions, no autovacuum.
        ("max_logical_replication_workers", "0".to_owned()),
        ("autovacuum", "off".to_owned()),
    ];
    let settings = ClusterSettings {
        folder: draft.cluster.clone(),
        port: port.map_err(BackupError::io(&draft.data))?.port(),
        password: Secret::default(),
        binaries: Some(binaries.folder),
        parameters: (parameters.into_iter().chain(configuration::parameters(version)))
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    };
    let cluster = Cluster::start(settings).await?;
    let _ = fs::remove_file(access);
    Ok(cluster)
}

/// Returns PostgreSQL's programs of the backup's major version, because other versions cannot read the restored cluster. The programs are
/// always those that are installed on this machine, never programs from the backup.
pub(super) fn programs(folder: Option<&Path>, version: &str) -> Result<Binaries> {
    let found = Binaries::find_in(folder, Some(version))?;
    if found.version == version {
        return Ok(found);
    }
    Err(BackupError::Refused(format!(
        "the backup is of PostgreSQL {version}, and {} holds the programs of PostgreSQL {}: install those of {version} (Debian, Ubuntu: apt-get \
         install postgresql-{version}), or set CLOCH_POSTGRES_BIN to the folder where they are",
        found.folder.display(),
        found.version
    )))
}

/// Compares the files of the restored cluster with PostgreSQL's own `backup_manifest` (pg_verifybackup).
async fn verify(draft: &Draft, binaries: &Binaries) -> Result<()> {
    const PROGRAM: &str = "pg_verifybackup";
    let program = binaries.program(PROGRAM);
    if !program.exists() {
        return Err(BackupError::Program {
            program: PROGRAM,
            reason: format!("not found in {}", binaries.folder.display()),
        });
    }
    let (account, folder) = (draft.account, draft.cluster.clone());
    let output = blocking(move || {
        let mut command = account.command(&program);
        // pg_verifybackup itself ignores postgresql.auto.conf and signal files, which are replaced later. It must also ignore pg_wal,
        // because this folder contains the WAL of the backup.
        command.args(["--no-parse-wal", "--quiet", "--ignore=pg_wal"]).arg(&folder);
        command.env("LC_ALL", "C").current_dir("/").output().map_err(BackupError::io(program))
    })
    .await?;
    succeeded(PROGRAM, &output)
}

fn succeeded(program: &'static str, output: &Output) -> Result<()> {
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().take(8).collect();
    // A program that was killed or could not be loaded prints no message.
    let reason = if lines.is_empty() { output.status.to_string() } else { lines.join("; ") };
    Err(BackupError::Program { program, reason })
}

/// Returns the login of the role that reads the restored rows: the role of the Cloch server. Code of the project's owner, for example a
/// cast of a column's type, runs with the rights of the role that reads. With a superuser's rights, this code could start programs on this
/// machine. If an older database lacks the role, returns the superuser's login.
pub(super) async fn reader(server: &Cluster) -> Result<Login> {
    let mut connection = server.login().sqlx_options().connect().await?;
    let exists: bool = sqlx::query_scalar("select exists (select from pg_catalog.pg_roles where rolname = $1)")
        .bind(SERVER_ROLE)
        .fetch_one(&mut connection)
        .await?;
    connection.close().await?;
    let login = server.login();
    // `ACCESS_FILE` allows connections without a password.
    Ok(if exists { login.with_user(SERVER_ROLE, Secret::default()) } else { login })
}

/// Reads the names of the files to which the restored rows refer, and deletes the rows of unfinished uploads, which cannot be continued
/// after a restore. If `drill` is set, fails if the row of the restore drill with this id is missing.
pub(crate) async fn read(login: &Login, drill: Option<i64>) -> Result<Recovered> {
    let mut connection = login.sqlx_options().connect().await?;
    read_no_views(&mut connection).await?;
    if let Some(drill) = drill {
        let query = sqlx::query_scalar("select exists (select from cloch.backup_drills where id = $1)");
        let is_there: bool = query.bind(drill).fetch_one(&mut connection).await?;
        if !is_there {
            return Err(BackupError::Missing { what: "the row that this drill wrote before it began".to_owned() });
        }
    }
    let mut recovered = objects(&mut connection).await?;
    let deleted =
        sqlx::query("delete from cloch.storage_uploads where completed_at is null").execute(&mut connection).await?;
    recovered.unfinished_uploads = deleted.rows_affected();
    connection.close().await?;
    Ok(recovered)
}

/// Reads the names of the files to which the rows of a database refer. Does not change the database.
pub(crate) async fn named(login: &Login) -> Result<Recovered> {
    let mut connection = login.sqlx_options().application_name("cloch restore").connect().await?;
    read_no_views(&mut connection).await?;
    let recovered = objects(&mut connection).await?;
    connection.close().await?;
    Ok(recovered)
}

async fn objects(connection: &mut PgConnection) -> Result<Recovered> {
    const OBJECTS: &str = "select version, (metadata ->> 'size')::bigint, bucket_id || '/' || name from storage.objects where version is not null";
    const VERSIONS: &str =
        "select version, (metadata ->> 'size')::bigint, bucket_id || '/' || name || '?versionId=' || version
                              from cloch.object_versions where not is_delete_marker";
    let mut recovered = Recovered { objects: read_objects(connection, OBJECTS).await?, ..Recovered::default() };
    // Databases of older Cloch versions have no table `cloch.object_versions`.
    let has_versions: bool = sqlx::query_scalar("select to_regclass('cloch.object_versions') is not null")
        .fetch_one(&mut *connection)
        .await?;
    if has_versions {
        recovered.versions = read_objects(connection, VERSIONS).await?;
    }
    let parts: Vec<String> = sqlx::query_scalar("select version from storage.s3_multipart_uploads_parts")
        .fetch_all(&mut *connection)
        .await?;
    recovered.upload_parts = parts.iter().filter_map(|version| BlobKey::parse(version)).collect();
    let users: i64 = sqlx::query_scalar("select count(*) from auth.users").fetch_one(connection).await?;
    recovered.users = u64::try_from(users).unwrap_or(0);
    Ok(recovered)
}

async fn read_objects(connection: &mut PgConnection, query: &'static str) -> Result<Vec<Object>> {
    let read = |row: &PgRow| {
        let size: Option<i64> = row.try_get(1)?;
        let size = size.and_then(|size| u64::try_from(size).ok());
        Ok(Object { version: row.try_get(0)?, size, path: row.try_get(2)? })
    };
    let rows = sqlx::query(query).fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

/// Verifies the tables and indexes of the restored cluster with pg_amcheck. Returns `false` if the server lacks the extension amcheck or the program.
pub(crate) async fn check(
    cluster: &Cluster,
    draft: &Draft,
    binaries: Option<&Path>,
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<bool> {
    const PROGRAM: &str = "pg_amcheck";
    report(Step::Check, 0, 1);
    let login = cluster.login();
    let mut connection = login.sqlx_options().connect().await?;
    let has_extension: bool =
        sqlx::query_scalar("select exists (select from pg_available_extensions where name = 'amcheck')")
            .fetch_one(&mut connection)
            .await?;
    connection.close().await?;
    let version = fs::read_to_string(draft.cluster.join("PG_VERSION")).map_err(BackupError::io(&draft.cluster))?;
    let program = Binaries::find_in(binaries, Some(version.trim()))?.program(PROGRAM);
    if !has_extension || !program.exists() {
        return Ok(false);
    }
    let Address::Socket(socket) = login.address.clone() else { return Ok(false) };
    let account = draft.account;
    let output = blocking(move || {
        let mut command = account.command(&program);
        command.arg("-h").arg(socket).args(["-p", &login.port.to_string(), "-U", &login.user, "--no-password"]);
        command.env("PGPASSWORD", login.password.expose());
        command.args(["--install-missing", "--on-error-stop", "--heapallindexed"]).arg(&login.database);
        command.env("LC_ALL", "C").current_dir("/").output().map_err(BackupError::io(program))
    })
    .await?;
    succeeded(PROGRAM, &output)?;
    report(Step::Check, 1, 1);
    Ok(true)
}
