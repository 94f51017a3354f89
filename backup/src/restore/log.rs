//! The log from the base backup to the moment, put where PostgreSQL looks for it.

use std::fs;

use super::Step;
use super::draft::Draft;
use super::plan::Plan;
use crate::check::gaps;
use crate::error::{BackupError, Result, blocking};
use crate::inventory::Inventory;
use crate::lsn::segment_name;
use crate::repository::Repository;
use crate::seal::Opener;
use crate::wal::chain;

/// Fetches the segments; returns how many.
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
    let none = Vec::new();
    let pieces = inventory.pieces.get(&base.series).unwrap_or(&none);
    let missing = gaps(pieces, timeline, segment_bytes, manifest.start, end);
    if let Some(segment) = missing.first() {
        return Err(BackupError::Missing { what: format!("the log segment {segment} ({} missing)", missing.len()) });
    }
    let ((first, _), (last, _)) = (manifest.start.segment(segment_bytes), end.segment(segment_bytes));
    for number in first..=last {
        let segment = segment_name(timeline, number, segment_bytes);
        let mut content = Vec::with_capacity(usize::try_from(segment_bytes).unwrap_or(0));
        for piece in chain(pieces, &segment).0 {
            content.extend(repository.get(opener, &piece.name).await?);
        }
        // PostgreSQL takes only whole segments; zeros behind the end are where it stops.
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
