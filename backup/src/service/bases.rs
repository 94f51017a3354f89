//! Makes base backups in the running server. After each base backup, removes damaged older base backups from the list and deletes expired
//! files.

use std::fs;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use super::{Service, continuous_from};
use crate::error::{BackupError, Result};
use crate::inventory::Inventory;
use crate::layout::Manifest;
use crate::other_runs::OtherRuns;
use crate::session::Session;
use crate::status::Failure;
use crate::{background, commit_base_backup, prune, repair};

/// Time between two attempts at a base backup.
const BASE_RETRY: Duration = Duration::from_secs(60);
/// Name of a file in the folder `backup` of the data folder. If the file exists, the server makes a base backup and deletes the file.
pub const REQUEST_FILE: &str = "now";

/// A new base backup, and the contents of the backup target after expired files were deleted.
pub(super) struct Made {
    manifest: Manifest,
    series: String,
    pruned: Result<Inventory>,
}

impl Service {
    /// Starts a base backup that is due or requested.
    pub(super) async fn start_base(&mut self, session: &mut Session) -> Result<()> {
        if self.base.is_some() {
            return Ok(());
        }
        let is_asked = fs::remove_file(self.settings.folder().join(REQUEST_FILE)).is_ok();
        let age = |moment: DateTime<Utc>| Utc::now().signed_duration_since(moment).to_std().unwrap_or_default();
        let is_due = self.status.last_base.is_none_or(|last| age(last) >= self.settings.every);
        let may_retry = self.base_failed.is_none_or(|failed| failed.elapsed() >= BASE_RETRY);
        if !(is_asked || (is_due && may_retry)) {
            return Ok(());
        }
        if is_asked && repair::wants_project(&self.settings) {
            session.write_project(&self.settings).await?;
        }
        let is_urgent = is_asked || self.status.last_base.is_none();
        let (settings, repository, cluster, series) =
            (self.settings.clone(), session.repository.clone(), session.cluster.clone(), session.series.clone());
        let archive = session.project_archive();
        let mut covered = self.covered.subscribe();
        self.status.base_running = true;
        self.base = Some(background::start("backup base", move || async move {
            // Also copy blobs that another node stored but did not copy to the backup target, for example because that node crashed.
            let files = repair::send_files(&settings, &repository).await?;
            let mut manifest =
                commit_base_backup::copy(&settings, &repository, cluster.as_ref(), &series, is_urgent).await?;
            manifest.settings = archive;
            commit_base_backup::until_covered(&manifest, &series, &mut covered).await?;
            repair::until_sent(&settings, files).await;
            commit_base_backup::publish(&repository, &series, &manifest).await?;
            // The new base backup is valid even if a repair of older base backups fails.
            let repaired = repair::set_lost_aside(&settings, &repository, &manifest, &series).await;
            let pruned = prune::run(&repository, &series, settings.keep, &settings.login).await;
            if let Err(error) = prune::run_of_before(&repository, settings.keep, settings.every).await {
                tracing::warn!(
                    %error,
                    "backup: deleting expired files of the earlier, unsigned backup format failed, retrying after the next base backup"
                );
            }
            if let Err(error) = repaired.and(repair::note_left(&settings, &repository).await) {
                tracing::error!(%error, "backup: repairing the damage found by `cloch backup check` failed, retry with `cloch backup now`");
            }
            Ok(Made { manifest, series, pruned })
        }));
        Ok(())
    }

    pub(super) async fn collect_base(&mut self) {
        let Some(task) = self.base.take_if(|base| base.is_finished()) else { return };
        self.status.base_running = false;
        match task.await.map_err(|_| BackupError::Stopped).and_then(|outcome| outcome) {
            Ok(Made { manifest, series, pruned }) => {
                let made = if manifest.is_files_only { "list of the project's files" } else { "base backup" };
                tracing::info!(
                    backup.bytes = manifest.bytes,
                    backup.objects = manifest.objects,
                    "backup: {made} completed, its files are in the target"
                );
                self.base_failed = None;
                self.status.base_failure = None;
                self.status.last_base = Some(manifest.completed);
                match pruned {
                    Ok(inventory) => {
                        self.status.restorable_from = continuous_from(&inventory, &series);
                        // Include backup series of other servers that began after the previous inventory was read.
                        self.other_runs = self.other_runs.take().map(|_| OtherRuns::new(&inventory, &series));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "backup: deleting expired backup files failed, retrying after the next base backup");
                    }
                }
            }
            Err(error) => {
                tracing::error!(%error, "backup: base backup failed, retrying in 60 s");
                self.base_failed = Some(Instant::now());
                self.status.base_failure = Some(Failure { since: Utc::now(), reason: error.to_string() });
            }
        }
    }
}
