//! Commits a base backup. A base backup becomes visible when its manifest is written. As long as a base backup cannot be restored, it has
//! no manifest, so no list contains it.

use tokio::sync::watch;

use crate::base::{self, Cluster};
use crate::error::{BackupError, Result};
use crate::layout::{self, Manifest};
use crate::lsn::Lsn;
use crate::managed_database;
use crate::repository::Repository;
use crate::settings::Settings;
use crate::signed_json;

/// The end of the restorable WAL of a backup series, as recorded in the last recovery point of this series in the backup target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Covered {
    pub(crate) series: String,
    pub(crate) end: Lsn,
}

/// Copies the database cluster as a base backup. If an external provider hosts the database (`cluster` is `None`), only the list of the project's
/// files is written.
pub(crate) async fn copy(
    settings: &Settings,
    repository: &Repository,
    cluster: Option<&Cluster>,
    series: &str,
    is_urgent: bool,
) -> Result<Manifest> {
    match cluster {
        Some(cluster) => base::copy(settings, repository, cluster, series, is_urgent).await,
        None => managed_database::list_files(settings, repository, series).await,
    }
}

/// Waits until a recovery point of the backup series `series` covers the WAL up to the manifest's `end`, which a restore of the base backup
/// needs. Returns at once if an external provider hosts the database, because the backup then contains no WAL.
///
/// # Errors
/// If the WAL continues in another backup series, or WAL shipping has stopped.
pub(crate) async fn until_covered(
    manifest: &Manifest,
    series: &str,
    covered: &mut watch::Receiver<Covered>,
) -> Result<()> {
    if manifest.is_files_only {
        return Ok(());
    }
    let is_decided = |now: &Covered| now.series != series || now.end >= manifest.end;
    let now = covered.wait_for(is_decided).await.map_err(|_| BackupError::Stopped)?;
    if now.series == series { Ok(()) } else { Err(BackupError::Stopped) }
}

/// Writes the manifest of a base backup. From then on, the base backup is listed and can be restored.
pub(crate) async fn publish(repository: &Repository, series: &str, manifest: &Manifest) -> Result<()> {
    let id = layout::moment_name(manifest.begun);
    signed_json::put(repository, &layout::manifest(series, &id), manifest).await
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;
    use crate::testing;

    fn manifest(end: u64) -> Manifest {
        Manifest { mark: Lsn(end), end: Lsn(end), ..testing::manifest(Utc::now()) }
    }

    #[tokio::test]
    async fn a_base_backup_waits_for_the_point_that_covers_it() {
        let (sender, mut covered) = watch::channel(Covered { series: "s".to_owned(), end: Lsn(9) });
        let manifest = manifest(10);
        let mut wait = Box::pin(until_covered(&manifest, "s", &mut covered));
        assert!(futures_util::poll!(&mut wait).is_pending());
        sender.send_replace(Covered { series: "s".to_owned(), end: Lsn(10) });
        wait.await.unwrap();
    }

    #[tokio::test]
    async fn a_base_backup_whose_series_has_ended_is_none() {
        let (sender, mut covered) = watch::channel(Covered { series: "s".to_owned(), end: Lsn(9) });
        sender.send_replace(Covered { series: "t".to_owned(), end: Lsn(99) });
        until_covered(&manifest(10), "s", &mut covered).await.unwrap_err();
        let (sender, mut covered) = watch::channel(Covered { series: "s".to_owned(), end: Lsn(9) });
        drop(sender);
        until_covered(&manifest(10), "s", &mut covered).await.unwrap_err();
    }
}
