//! `cloch backup`: make a base backup now, list, check, show the status.

use std::fs;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use cloch_backup::inventory::Inventory;
use cloch_backup::service::REQUEST_FILE;
use cloch_backup::status::Status;
use cloch_backup::{Repository, Target, check, drill};

use super::print;
use crate::config::{Config, Flags};
use crate::data_dir_lock::DataDirLock;
use crate::error::CommandError;
use crate::setup::backup::{absolute, drill_interval, s3_access};

/// Time between two looks at the status of a base backup.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Time in which the running server must have taken up a request.
const TAKEN_TIMEOUT: Duration = Duration::from_secs(30);
/// Age of the last copied moment beyond which `status` fails.
const MAX_LAG: Duration = Duration::from_secs(60);

/// Backups of the project.
#[derive(Args)]
pub struct Backup {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make a base backup now; the server must run
    Now(Flags),
    /// Restore the backup beside the running server now, compare everything, remove it again
    Drill(Flags),
    /// List what can be restored
    List(Flags),
    /// Read every file of the backup and compare it with its checksum; needs no key
    Check(Flags),
    /// Show up to which moment everything is backed up; fails when that is not now
    Status(Flags),
}

impl Backup {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        match self.action {
            Action::Now(flags) => now(&Config::load(&flags)?).await,
            Action::Drill(flags) => drill(&Config::load(&flags)?).await,
            Action::List(flags) => list(&repository(&Config::load(&flags)?).await?).await,
            Action::Check(flags) => look_through(&repository(&Config::load(&flags)?).await?).await,
            Action::Status(flags) => status(&Config::load(&flags)?),
        }
    }
}

async fn repository(config: &Config) -> Result<Repository, CommandError> {
    let to = config.cloch.backup.to.as_deref().ok_or(
        "this project has no backup: write [backup] to = \"/another/disk\" and encrypt_to = \"env(CLOCH_BACKUP_PASSPHRASE)\" into cloch.toml",
    )?;
    let target = Target::open(&absolute(&config.project, to), &s3_access(config))?;
    Ok(Repository::existing(target).await?)
}

async fn now(config: &Config) -> Result<ExitCode, CommandError> {
    let folder = config.data.join("backup");
    if DataDirLock::holder(&config.data).is_none() {
        return Err("the server is not running: start it (`cloch start`), it backs itself up all the time".into());
    }
    let before = Status::read(&folder)
        .ok_or("the running server makes no backup: set [backup] to in cloch.toml and start it again")?;
    let asked = Utc::now();
    let request = folder.join(REQUEST_FILE);
    fs::write(&request, "").map_err(|error| format!("{}: {error}", request.display()))?;
    let begun = Instant::now();
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let Some(status) = Status::read(&folder) else { continue };
        if request.exists() && begun.elapsed() > TAKEN_TIMEOUT && !status.base_running {
            let _ = fs::remove_file(&request);
            let reason =
                status.failure.map_or_else(|| "the server does not answer".to_owned(), |failure| failure.reason);
            return Err(format!("no base backup can be made now: {reason}").into());
        }
        if !request.exists() && status.last_base > before.last_base && status.last_base.is_some_and(|made| made > asked)
        {
            print::line(format!("A base backup was made ({:.1} s)", begun.elapsed().as_secs_f64()))?;
            return Ok(ExitCode::SUCCESS);
        }
        if let Some(failure) = status.base_failure.filter(|failure| failure.since > asked) {
            return Err(failure.reason.into());
        }
    }
}

async fn drill(config: &Config) -> Result<ExitCode, CommandError> {
    let folder = config.data.join("backup");
    if DataDirLock::holder(&config.data).is_none() {
        return Err(
            "the server is not running: try the backup with `cloch restore --from URL --data DIR --check`".into()
        );
    }
    let before = Status::read(&folder)
        .ok_or("the running server makes no backup: set [backup] to in cloch.toml and start it again")?;
    if before.last_base.is_none() {
        return Err("there is no base backup yet: see `cloch backup status`".into());
    }
    let asked = Utc::now();
    let request = folder.join(drill::REQUEST_FILE);
    fs::write(&request, "").map_err(|error| format!("{}: {error}", request.display()))?;
    let begun = Instant::now();
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let Some(status) = Status::read(&folder) else { continue };
        if request.exists() && begun.elapsed() > TAKEN_TIMEOUT && !status.drill_running && !status.base_running {
            let _ = fs::remove_file(&request);
            let reason =
                status.failure.map_or_else(|| "the server does not answer".to_owned(), |failure| failure.reason);
            return Err(format!("no drill can be made now: {reason}").into());
        }
        // One that ran when this was asked for is followed by this one.
        if let Some(drill) =
            status.last_drill.filter(|drill| !request.exists() && !status.drill_running && drill.ended > asked)
        {
            return match drill.failure {
                None => {
                    print::line(format!("The backup can be restored ({:.1} s)", begun.elapsed().as_secs_f64()))?;
                    Ok(ExitCode::SUCCESS)
                }
                Some(failure) => Err(failure.into()),
            };
        }
        if DataDirLock::holder(&config.data).is_none() {
            return Err("the server was stopped during the drill".into());
        }
    }
}

async fn list(repository: &Repository) -> Result<ExitCode, CommandError> {
    let inventory = Inventory::read(repository).await?;
    print::line(format!("Backups of {} in {}", repository.project_id, repository.target.url()))?;
    let mut series: Vec<&str> = inventory.bases.iter().map(|base| base.series.as_str()).collect();
    series.dedup();
    for series in series {
        let bases: Vec<_> = inventory.bases.iter().filter(|base| base.series == series).collect();
        let until = inventory.points.get(series).map(|point| point.until);
        let first = inventory.first_continuous(series).map(|base| base.manifest.completed);
        print::line(format!("\nEvery moment from {} to {}", shown(first), shown(until)))?;
        for base in bases {
            let manifest = &base.manifest;
            if manifest.is_files_only {
                let (moment, files) = (shown(Some(manifest.completed)), manifest.objects);
                print::line(format!("  files of {moment}  {files} files; the database is its provider's"))?;
                continue;
            }
            print::line(format!(
                "  base backup {}  {:>9.1} MB, {} files, PostgreSQL {}{}",
                shown(Some(manifest.completed)),
                mega(manifest.bytes),
                manifest.objects,
                manifest.postgres,
                if Some(manifest.completed) < first { ", only as it was then" } else { "" }
            ))?;
        }
    }
    if inventory.bases.is_empty() {
        print::line("There is no complete base backup yet")?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn look_through(repository: &Repository) -> Result<ExitCode, CommandError> {
    let bar = std::io::stderr().is_terminal();
    let findings = check::run(repository, |done, total| {
        if bar {
            let _ = write!(std::io::stderr(), "\r{:>9.1} of {:.1} MB", mega(done), mega(total));
        }
    })
    .await?;
    if bar {
        let _ = writeln!(std::io::stderr());
    }
    let summary = format!("{} files, {:.1} MB, {} base backups", findings.files, mega(findings.bytes), findings.bases);
    if findings.problems.is_empty() {
        print::line(format!("Everything is whole: {summary}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    for problem in &findings.problems {
        print::line(problem)?;
    }
    Err(format!(
        "{} of the backup is damaged or missing ({summary}). `cloch backup now` makes a new base backup; keep the old ones until it is done",
        findings.problems.len()
    )
    .into())
}

fn status(config: &Config) -> Result<ExitCode, CommandError> {
    let status = Status::read(&config.data.join("backup"))
        .ok_or("the server has made no backup yet: see [backup] in cloch.toml")?;
    let is_running = DataDirLock::holder(&config.data).is_some();
    let rows = [
        ("Target", status.target.clone()),
        ("Restorable from", shown(status.restorable_from)),
        ("Restorable until", shown(status.restorable_until)),
        ("Last base backup", shown(status.last_base)),
        ("Last good drill", shown(status.last_good_drill)),
        ("Waiting", format!("{} files, {:.1} MB of log", status.waiting_files, mega(status.waiting_log_bytes))),
    ];
    for (label, value) in rows {
        print::line(format!("{label:>18}  {value}"))?;
    }
    for failure in status.failure.iter().chain(&status.base_failure) {
        print::line(format!("{:>18}  {} (since {})", "Failure", failure.reason, shown(Some(failure.since))))?;
    }
    let drill_problem = drill::problem(&status, drill_interval(config), Utc::now());
    if let Some(problem) = &drill_problem {
        print::line(format!("{:>18}  {problem}", "Drill"))?;
    }
    if !is_running {
        return Err("the server is not running, so nothing is backed up now".into());
    }
    let lag = status.restorable_until.map(|until| Utc::now().signed_duration_since(until).to_std().unwrap_or_default());
    let is_late = lag.is_none_or(|lag| lag > MAX_LAG) || status.last_base.is_none();
    if is_late || status.failure.is_some() || status.base_failure.is_some() || drill_problem.is_some() {
        return Err("the backup is not complete at the moment; see docs/operations.md".into());
    }
    Ok(ExitCode::SUCCESS)
}

/// A moment as operators read it, and as `--to` takes it.
pub(super) fn shown(moment: Option<DateTime<Utc>>) -> String {
    moment.map_or_else(|| "none".to_owned(), |moment| moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
}

/// Bytes in megabytes, for people.
#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
pub(super) fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
