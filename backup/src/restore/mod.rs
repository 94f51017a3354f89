//! A new data folder from a backup: the database at a moment, exactly the files that its rows name, secrets and project.
//!
//! It is made beside its final place and renamed at the end, so that a restore that fails or is killed leaves nothing half made there.

mod base;
mod beside_database;
mod configuration;
pub(crate) mod files;
mod log;
pub(crate) mod missing_files;
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

use cloch_sql::embedded::Cluster;

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

/// What to restore.
#[derive(Debug)]
pub struct Request {
    /// The new data folder.
    pub data: PathBuf,
    /// The moment; `None` for the last one.
    pub to: Option<DateTime<Utc>>,
    /// The passphrase or age identity.
    pub key: Secret,
    /// Where PostgreSQL's programs are; found by itself when absent.
    pub binaries: Option<PathBuf>,
    /// Whether the copy is only checked (pg_amcheck, every file read) and removed again.
    pub is_check: bool,
    /// Whether files that the backup lacks or has damaged are no reason to refuse.
    pub allow_missing: bool,
    /// The series to restore from (`backup list`); needed only where several servers wrote into the target at the moment.
    pub run: Option<String>,
    /// The database, where the backup holds its files only.
    pub database: Option<Login>,
    /// The drill whose row the copy must hold.
    pub drill: Option<i64>,
    /// A moment that the backup is known to reach: one that ends before was put back to an earlier state.
    pub at_least: Option<DateTime<Utc>>,
    /// What the server of this data folder has written into the target; nothing where another one's is restored.
    pub state: State,
}

/// What was taken out of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The project.
    pub project_id: String,
    /// The run that it is of, as `backup list` names it.
    pub run: String,
    /// The moment; `None` where the database is its provider's, which knows of what moment it is.
    pub moment: Option<DateTime<Utc>>,
    /// The files.
    pub files: Vec<TakenFile>,
    /// Files that were wanted and that the backup lacks (`bucket/name`), or has damaged (with the reason).
    pub missing: Vec<String>,
    /// The tables.
    pub tables: Vec<TakenTable>,
}

/// The steps of a restore, for a progress bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The base backup, in bytes.
    Base,
    /// The log, in segments.
    Log,
    /// PostgreSQL replays.
    Replay,
    /// The files, in number.
    Files,
    /// The indexes and tables are compared.
    Check,
}

/// What was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The project.
    pub project_id: String,
    /// The run that it is of, as `backup list` names it; `None` where the database is its provider's.
    pub run: Option<String>,
    /// The moment.
    pub moment: DateTime<Utc>,
    /// Bytes of the base backup.
    pub base_bytes: u64,
    /// Segments of the log.
    pub segments: usize,
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub file_bytes: u64,
    /// Users.
    pub users: u64,
    /// Uploads that were not finished at the moment, and cannot be continued.
    pub unfinished_uploads: u64,
    /// Objects whose file the backup lacks (`bucket/name`), or has damaged (with the reason).
    pub missing: Vec<String>,
    /// Whether pg_amcheck compared tables and indexes; it needs the amcheck extension.
    pub is_amchecked: bool,
    /// Whether the database is its provider's, and was read only.
    pub is_files_only: bool,
}

/// Restores a backup into a new data folder, or checks that it can be.
///
/// # Errors
/// When the folder is not new, the key does not fit, no backup covers the moment, or something is damaged or missing. Nothing is left
/// then.
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

/// Takes files, tables or rows of a moment out of a backup into a new folder: the database is restored beside it for that, and removed again.
///
/// # Errors
/// As [`run`]; also when something that is wanted was not there at the moment. Nothing is left then.
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

/// What the target holds of the run that is meant.
async fn read_inventory(repository: &Repository, request: &Request) -> Result<Inventory> {
    let inventory = Inventory::read(repository).await?;
    inventory.refuse_older(repository, &request.state)?;
    if let Some(at_least) = request.at_least {
        inventory.refuse_before(at_least)?;
    }
    let has_several_runs = inventory.points.len() > 1;
    let inventory = lineage::narrow(repository, inventory, request.run.as_deref(), request.to).await?;
    // Nothing else is needed of a base backup that is named by its moment.
    if request.to.is_some_and(|moment| inventory.base_of(moment).is_some()) {
        return Ok(inventory);
    }
    // Of several runs, damage may hide the one that is meant.
    let hiding =
        if request.run.is_none() && has_several_runs { inventory.unreadable.first() } else { inventory.hiding() };
    match hiding {
        Some(unreadable) => Err(unreadable.error()),
        None => Ok(inventory),
    }
}

/// A restore of a base backup into a draft of a data folder.
struct Restore<'a> {
    repository: &'a Repository,
    opener: &'a Opener,
    plan: Plan<'a>,
    request: &'a Request,
    draft: &'a Draft,
    report: &'a (dyn Fn(Step, u64, u64) + Sync),
}

impl Restore<'_> {
    /// The cluster of the plan's moment, running, and how many segments of log were replayed.
    async fn replay(&self, inventory: &Inventory) -> Result<(Cluster, usize)> {
        let Self { repository, opener, plan, request, draft, report } = *self;
        // Before anything is fetched.
        recover::programs(request.binaries.as_deref(), &plan.base.manifest.postgres)?;
        base::restore(repository, opener, plan.base, draft, report).await?;
        let segments = log::restore(repository, opener, inventory, plan, draft, report).await?;
        report(Step::Replay, 0, 1);
        Ok((recover::start(draft, request.binaries.clone(), plan.replay_end).await?, segments))
    }

    /// Takes what is wanted out of a database of the moment, and the files that it names out of the backup.
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

/// Removes what killed drills or restores into a folder have left beside it. None of them may run.
///
/// # Errors
/// When it cannot be removed.
pub fn sweep(data: &std::path::Path) -> Result<()> {
    Draft::sweep(data)
}

/// Refuses a folder with anything in it: a restore never goes over data that is there.
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
