//! Restores a backup into a new data folder: the database at a given moment, exactly the files to which the database's rows refer, the
//! secrets and the project's folder.
//!
//! The restore works in a temporary folder beside the final data folder and renames the temporary folder at the end. A failed or killed restore
//! leaves nothing incomplete in the final folder.

mod base;
mod beside_database;
mod configuration;
pub(crate) mod files;
mod log;
pub(crate) mod missing_files;
mod open_copy;
pub mod partial;
mod plan;
pub(crate) mod recover;
pub(crate) mod staging;
mod taken_files;
mod taken_tables;

use std::path::PathBuf;

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use cloch_sql::database::Login;

use cloch_sql::embedded::{Account, Cluster};

pub(crate) use self::open_copy::{OpenCopy, open_copy};
use self::partial::Only;
use self::plan::Plan;
pub use self::recover::Recovered;
use self::staging::Draft;
pub use self::taken_files::TakenFile;
pub use self::taken_tables::TakenTable;
use crate::encryption::Opener;
use crate::error::{BackupError, Result};
use crate::inventory::Inventory;
use crate::lineage;
use crate::project;
use crate::repository::Repository;
use crate::status::State;

/// Options of a restore.
#[derive(Debug)]
pub struct Request {
    /// The new data folder that the restore creates.
    pub data: PathBuf,
    /// The moment to restore; `None` for the latest restorable moment.
    pub to: Option<DateTime<Utc>>,
    /// Passphrase or age identity that decrypts the backup.
    pub key: Secret,
    /// Folder of PostgreSQL's programs; `None` to search for the programs.
    pub binaries: Option<PathBuf>,
    /// Whether to only verify the restored copy (pg_amcheck, all files read) and then delete the copy.
    pub is_check: bool,
    /// Whether to continue if files are missing or damaged in the backup.
    pub allow_missing: bool,
    /// The backup series to restore from, as named by `cloch backup list`. Required only if several servers wrote into the backup target at the
    /// requested moment.
    pub run: Option<String>,
    /// Login of the database. Required if the backup contains only the files of a database that an external provider hosts.
    pub database: Option<Login>,
    /// Id of the restore drill whose row must be in the restored copy.
    pub drill: Option<i64>,
    /// A moment that the backup must contain. If the backup ends earlier, somebody has replaced it with an earlier copy.
    pub at_least: Option<DateTime<Utc>>,
    /// Saved state of the server of this data folder. Empty if another server's backup is restored.
    pub state: State,
}

/// The files and tables that were extracted from a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Id of the project.
    pub project_id: String,
    /// Description of the server that wrote the backup, as in `cloch backup list`.
    pub run: String,
    /// The moment of the restored data. `None` if an external provider hosts the database and has restored the database itself.
    pub moment: Option<DateTime<Utc>>,
    /// Files that were extracted from the backup.
    pub files: Vec<TakenFile>,
    /// Requested files that are missing (`bucket/name`) or damaged (with the reason) in the backup.
    pub missing: Vec<String>,
    /// Tables that were extracted from the backup.
    pub tables: Vec<TakenTable>,
}

/// Steps of a restore, for a progress bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Unpacking the base backup. The progress is a number of bytes.
    Base,
    /// Fetching the WAL. The progress is a number of segments.
    Log,
    /// Replay of the WAL by PostgreSQL.
    Replay,
    /// Fetching the project's files. The progress is a number of files.
    Files,
    /// Verification of tables and indexes with pg_amcheck.
    Check,
}

/// The result of a restore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// Id of the project.
    pub project_id: String,
    /// Description of the server that wrote the backup, as in `cloch backup list`. `None` if an external provider hosts the database.
    pub run: Option<String>,
    /// Moment to which the database was restored.
    pub moment: DateTime<Utc>,
    /// Size of the base backup in bytes, or of the dump in a restore drill of a hosted database.
    pub base_bytes: u64,
    /// Number of replayed WAL segments.
    pub segments: usize,
    /// Number of restored files.
    pub files: u64,
    /// Total size of the restored files in bytes.
    pub file_bytes: u64,
    /// Number of users in the restored database.
    pub users: u64,
    /// Number of uploads that were unfinished at the restored moment and cannot be continued.
    pub unfinished_uploads: u64,
    /// Objects whose file is missing (`bucket/name`) or damaged (with the reason) in the backup.
    pub missing: Vec<String>,
    /// Whether pg_amcheck verified tables and indexes. This requires the extension amcheck.
    pub is_amchecked: bool,
    /// Whether an external provider hosts the database, so that only files, secrets and the project's folder were restored.
    pub is_files_only: bool,
}

/// Restores a backup into a new data folder, or verifies that a restore is possible.
///
/// # Errors
/// If the folder is not empty, the key is wrong, no backup covers the requested moment, or a part of the backup is damaged or missing. A failed
/// restore leaves no files.
pub async fn run(
    repository: &Repository,
    request: &Request,
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<Restored> {
    if !request.is_check {
        refuse_used(&request.data)?;
    }
    let opener = repository.opener(&request.key).await?;
    let inventory = read_inventory(repository, request).await?;
    let plan = Plan::new(&inventory, request.to)?;
    let base = plan.base;
    if base.manifest.is_files_only {
        return beside_database::run(repository, &opener, plan, request, report).await;
    }
    if !request.is_check {
        // Check before the download whether PostgreSQL's account can enter the data folder, because the database will be in this folder.
        Account::choose().must_enter(request.data.parent().unwrap_or(&request.data))?;
    }
    let draft = Draft::make(&request.data)?;
    project::restore(repository, &opener, &base.series, plan.moment, plan.settings, &draft.data).await?;
    let restore = Restore { repository, opener: &opener, plan, request, draft: &draft, report };
    let (server, segments) = restore.replay(&inventory).await?;
    let outcome = async {
        let recovered = recover::read(&recover::reader(&server).await?, request.drill).await?;
        report(Step::Replay, 1, 1);
        let files = files::restore(repository, &opener, &recovered, &draft, request.is_check, report).await?;
        let is_amchecked = if request.is_check {
            recover::check(&server, &draft, request.binaries.as_deref(), report).await?
        } else {
            false
        };
        Ok::<_, BackupError>((recovered, files, is_amchecked))
    }
    .await;
    server.stop().await;
    let (recovered, files, is_amchecked) = outcome?;
    missing_files::refuse(&files.missing, recovered.file_count(), request)?;
    let restored = Restored {
        project_id: repository.project_id.clone(),
        run: Some(lineage::describe(repository, &base.series).await?),
        moment: plan.moment,
        base_bytes: base.manifest.bytes,
        segments,
        files: files.count,
        file_bytes: files.bytes,
        users: recovered.users,
        unfinished_uploads: recovered.unfinished_uploads,
        missing: files.missing,
        is_amchecked,
        is_files_only: false,
    };
    if !request.is_check {
        draft.publish(&request.data)?;
    }
    Ok(restored)
}

/// Extracts files, tables or rows, as they were at a moment, from a backup into a new folder. For this purpose, the database is restored
/// into a temporary folder, which is deleted afterwards.
///
/// # Errors
/// The same errors as [`run`], and an error if a requested part did not exist at that moment. A failure leaves no files.
pub async fn take(
    repository: &Repository,
    request: &Request,
    wanted: &[Only],
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<Taken> {
    refuse_used(&request.data)?;
    let opener = repository.opener(&request.key).await?;
    let inventory = read_inventory(repository, request).await?;
    let plan = Plan::new(&inventory, request.to)?;
    if plan.base.manifest.is_files_only {
        let (login, recovered) = beside_database::read(request).await?;
        let draft = Draft::without_cluster(&request.data)?;
        let restore = Restore { repository, opener: &opener, plan, request, draft: &draft, report };
        return restore.take_from(login, &recovered, wanted).await;
    }
    let draft = Draft::make(&request.data)?;
    let restore = Restore { repository, opener: &opener, plan, request, draft: &draft, report };
    let (server, _) = restore.replay(&inventory).await?;
    let outcome = async {
        let reader = recover::reader(&server).await?;
        let recovered = recover::read(&reader, None).await?;
        report(Step::Replay, 1, 1);
        restore.take_from(&reader, &recovered, wanted).await
    }
    .await;
    server.stop().await;
    outcome
}

/// Returns the backup target's contents, reduced to the requested backup series.
async fn read_inventory(repository: &Repository, request: &Request) -> Result<Inventory> {
    let inventory = Inventory::read(repository).await?;
    inventory.refuse_older(repository, &request.state)?;
    if let Some(at_least) = request.at_least {
        inventory.refuse_before(at_least)?;
    }
    let has_several_runs = inventory.points.len() > 1;
    let inventory = lineage::narrow(repository, inventory, request.run.as_deref(), request.to).await?;
    // If the requested moment selects a base backup, the restore needs no other part of the backup. Damage elsewhere does not matter then.
    if request.to.is_some_and(|moment| inventory.base_of(moment).is_some()) {
        return Ok(inventory);
    }
    // If the backup target has several backup series, any damaged file may be the reason why the series with the requested moment was not
    // found.
    let hiding =
        if request.run.is_none() && has_several_runs { inventory.unreadable.first() } else { inventory.hiding() };
    match hiding {
        Some(unreadable) => Err(unreadable.error()),
        None => Ok(inventory),
    }
}

/// A restore of a base backup and its WAL into a temporary data folder.
struct Restore<'a> {
    repository: &'a Repository,
    opener: &'a Opener,
    plan: Plan<'a>,
    request: &'a Request,
    draft: &'a Draft,
    report: &'a (dyn Fn(Step, u64, u64) + Sync),
}

impl Restore<'_> {
    /// Restores the database cluster and replays the WAL to the planned moment. Returns the running cluster and the number of replayed segments.
    async fn replay(&self, inventory: &Inventory) -> Result<(Cluster, usize)> {
        let Self { repository, opener, plan, request, draft, report } = *self;
        // Check the version of the PostgreSQL programs before anything is fetched.
        recover::programs(request.binaries.as_deref(), &plan.base.manifest.postgres)?;
        base::restore(repository, opener, plan.base, draft, report).await?;
        let segments = log::restore(repository, opener, inventory, plan, draft, report).await?;
        report(Step::Replay, 0, 1);
        Ok((recover::start(draft, request.binaries.clone(), plan.replay_end).await?, segments))
    }

    /// Extracts the requested tables from the restored database, and the requested files from the backup.
    async fn take_from(&self, login: &Login, recovered: &Recovered, wanted: &[Only]) -> Result<Taken> {
        let Self { repository, opener, plan, request, draft, report } = *self;
        let folder = draft.data.join("taken");
        let tables = taken_tables::take(login, wanted, &folder, &request.data).await?;
        let (files, missing) = taken_files::take(repository, opener, recovered, wanted, &folder, report).await?;
        missing_files::refuse(&missing, files.len() + missing.len(), request)?;
        draft.publish_part(&folder, &request.data)?;
        let moment = (!plan.base.manifest.is_files_only).then_some(plan.moment);
        let run = lineage::describe(repository, &plan.base.series).await?;
        Ok(Taken { project_id: repository.project_id.clone(), run, moment, files, missing, tables })
    }
}

/// Deletes the temporary folders that killed restore drills or restores have left beside `data`. While this function runs, no restore may
/// use such a folder.
///
/// # Errors
/// If a folder cannot be read.
pub fn sweep(data: &std::path::Path) -> Result<()> {
    Draft::sweep(data)
}

/// Refuses a folder that is not empty, because a restore never overwrites existing data.
fn refuse_used(data: &std::path::Path) -> Result<()> {
    match std::fs::read_dir(data) {
        Ok(mut entries) => match entries.next() {
            Some(_) => Err(BackupError::Refused(format!(
                "{} is not empty: a backup is restored into a new folder only. Name another one with --data, or move this one away",
                data.display()
            ))),
            None => Ok(()),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(BackupError::io(data)(error)),
    }
}
