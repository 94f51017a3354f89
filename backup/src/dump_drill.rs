//! Restore drill (test restore) for a database that an external provider hosts. Restores a current dump into a temporary local cluster, and
//! compares the row counts with those of the dump's snapshot. Then reads from the backup every file to which the rows refer.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Output};

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use cloch_sql::database::Login;
use cloch_sql::embedded::{Account, Binaries, Cluster, ClusterSettings};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row};

use crate::error::{BackupError, Result, blocking};
use crate::repository::Repository;
use crate::restore::staging::Draft;
use crate::restore::{Restored, files, missing_files, recover};
use crate::row_counts;
use crate::settings::Settings;
use crate::target::Target;
use crate::trust::Trust;
use crate::{drill, restore};

/// PostgreSQL programs that the restore drill needs on this machine.
const PROGRAMS: [&str; 4] = ["initdb", "pg_ctl", "pg_dump", "pg_restore"];
/// Name of the database role that restores the dump. The role is not a superuser, because code of the database's owner (for example a check
/// constraint) runs with the rights of the role that loads the rows. With a superuser's rights, this code could start programs on this
/// machine.
const RESTORER: &str = "cloch_drill";
/// Maximum number of tables with different row counts, and of pg_restore errors, that an error message lists.
const MAX_SHOWN: usize = 5;

/// Runs the restore drill with the id `id`. The restored copy must contain this drill's row in `cloch.backup_drills`.
pub(crate) async fn run(settings: &Settings, key: &Secret, id: i64) -> Result<Restored> {
    let repository = Repository::existing(Target::open(&settings.to, &settings.s3)?, &Trust::of_key(key)).await?;
    let opener = repository.opener(key).await?;
    let folder = drill::folder(settings);
    restore::sweep(&folder)?;
    let draft = Draft::make(&folder)?;
    let cluster = cluster_settings(settings, &draft)?;
    let dump = draft.data.join("dump");
    let source = dump_of(settings, &cluster, &dump).await?;
    let bytes = std::fs::metadata(&dump).map_err(BackupError::io(&dump))?.len();
    let server = Cluster::start(ClusterSettings { binaries: Some(source.binaries.folder.clone()), ..cluster }).await?;
    let outcome = async {
        let restorer = restore_dump(&server, &source, &dump).await?;
        let recovered = recover::read(&restorer, Some(id)).await?;
        let files = files::restore(&repository, &opener, &recovered, &draft, true, &|_, _, _| {}).await?;
        missing_files::refuse_any(&files.missing, recovered.file_count())?;
        let is_amchecked = recover::check(&server, &draft, Some(&source.binaries.folder), &|_, _, _| {}).await?;
        Ok::<_, BackupError>((recovered, files, is_amchecked))
    }
    .await;
    server.stop().await;
    let (recovered, files, is_amchecked) = outcome?;
    Ok(Restored {
        project_id: repository.project_id,
        run: None,
        moment: source.moment,
        base_bytes: bytes,
        segments: 0,
        files: files.count,
        file_bytes: files.bytes,
        users: recovered.users,
        unfinished_uploads: recovered.unfinished_uploads,
        missing: files.missing,
        is_amchecked,
        is_files_only: true,
    })
}

/// Metadata of the hosted database, read in the snapshot that pg_dump uses.
struct Source {
    moment: DateTime<Utc>,
    binaries: Binaries,
    roles: Vec<String>,
    /// Name and schema of each extension of the hosted database.
    extensions: Vec<(String, String)>,
    counts: std::collections::BTreeMap<String, i64>,
}

fn cluster_settings(settings: &Settings, draft: &Draft) -> Result<ClusterSettings> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    let parameters = [
        // Accept connections only through the Unix socket, whose folder is private.
        ("listen_addresses", String::new()),
        ("max_logical_replication_workers", "0".to_owned()),
        ("shared_preload_libraries", String::new()),
    ];
    Ok(ClusterSettings {
        folder: draft.cluster.clone(),
        port: port.map_err(BackupError::io(&draft.data))?.port(),
        password: Secret::new(uuid::Uuid::new_v4().simple().to_string()),
        binaries: settings.binaries.clone(),
        parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    })
}

/// Dumps the hosted database, and counts the database's rows in the same snapshot.
async fn dump_of(settings: &Settings, cluster: &ClusterSettings, file: &Path) -> Result<Source> {
    let login = &settings.login;
    let mut connection = login.sqlx_options().application_name("cloch backup").connect().await?;
    let mut transaction = connection.begin_with("begin isolation level repeatable read read only").await?;
    let row = sqlx::query(
        "select pg_export_snapshot(), clock_timestamp(), current_setting('server_version_num')::int / 10000,
                array(select rolname::text from pg_roles where rolname !~ '^pg_')",
    )
    .fetch_one(&mut *transaction)
    .await?;
    let (snapshot, major): (String, i32) = (row.try_get(0)?, row.try_get(2)?);
    let binaries = binaries(cluster, u32::try_from(major).unwrap_or(0))?;
    let output = File::options().write(true).create_new(true).open(file).map_err(BackupError::io(file))?;
    let mut command = of_login(&binaries, "pg_dump", login)?;
    command.args(["--format=custom", "--compress=1"]).arg(format!("--snapshot={snapshot}"));
    command.stdout(output);
    succeeded("pg_dump", &run_program(command).await?)?;
    let extensions = sqlx::query_as(
        "select extname::text, nspname::text from pg_extension join pg_namespace as n on n.oid = extnamespace where extname <> 'plpgsql'",
    );
    let extensions = extensions.fetch_all(&mut *transaction).await?;
    let counts = row_counts::read(&mut transaction).await?;
    let source = Source { moment: row.try_get(1)?, binaries, roles: row.try_get(3)?, extensions, counts };
    transaction.rollback().await?;
    connection.close().await?;
    Ok(source)
}

/// Returns the oldest PostgreSQL programs on this machine that can dump and run a database of major version `major`.
fn binaries(cluster: &ClusterSettings, major: u32) -> Result<Binaries> {
    let all = Binaries::on_this_machine(cluster).into_iter();
    let is_complete = |one: &Binaries| PROGRAMS.iter().all(|name| one.program(name).exists());
    let fitting = all.filter(|one| one.major() >= major && is_complete(one)).min_by_key(Binaries::major);
    fitting.ok_or_else(|| {
        BackupError::Refused(format!(
            "a drill restores a dump on this machine, which needs PostgreSQL {major} or newer here: install it (Debian, Ubuntu: apt-get install \
             postgresql-{major}), name its bin folder in CLOCH_POSTGRES_BIN, or set drill = \"off\""
        ))
    })
}

/// Creates the database role that restores the dump. This role may not install extensions, so they are installed as superuser. This is safe
/// because their scripts are files of this machine, not of the dump. Skips extensions that are not available on this machine.
async fn make_restorer(connection: &mut PgConnection, login: &Login, extensions: &[(String, String)]) -> Result<Login> {
    let restorer = login.with_user(RESTORER, Secret::new(uuid::Uuid::new_v4().simple().to_string()));
    let statements: Vec<String> = sqlx::query_scalar(
        "select format('create role %I login password %L', $1::text, $2::text)
         union all select format('alter database %I owner to %I', current_database(), $1::text)",
    )
    .bind(RESTORER)
    .bind(restorer.password.expose())
    .fetch_all(&mut *connection)
    .await?;
    for statement in statements {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await?;
    }
    for (name, schema) in extensions {
        let statement: String = sqlx::query_scalar(
            "select format('create schema if not exists %1$I authorization %3$I; create extension if not exists %2$I schema %1$I cascade',
                           $1::text, $2::text, $3::text)",
        )
        .bind(schema)
        .bind(name)
        .bind(RESTORER)
        .fetch_one(&mut *connection)
        .await?;
        if let Err(error) = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await {
            tracing::debug!(%error, extension = name, "restore drill: extension not available, skipped");
        }
    }
    Ok(restorer)
}

/// Restores the dump without owners and privileges, because these refer to the provider's roles. Fails if the number of rows of a table
/// differs from the number in the dump's snapshot. Returns the login of the role that owns the restored tables.
async fn restore_dump(server: &Cluster, source: &Source, dump: &Path) -> Result<Login> {
    let login = server.login();
    let mut connection = login.sqlx_options().connect().await?;
    // Create all roles of the source database, because row-level security policies name roles.
    let create = "select format('create role %I', name) from unnest($1::text[]) as name where to_regrole(quote_ident(name)) is null";
    let roles: Vec<String> = sqlx::query_scalar(create).bind(&source.roles).fetch_all(&mut connection).await?;
    sqlx::raw_sql(AssertSqlSafe(roles.join(";"))).execute(&mut connection).await?;
    let restorer = make_restorer(&mut connection, &login, &source.extensions).await?;
    let input = File::open(dump).map_err(BackupError::io(dump))?;
    let mut command = of_login(&source.binaries, "pg_restore", &restorer)?;
    command.args(["--no-owner", "--no-privileges", "--dbname", &login.database]).stdin(input);
    // Ignore the exit status of pg_restore. An extension that only the provider has may fail without a loss of rows; therefore the row
    // counts decide.
    let output = run_program(command).await?;
    let counts = row_counts::read(&mut connection).await?;
    connection.close().await?;
    let lost: Vec<String> = row_counts::differences(&source.counts, &counts);
    if lost.is_empty() {
        return Ok(restorer);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> = said.lines().filter(|line| line.contains("error:")).take(MAX_SHOWN).collect();
    let lost = lost.iter().take(MAX_SHOWN).cloned().collect::<Vec<_>>().join("; ");
    Err(BackupError::Refused(format!(
        "a dump of the provider's database, restored on this machine, is not what the database is: {lost} (pg_restore: {})",
        said.join("; ")
    )))
}

/// Returns a command for a PostgreSQL program, which runs in the account of the drill's cluster.
fn of_login(binaries: &Binaries, name: &str, login: &Login) -> Result<Command> {
    let mut command = Account::choose().client_command(&binaries.program(name), login)?;
    command.env("LC_ALL", "C");
    Ok(command)
}

async fn run_program(mut command: Command) -> Result<Output> {
    let program = command.get_program().to_owned();
    command.stderr(std::process::Stdio::piped());
    blocking(move || command.spawn().and_then(std::process::Child::wait_with_output).map_err(BackupError::io(program)))
        .await
}

fn succeeded(program: &'static str, output: &Output) -> Result<()> {
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(BackupError::Program { program, reason: said.lines().take(MAX_SHOWN).collect::<Vec<_>>().join("; ") })
}
