//! `cloch backup list` and `cloch backup check`. With `--from`, these commands need no project, but the backup's passphrase or verification
//! key.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use chrono::Utc;
use clap::Args;
use cloch_backup::damage::{Damage, Kind, Problem};
use cloch_backup::inventory::{Inventory, Unreadable};
use cloch_backup::status::State;
use cloch_backup::{Repository, S3Access, Target, Trust, check, lineage};
use cloch_core::Secret;

use super::backup::{mega, shown};
use super::backup_key::Keys;
use super::print;
use crate::config::{Config, Flags};
use crate::error::CommandError;
use crate::setup::backup::{absolute, s3_access, target, trust};

/// Location of a backup target: the target in the project's configuration, or the location in `--from`.
#[derive(Args)]
pub(super) struct Place {
    /// Location of the backup, on a machine without the project: a folder, or `s3://bucket/prefix`
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    #[command(flatten)]
    keys: Keys,
    #[command(flatten)]
    s3: S3,
    #[command(flatten)]
    flags: Flags,
}

/// An opened backup target, with the local state of the server that writes the backup. With `--from`, `folder` is `None` and `state` is
/// empty.
struct Opened {
    repository: Repository,
    /// Folder `backup` in the server's data folder; `None` with `--from`.
    folder: Option<PathBuf>,
    state: State,
}

/// Connection settings of an S3 backup target in `--from`.
#[derive(Args, Clone)]
pub(super) struct S3 {
    /// URL of the S3 server [default: AWS]
    #[arg(long, value_name = "URL", env = "CLOCH_BACKUP_S3_ENDPOINT")]
    s3_endpoint: Option<String>,
    /// Region of the bucket
    #[arg(long, value_name = "NAME", env = "CLOCH_BACKUP_S3_REGION", default_value = "us-east-1")]
    s3_region: String,
    /// ID of the access key
    #[arg(long, value_name = "ID", env = "CLOCH_BACKUP_S3_ACCESS_KEY_ID", default_value = "")]
    s3_access_key_id: String,
    /// Secret of the access key
    #[arg(long, env = "CLOCH_BACKUP_S3_SECRET_ACCESS_KEY", default_value = "", hide = true, hide_env_values = true)]
    s3_secret_access_key: String,
    /// Use path-style URLs (`host/bucket/key`) instead of `bucket.host/key`
    #[arg(long, env = "CLOCH_BACKUP_S3_PATH_STYLE")]
    s3_path_style: bool,
}

impl S3 {
    pub(super) fn access(&self) -> S3Access {
        S3Access {
            endpoint: self.s3_endpoint.clone(),
            region: self.s3_region.clone(),
            access_key_id: self.s3_access_key_id.clone(),
            secret_access_key: Secret::new(self.s3_secret_access_key.clone()),
            path_style: self.s3_path_style,
        }
    }
}

impl Place {
    async fn open(&self) -> Result<Opened, CommandError> {
        if let Some(from) = &self.from {
            let target = Target::open(from, &self.s3.access())?;
            let repository = Repository::existing(target, &self.keys.trust()?).await?;
            return Ok(Opened { repository, folder: None, state: State::default() });
        }
        let config = Config::load_of_running(&self.flags)?;
        let to = target(&config)?.ok_or(
            "this project has no backup: write [backup] to = \"/another/disk\" and encrypt_to = \"env(CLOCH_BACKUP_PASSPHRASE)\" into \
             cloch.toml. A backup elsewhere is named with --from",
        )?;
        let target = Target::open(&absolute(&config.project, to), &s3_access(&config))?;
        let folder = config.data.join("backup");
        // The local state is read before the backup target: the running server continues to write to both, and the local state must not be
        // newer than the target.
        let state = State::read(&folder);
        let id = Repository::id_of(&target).await?;
        let trust = match self.keys.trust()? {
            Trust { verifier: None, allow_unauthenticated: false, .. } => trust(&config, &state, &id)?,
            given => given,
        };
        Ok(Opened { repository: Repository::existing(target, &trust).await?, folder: Some(folder), state })
    }
}

/// Prints the base backups and restorable periods of a backup target.
pub(super) async fn list(place: &Place) -> Result<ExitCode, CommandError> {
    let Opened { repository, state, .. } = &place.open().await?;
    let inventory = Inventory::read(repository).await?;
    if place.keys.allow_unauthenticated() {
        print::line("Nothing of this is verified")?;
    } else {
        inventory.refuse_older(repository, state)?;
    }
    print::line(format!("Backups of {} in {}", repository.project_id, repository.target.url()))?;
    // Base backups of different backup series may alternate in time. Therefore equal names of series are not always adjacent, and a set
    // removes the duplicates.
    let mut seen = HashSet::new();
    let series = inventory.bases.iter().map(|base| base.series.as_str()).filter(|series| seen.insert(*series));
    for series in series {
        let bases: Vec<_> = inventory.bases.iter().filter(|base| base.series == series).collect();
        let until = inventory.points.get(series).map(|point| point.until);
        let first = inventory.first_continuous(series).map(|base| base.manifest.completed);
        print::line(format!("\nRun {}", lineage::describe(repository, series).await?))?;
        print::line(match until {
            // For a short time, the last recovery point of a series may be older than its first base backup.
            Some(until) if first.is_none_or(|first| first <= until) => {
                format!("Every moment from {} to {}", shown(first), shown(Some(until)))
            }
            _ => "Only the base backups, as they were then".to_owned(),
        })?;
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
                if first.is_some_and(|first| manifest.completed < first) { ", only as it was then" } else { "" }
            ))?;
        }
    }
    for unreadable in &inventory.unreadable {
        let Unreadable { name, reason } = unreadable;
        print::line(format!("\nDamaged: {name} ({reason}). `cloch backup check` says what repairs it"))?;
    }
    if inventory.bases.is_empty() && inventory.unreadable.is_empty() {
        print::line("There is no complete base backup yet")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks all files of a backup target, and writes the damage to the server's data folder, so that the server can repair it.
pub(super) async fn check(place: &Place) -> Result<ExitCode, CommandError> {
    let Opened { repository, folder, state } = place.open().await?;
    let bar = std::io::stderr().is_terminal();
    let found = Utc::now();
    let findings = check::run(&repository, &state, |done, total| {
        if bar {
            let _ = write!(std::io::stderr(), "\r{:>9.1} of {:.1} MB", mega(done), mega(total));
        }
    })
    .await?;
    if bar {
        let _ = writeln!(std::io::stderr());
    }
    let summary = format!("{} files, {:.1} MB, {} base backups", findings.files, mega(findings.bytes), findings.bases);
    // The data folder does not exist if the server runs on another machine.
    if let Some(folder) = folder.filter(|folder| folder.exists()) {
        let damage = Damage { found, problems: findings.problems.clone(), repaired: None };
        if let Err(error) = damage.write(&folder) {
            print::line(format!(
                "{}: {error}: the server is not told what was found; run this as the account that runs it",
                folder.display()
            ))?;
        }
    }
    if findings.problems.is_empty() {
        print::line(format!("Everything is whole: {summary}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    for problem in &findings.problems {
        print::line(&problem.text)?;
    }
    Err(advice(&findings.problems, &summary).into())
}

/// Returns the number of damaged or missing backup files, and how each kind of damage is repaired.
fn advice(problems: &[Problem], summary: &str) -> String {
    let parts = match problems.len() {
        1 => "1 part of the backup is".to_owned(),
        count => format!("{count} parts of the backup are"),
    };
    let mut lines = vec![format!("{parts} damaged or missing ({summary}):")];
    for kind in [Kind::Forged, Kind::Key, Kind::File, Kind::Base, Kind::Log, Kind::Project] {
        let count = problems.iter().filter(|problem| problem.kind == kind).count();
        if count > 0 {
            lines.push(format!("  {} ({count}): {}", kind.label(), kind.repair()));
        }
    }
    lines.join("\n")
}
