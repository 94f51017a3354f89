//! Base backups: reads the tar stream of pg_basebackup and stores it in encrypted parts.

use std::process::Stdio;

use bytes::BytesMut;
use chrono::Utc;
use cloch_sql::database::{Address, Login, read_no_views};
use cloch_sql::embedded::{Account, Binaries};
use sha2::{Digest, Sha256};
use sqlx::{ConnectOptions, Connection, PgConnection};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use crate::error::{BackupError, Result, blocking};
use crate::layout::{self, BlobList, Manifest, PART_BYTES, Part};
use crate::lsn::Lsn;
use crate::repository::Repository;
use crate::restore_point::{self, Mark};
use crate::settings::Settings;
use crate::signed_json;

const PROGRAM: &str = "pg_basebackup";
/// Number of bytes kept from the end of pg_basebackup's tar archive. These bytes contain the start and end LSN, followed by the padding of tar.
const TAIL_BYTES: usize = 64 << 10;

#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    pub(crate) system_identifier: String,
    pub(crate) timeline: u32,
    pub(crate) segment_bytes: u64,
    pub(crate) binaries: Binaries,
}

/// Copies the database cluster as a base backup into the backup series `series`, and returns the manifest. The base backup can be restored
/// only after two more steps: first, WAL shipping must copy the WAL up to the manifest's `end`; then the caller must write the manifest to
/// the backup target. With `is_urgent`, pg_basebackup requests a fast checkpoint; otherwise PostgreSQL spreads the checkpoint over time.
pub(crate) async fn copy(
    settings: &Settings,
    repository: &Repository,
    cluster: &Cluster,
    series: &str,
    is_urgent: bool,
) -> Result<Manifest> {
    let begun = Utc::now();
    let id = layout::moment_name(begun);
    let mut child = start(settings, cluster, is_urgent)?;
    let mut output = child.stdout.take().ok_or(BackupError::Stopped)?;
    let errors = child.stderr.take().ok_or(BackupError::Stopped)?;
    let messages = tokio::spawn(read_to_string(errors));
    let (mut parts, mut tail) = (Vec::new(), Vec::new());
    loop {
        let mut bytes = BytesMut::with_capacity(PART_BYTES);
        while bytes.len() < PART_BYTES {
            let room = (PART_BYTES - bytes.len()) as u64;
            let read = (&mut output).take(room).read_buf(&mut bytes).await.map_err(BackupError::io(PROGRAM))?;
            if read == 0 {
                break;
            }
        }
        if bytes.is_empty() {
            break;
        }
        let bytes = bytes.freeze();
        keep_tail(&mut tail, &bytes);
        let name = layout::base_part(series, &id, parts.len());
        let content = bytes.clone();
        let sha256 = blocking(move || Ok(hex::encode(Sha256::digest(&content)))).await?;
        let length = bytes.len() as u64;
        repository.put(&name, bytes).await?;
        parts.push(Part { name, bytes: length, sha256 });
    }
    let status = child.wait().await.map_err(BackupError::io(PROGRAM))?;
    let messages = messages.await.map_err(|_| BackupError::Stopped)?;
    let ends = (position(&tail, "\"Start-LSN\": \""), position(&tail, "\"End-LSN\": \""));
    let (true, (Some(start), Some(stop))) = (status.success(), ends) else {
        let lines: Vec<&str> = messages.lines().rev().take(5).collect();
        return Err(BackupError::Program {
            program: PROGRAM,
            reason: lines.into_iter().rev().collect::<Vec<_>>().join("; "),
        });
    };
    let (blobs, rows, mark) = contents(&settings.login).await?;
    signed_json::put(repository, &layout::blob_list(series, &id), &BlobList::Signed { versions: blobs.clone() })
        .await?;
    Ok(Manifest {
        project_id: settings.project_id.clone(),
        postgres: cluster.binaries.version.clone(),
        system_identifier: cluster.system_identifier.clone(),
        timeline: cluster.timeline,
        segment_bytes: cluster.segment_bytes,
        start,
        stop,
        mark: mark.position,
        end: mark.end,
        begun,
        completed: mark.written,
        bytes: parts.iter().map(|part| part.bytes).sum(),
        parts,
        objects: blobs.len() as u64,
        rows,
        is_files_only: false,
        settings: None,
    })
}

fn start(settings: &Settings, cluster: &Cluster, is_urgent: bool) -> Result<Child> {
    let program = cluster.binaries.program(PROGRAM);
    if !program.exists() {
        return Err(BackupError::Program {
            program: PROGRAM,
            reason: format!(
                "not found in {}: install PostgreSQL's own packages (Debian, Ubuntu: apt-get install postgresql)",
                cluster.binaries.folder.display()
            ),
        });
    }
    let login = &settings.login;
    let mut command = Command::from(Account::choose().command(&program));
    match &login.address {
        Address::Socket(folder) => command.arg("-h").arg(folder),
        Address::Host(host) => command.arg("-h").arg(host),
    };
    command
        .args(["-p", &login.port.to_string(), "-U", &login.user, "--no-password", "--verbose"])
        .args(["-D", "-", "--format=tar", "--wal-method=none", "--label=cloch backup"])
        .arg(if is_urgent { "--checkpoint=fast" } else { "--checkpoint=spread" })
        .arg(format!("--max-rate={}k", settings.max_rate_kb))
        .env("PGPASSWORD", login.password.expose())
        .env("LC_ALL", "C")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command.spawn().map_err(BackupError::io(program))
}

/// Returns three values: the versions of the project's stored files (from `storage.objects` and `cloch.object_versions`), PostgreSQL's
/// estimate of the number of rows in the project's tables, and the WAL mark (a WAL record where replay can stop) that ends the base backup.
///
/// The blob versions are read before the WAL mark is written. A blob that is deleted between these two steps is in the list anyway. A blob
/// that is added between them is not in the list. `prune` keeps it, because `prune` deletes no blob that was copied shortly before or after
/// a kept base backup.
async fn contents(login: &Login) -> Result<(Vec<String>, u64, Mark)> {
    let mut connection = login.sqlx_options().application_name("cloch backup").connect().await?;
    read_no_views(&mut connection).await?;
    let (versions, rows) = named(&mut connection).await?;
    let mark = restore_point::write(&mut connection).await?;
    connection.close().await?;
    Ok((versions, rows, mark))
}

/// SQL query for the versions of all blobs that belong to a base backup: current objects and their previous versions.
const NAMED_BLOBS: &str = "select version from storage.objects where version is not null
    union all select version from cloch.object_versions where not is_delete_marker";

/// Returns the versions of the project's blobs (from `storage.objects` and `cloch.object_versions`), and PostgreSQL's estimate of the
/// number of rows in the project's tables.
pub(crate) async fn named(connection: &mut PgConnection) -> Result<(Vec<String>, u64)> {
    let versions = sqlx::query_scalar(NAMED_BLOBS).fetch_all(&mut *connection).await?;
    let rows: i64 = sqlx::query_scalar(
        "select coalesce(sum(n_live_tup), 0)::bigint from pg_stat_user_tables where schemaname in ('public', 'auth', 'storage')",
    )
    .fetch_one(connection)
    .await?;
    Ok((versions, u64::try_from(rows).unwrap_or(0)))
}

fn keep_tail(tail: &mut Vec<u8>, bytes: &[u8]) {
    tail.extend_from_slice(bytes);
    let surplus = tail.len().saturating_sub(TAIL_BYTES);
    tail.drain(..surplus);
}

/// Finds an LSN by its label in the `WAL-Ranges` of PostgreSQL's `backup_manifest`, which is the last file of pg_basebackup's tar archive.
/// `None` if the label is not found.
fn position(tail: &[u8], label: &str) -> Option<Lsn> {
    let text = String::from_utf8_lossy(tail);
    let (_, rest) = text.rsplit_once(label)?;
    Lsn::parse(rest.split_once('"')?.0)
}

async fn read_to_string(mut from: impl AsyncRead + Unpin) -> String {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}
