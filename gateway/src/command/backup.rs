//! `cloch backup`: creates a base backup, tests a restore, lists and checks backups, and shows the backup status.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use cloch_backup::damage::Damage;
use cloch_backup::drill;
use cloch_backup::service::REQUEST_FILE;
use cloch_backup::status::{State, Status};

use super::backup_look::{self, Place};
use super::print;
use crate::config::{Config, Flags};
use crate::data_dir_lock::DataDirLock;
use crate::error::CommandError;
use crate::setup::backup::drill_interval;

/// Time between two reads of the backup status file.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Time within which the running server must start to handle a request for a base backup or restore drill.
const TAKEN_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum age of the newest restorable point in time; if it is older, `cloch backup status` fails.
const MAX_LAG: Duration = Duration::from_secs(60);

/// Manages the project's backups.
#[derive(Args)]
pub struct Backup {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Make a base backup now; the server must be running
    Now(Flags),
    /// Restore the backup beside the running server now, compare everything, and remove the restored copy
    Drill(Flags),
    /// List what can be restored
    List(Place),
    /// Read every file of the backup, and compare it with its checksum and the server's signature
    Check(Place),
    /// Show the time up to which everything is backed up; fails if the backup is late or incomplete
    Status(Flags),
}

impl Backup {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        match self.action {
            Action::Now(flags) => now(&Config::load_of_running(&flags)?).await,
            Action::Drill(flags) => drill(&Config::load_of_running(&flags)?).await,
            Action::List(place) => backup_look::list(&place).await,
            Action::Check(place) => backup_look::check(&place).await,
            Action::Status(flags) => status(&Config::load_of_running(&flags)?),
        }
    }
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
            return left_over(&folder);
        }
        if let Some(failure) = status.base_failure.filter(|failure| failure.since > asked) {
            return Err(failure.reason.into());
        }
    }
}

/// Prints the damage that the last `cloch backup check` has found and that the new base backup could not repair.
fn left_over(folder: &Path) -> Result<ExitCode, CommandError> {
    let Some(damage) = Damage::read(folder) else { return Ok(ExitCode::SUCCESS) };
    print::line("Of what `cloch backup check` has found this cannot be repaired; moments that need it are lost:")?;
    for problem in &damage.problems {
        print::line(format!("  {}", problem.text))?;
    }
    Ok(ExitCode::SUCCESS)
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
        // If another restore drill was running at the time of the request, the server starts a second drill for the new request.
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

fn status(config: &Config) -> Result<ExitCode, CommandError> {
    let folder = config.data.join("backup");
    let status = Status::read(&folder).ok_or("the server has made no backup yet: see [backup] in cloch.toml")?;
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
    if let Some(verifier) = State::read(&folder).verifier {
        print::line(format!("{:>18}  {verifier}", "Verification key"))?;
    }
    for failure in status.failure.iter().chain(&status.base_failure) {
        print::line(format!("{:>18}  {} (since {})", "Failure", failure.reason, shown(Some(failure.since))))?;
    }
    if let Some(other) = &status.other_run {
        print::line(format!("{:>18}  {other} writes into the same target", "Another run"))?;
    }
    let drill_problem = drill::problem(&status, drill_interval(config), Utc::now());
    if let Some(problem) = &drill_problem {
        print::line(format!("{:>18}  {problem}", "Drill"))?;
    }
    let damage = Damage::read(&folder);
    if let Some(damage) = &damage {
        print::line(format!("{:>18}  {}", "Damage", damage_text(damage)))?;
    }
    if !is_running {
        return Err("the server is not running, so nothing is backed up now".into());
    }
    let lag = status.restorable_until.map(|until| Utc::now().signed_duration_since(until).to_std().unwrap_or_default());
    let is_late = lag.is_none_or(|lag| lag > MAX_LAG) || status.last_base.is_none();
    if damage.is_some_and(|damage| damage.repaired.is_none()) {
        return Err("the backup is damaged: `cloch backup now` repairs what can be repaired".into());
    }
    if status.other_run.is_some() {
        return Err(
            "two servers with different rows write into one target: name another one in [backup] to of the copy, or remove [backup] there, and \
             start it again"
                .into(),
        );
    }
    if status.is_tampered {
        return Err(
            "nothing is backed up: the target is not what this server left there; see docs/backup-format.md".into()
        );
    }
    if is_late || status.failure.is_some() || status.base_failure.is_some() || drill_problem.is_some() {
        return Err("the backup is not complete at the moment; see docs/operations/back-up.md".into());
    }
    Ok(ExitCode::SUCCESS)
}

fn damage_text(damage: &Damage) -> String {
    let things = match damage.problems.as_slice() {
        [one] => one.text.clone(),
        more => format!("{} parts of the backup are damaged or missing", more.len()),
    };
    match damage.repaired {
        None => format!("{things} (found at {})", shown(Some(damage.found))),
        Some(_) => format!("{things}, and cannot be repaired: moments that need it are lost (`cloch backup check`)"),
    }
}

/// Formats a time for operators, in the format that `--to` accepts.
pub(super) fn shown(moment: Option<DateTime<Utc>>) -> String {
    moment.map_or_else(|| "none".to_owned(), |moment| moment.to_rfc3339_opts(chrono::SecondsFormat::Millis, true))
}

#[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
pub(super) fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
