//! Fetches the write-ahead log between the base backup and the requested moment, and writes it into the cluster's folder pg_wal.

use std::fs;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::Step;
use super::plan::Plan;
use super::staging::Draft;
use crate::check::gaps;
use crate::encryption::Opener;
use crate::error::{BackupError, Result, blocking};
use crate::inventory::Inventory;
use crate::lsn::segment_name;
use crate::repository::Repository;
use crate::wal::{self, Piece, chain};

/// Maximum number of listings of the WAL pieces in the backup target during one restore.
const MAX_LISTS: usize = 8;
/// Number of pieces of a WAL segment fetched concurrently.
const CONCURRENT_FETCHES: usize = 4;

/// Fetches the WAL segments of the restore plan; returns the number of segments.
pub(super) async fn restore(
    repository: &Repository,
    opener: &Opener,
    inventory: &Inventory,
    plan: Plan<'_>,
    draft: &Draft,
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<usize> {
    let (base, manifest, end) = (plan.base, &plan.base.manifest, plan.log_end);
    let (timeline, segment_bytes) = (manifest.timeline, manifest.segment_bytes);
    let gaps = |pieces: &[Piece]| gaps(pieces, timeline, segment_bytes, manifest.start, end);
    let pieces = inventory.pieces.get(&base.series).cloned().unwrap_or_default();
    let mut log = Log { repository, opener, series: &base.series, pieces, lists: 1 };
    if !gaps(&log.pieces).is_empty() {
        log.list().await?;
    }
    let missing = gaps(&log.pieces);
    if let Some(segment) = missing.first() {
        return Err(BackupError::Missing { what: format!("the log segment {segment} ({} missing)", missing.len()) });
    }
    let ((first, _), (last, last_offset)) = (manifest.start.segment(segment_bytes), end.segment(segment_bytes));
    for number in first..=last {
        let segment = segment_name(timeline, number, segment_bytes);
        let wanted = if number == last { last_offset } else { segment_bytes };
        let mut content = log.segment(&segment, wanted).await?;
        // Pad the segment with zeros, because PostgreSQL accepts only whole segments. Replay stops where the zeros begin.
        content.resize(usize::try_from(segment_bytes).unwrap_or(0), 0);
        let (path, account) = (draft.cluster.join("pg_wal").join(&segment), draft.account);
        blocking(move || {
            fs::write(&path, content).map_err(BackupError::io(&path))?;
            Ok(account.own(&path)?)
        })
        .await?;
        report(Step::Log, number - first + 1, last - first + 1);
    }
    Ok(usize::try_from(last - first + 1).unwrap_or(usize::MAX))
}

/// The WAL of one backup series. During the restore, a running server may join WAL pieces after they were listed, and delete the joined
/// pieces.
struct Log<'a> {
    repository: &'a Repository,
    opener: &'a Opener,
    series: &'a str,
    pieces: Vec<Piece>,
    lists: usize,
}

impl Log<'_> {
    async fn list(&mut self) -> Result<()> {
        self.pieces = wal::list(self.repository, self.series).await?;
        self.lists += 1;
        Ok(())
    }

    /// Returns the content of a WAL segment, at least up to the offset `wanted`. If a listed piece does not exist any more, lists the WAL
    /// pieces again.
    async fn segment(&mut self, segment: &str, wanted: u64) -> Result<Vec<u8>> {
        loop {
            match self.listed(segment, wanted).await {
                Err(BackupError::Missing { .. }) if self.lists < MAX_LISTS => self.list().await?,
                outcome => return outcome,
            }
        }
    }

    async fn listed(&self, segment: &str, wanted: u64) -> Result<Vec<u8>> {
        let (chain, end) = chain(&self.pieces, segment);
        if end < wanted {
            return Err(BackupError::Missing { what: format!("the log segment {segment}") });
        }
        let fetches = chain.into_iter().map(|piece| self.repository.get(self.opener, &piece.name));
        let fetched: Vec<Vec<u8>> = stream::iter(fetches).buffered(CONCURRENT_FETCHES).try_collect().await?;
        Ok(fetched.concat())
    }
}

#[cfg(test)]
mod tests {
    use cloch_core::Secret;

    use super::*;
    use crate::layout::wal_piece;
    use crate::target::Target;
    use crate::trust::Encryption;

    #[tokio::test]
    async fn a_segment_that_was_joined_after_it_was_listed_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(folder.path().to_str().unwrap(), &Default::default()).unwrap();
        let passphrase = Secret::from("a passphrase that is long enough".to_owned());
        let encryption = Encryption::Passphrase(passphrase.clone());
        let repository = Repository::open(target, "club", &encryption, None, None).await.unwrap();
        let opener = repository.opener(&passphrase).await.unwrap();
        let segment = "000000010000000000000003";
        let piece = |from, to| wal_piece("s", segment, from, to);
        repository.put(&piece(0, 2), "ab".into()).await.unwrap();
        repository.put(&piece(2, 4), "cd".into()).await.unwrap();
        let pieces = wal::list(&repository, "s").await.unwrap();
        let mut log = Log { repository: &repository, opener: &opener, series: "s", pieces, lists: 1 };
        repository.put(&piece(0, 6), "abcdef".into()).await.unwrap();
        for old in [piece(0, 2), piece(2, 4)] {
            repository.target.delete(&old).await.unwrap();
        }
        assert_eq!(log.segment(segment, 4).await.unwrap(), b"abcdef");
        assert!(matches!(log.segment(segment, 7).await, Err(BackupError::Missing { .. })));
        assert_eq!(log.lists, MAX_LISTS, "what stays missing is not looked for without end");
    }
}
