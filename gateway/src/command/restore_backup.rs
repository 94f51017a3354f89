//! `cloch restore`: restores a backup into a new data folder, or extracts parts of it.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use clap::Args;
use cloch_backup::restore::partial::Only;
use cloch_backup::restore::{self, Request, Restored, Step, Taken};
use cloch_backup::status::State;
use cloch_backup::{Repository, Target};
use cloch_core::Secret;
use cloch_sql::database::Login;

use super::backup::{mega, shown};
use super::backup_key::Keys;
use super::backup_look::S3;
use super::print;
use crate::error::CommandError;

/// Time between two lines of progress if standard error is not a terminal.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// Restores a backup into a new data folder.
#[derive(Args)]
pub struct Restore {
    /// Location of the backup: a folder, or `s3://bucket/prefix`
    #[arg(long, value_name = "URL")]
    from: String,
    /// New data folder
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Point in time to restore, such as 2026-11-23T14:30:00Z [default: the last restorable time]
    #[arg(long, value_name = "TIME", value_parser = moment)]
    to: Option<DateTime<Utc>>,
    /// Backup run to restore from, as `cloch backup list` names it; needed only if several servers wrote into the backup target at that time
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    /// Only check that the backup can be restored: restore it, compare everything, and delete the restored copy
    #[arg(long)]
    check: bool,
    /// Extract only this part, as files and CSV: file:BUCKET/NAME, bucket:BUCKET, table:SCHEMA.TABLE or row:SCHEMA.TABLE:COLUMN=VALUE; may
    /// be repeated
    #[arg(long, value_name = "WHAT", conflicts_with = "check")]
    only: Vec<Only>,
    /// Restore even if files are missing or damaged in the backup, and list these files
    #[arg(long)]
    allow_missing: bool,
    /// Point in time that the backup is known to contain: refuse a backup that ends before, because somebody has reset the backup target to
    /// an earlier state
    #[arg(long, value_name = "TIME", value_parser = moment)]
    at_least: Option<DateTime<Utc>>,
    #[command(flatten)]
    keys: Keys,
    /// Folder of PostgreSQL's programs
    #[arg(long, env = "CLOCH_POSTGRES_BIN", hide = true)]
    postgres_bin: Option<PathBuf>,
    /// URL of the database, if the backup contains files only
    #[arg(long, env = "CLOCH_DB_URL", hide = true, hide_env_values = true)]
    db_url: Option<String>,
    #[command(flatten)]
    s3: S3,
}

impl Restore {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        // The backup target is opened before the encryption key is required, so that a wrong location is reported first.
        let target = Target::open(&self.from, &self.s3.access())?;
        Repository::id_of(&target).await?;
        let key = self.keys.key()?.ok_or(
            "the backup is encrypted: set CLOCH_BACKUP_PASSPHRASE, or name a file with the passphrase or the age identity with --key-file",
        )?;
        let repository = Repository::existing(target, &self.keys.trust()?).await?;
        if self.keys.allow_unauthenticated() {
            print::line(
                "Nothing of this backup is verified: what is restored is what anybody who could write to the target wants it to be",
            )?;
        }
        let data = std::path::absolute(&self.data)?;
        let database =
            self.db_url.filter(|url| !url.is_empty()).map(|url| Login::from_url(&Secret::new(url))).transpose()?;
        let request = Request {
            data: data.clone(),
            to: self.to,
            key,
            binaries: self.postgres_bin.filter(|folder| !folder.as_os_str().is_empty()),
            is_check: self.check,
            allow_missing: self.allow_missing,
            run: self.run,
            database,
            drill: None,
            at_least: self.at_least,
            state: State::default(),
        };
        let (begun, progress) = (Instant::now(), Progress::new());
        if !self.only.is_empty() {
            let report = |step, done, total| progress.show(step, done, total);
            let taken = restore::take(&repository, &request, &self.only, &report).await;
            progress.end();
            print::line(taken_summary(&taken?, &request, begun.elapsed()))?;
            return Ok(ExitCode::SUCCESS);
        }
        let restored = restore::run(&repository, &request, &|step, done, total| progress.show(step, done, total)).await;
        progress.end();
        print::line(summary(&restored?, &request, begun.elapsed()))?;
        Ok(ExitCode::SUCCESS)
    }
}

fn moment(text: &str) -> Result<DateTime<Utc>, String> {
    text.parse().map_err(|_| {
        format!(
            "{text:?} is no date and time with a zone: write it as 2026-11-23T14:30:00Z, or with the zone's offset as \
             2026-11-23T15:30:00+01:00"
        )
    })
}

fn summary(restored: &Restored, request: &Request, took: Duration) -> String {
    let done = if request.is_check { "Checked" } else { "Restored" };
    let mut lines = vec![
        format!(
            "{done} {} as it was at {} ({:.1} s)",
            restored.project_id,
            shown(Some(restored.moment)),
            took.as_secs_f64()
        ),
        match restored.is_files_only {
            true => format!("  database: its provider's, with {} users", restored.users),
            false => format!(
                "  database: {:.1} MB and {} segments of log, {} users",
                mega(restored.base_bytes),
                restored.segments,
                restored.users
            ),
        },
        restored.run.as_ref().map_or_else(String::new, |run| format!("  run: {run}")),
        format!("  files: {} ({:.1} MB)", restored.files, mega(restored.file_bytes)),
        match restored.missing.as_slice() {
            [] => "  missing: nothing".to_owned(),
            missing => missing_files(missing),
        },
    ];
    lines.retain(|line| !line.is_empty());
    if restored.unfinished_uploads > 0 {
        lines.push(format!(
            "  {} uploads were not finished then; their senders begin them again",
            restored.unfinished_uploads
        ));
    }
    if request.is_check && !restored.is_files_only {
        lines.push(match restored.is_amchecked {
            true => "  tables and indexes: compared with pg_amcheck".to_owned(),
            false => "  tables and indexes: not compared (this PostgreSQL has no amcheck extension)".to_owned(),
        });
    } else if !request.is_check {
        let data = request.data.display();
        lines.push(format!("Start it: cloch start --project {data}/project --data {data}"));
        if !restored.is_files_only {
            lines.push(
                "Where the server still runs that this is a copy of, add --inspect and another --port".to_owned(),
            );
        }
    }
    lines.join("\n")
}

fn missing_files(missing: &[String]) -> String {
    format!("  missing: {} files: {}", missing.len(), missing.join(", "))
}

fn taken_summary(taken: &Taken, request: &Request, took: Duration) -> String {
    let of = match taken.moment {
        Some(moment) => format!("as it was at {}", shown(Some(moment))),
        None => "as it is in the database that CLOCH_DB_URL names".to_owned(),
    };
    let mut lines = vec![format!("Taken from {} {of} ({:.1} s)", taken.project_id, took.as_secs_f64())];
    if taken.moment.is_some() {
        lines.push(format!("  run: {}", taken.run));
    }
    for table in &taken.tables {
        lines.push(format!("  {}: {} rows", table.file.display(), table.rows));
        lines.push(format!("    bring them back: psql \"$DB_URL\" -c {}", shell_word(&table.copy)));
    }
    for file in &taken.files {
        lines.push(format!("  {} ({} bytes)", request.data.join(&file.path).display(), file.bytes));
    }
    if !taken.missing.is_empty() {
        lines.push(missing_files(&taken.missing));
    }
    lines.join("\n")
}

/// Quotes a command of psql for a shell. The project chooses the names of tables and columns. A pasted command line must not execute shell
/// code in such a name.
fn shell_word(command: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " _.,()'/:-".contains(c);
    match command.strip_prefix('\\').is_some_and(|rest| rest.chars().all(is_plain)) {
        true => format!("\"{command}\""),
        false => format!("'{}'", command.replace('\'', r"'\''")),
    }
}

/// Progress report on standard error: a bar on a terminal, otherwise a line every 10 s.
struct Progress {
    is_terminal: bool,
    last: Mutex<Option<Instant>>,
}

impl Progress {
    fn new() -> Self {
        Self { is_terminal: std::io::stderr().is_terminal(), last: Mutex::new(None) }
    }

    fn show(&self, step: Step, done: u64, total: u64) {
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let is_due = last.is_none_or(|last| last.elapsed() >= PROGRESS_INTERVAL);
        if !self.is_terminal && !is_due {
            return;
        }
        *last = Some(Instant::now());
        let text = match step {
            Step::Base => format!("database: {:.1} of {:.1} MB", mega(done), mega(total)),
            Step::Log => format!("log: {done} of {total} segments"),
            Step::Replay => "PostgreSQL replays the log".to_owned(),
            Step::Files => format!("files: {done} of {total}"),
            Step::Check => "tables and indexes are compared".to_owned(),
        };
        let permille = (done * 1000).checked_div(total).unwrap_or(1000);
        let filled = usize::try_from(permille / 50).unwrap_or(0).min(20);
        let bar = format!("[{}{}]", "#".repeat(filled), " ".repeat(20 - filled));
        let mut out = std::io::stderr().lock();
        // Write errors are ignored: standard error may be closed.
        let _ = if self.is_terminal { write!(out, "\r\x1b[K{bar} {text}") } else { writeln!(out, "{text}") };
        let _ = out.flush();
    }

    fn end(&self) {
        if self.is_terminal {
            let _ = writeln!(std::io::stderr());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_command_runs_nothing_of_a_name() {
        assert_eq!(shell_word(r"\copy a (b) from 'c.csv' csv"), r#""\copy a (b) from 'c.csv' csv""#);
        for name in [
            "$(echo ran)",
            "`echo ran`",
            "\\$(echo ran)",
            "\"; echo ran; \"",
            "'; echo ran; '",
            "$HOME",
            "\\",
            "a\\\"b",
            "!!",
        ] {
            let command = format!("\\copy a (\"{name}\") from 'c.csv' csv");
            let output = std::process::Command::new("sh")
                .args(["-c", &format!("printf '<%s>' {}", shell_word(&command))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("<{command}>"));
        }
    }
}
