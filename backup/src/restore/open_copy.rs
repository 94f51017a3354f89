//! Restores the database at a given moment into a temporary PostgreSQL cluster, which accepts connections until it is closed.

use std::path::Path;

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use cloch_core::disk_full::Space;
use cloch_sql::database::Login;
use cloch_sql::embedded::Cluster;

use super::plan::Plan;
use super::staging::Draft;
use super::{Request, Restore, Step, read_inventory};
use crate::error::{BackupError, Result};
use crate::repository::Repository;

/// Free space in bytes that must remain on the disk for the running server when a copy is restored.
const RESERVE_BYTES: u64 = 512 << 20;
/// Role that reads the copy: the project's owner, who can also read the project's database.
const OWNER: &str = "postgres";

/// A running temporary copy of the database.
pub(crate) struct OpenCopy {
    // Rust drops fields in the order of declaration: the PostgreSQL server is dropped before `draft`, which deletes the server's data.
    server: Cluster,
    draft: Draft,
    /// Moment to which the database was restored.
    pub(crate) moment: DateTime<Utc>,
}

/// Restores the database at the requested moment into a temporary cluster. The project's files are not restored.
///
/// # Errors
/// Fails like [`run`](super::run), and also if the disk has too little free space. A failure leaves no files.
pub(crate) async fn open_copy(
    repository: &Repository,
    request: &Request,
    report: &(dyn Fn(Step, u64, u64) + Sync),
) -> Result<OpenCopy> {
    let opener = repository.opener(&request.key).await?;
    let inventory = read_inventory(repository, request).await?;
    let plan = Plan::new(&inventory, request.to)?;
    let draft = Draft::make(&request.data)?;
    refuse_full_disk(&draft.cluster, needed_bytes(&plan))?;
    let restore = Restore { repository, opener: &opener, plan, request, draft: &draft, report };
    let (server, _) = restore.replay(&inventory).await?;
    report(Step::Replay, 1, 1);
    Ok(OpenCopy { server, draft, moment: plan.moment })
}

impl OpenCopy {
    /// Returns the login of the role that reads the copy.
    pub(crate) fn login(&self) -> Login {
        // The access rules of a restored cluster allow connections without a password.
        self.server.login().with_user(OWNER, Secret::default())
    }

    /// Stops the server and deletes the copy.
    pub(crate) async fn close(self) {
        let Self { server, draft, .. } = self;
        server.stop().await;
        drop(draft);
    }
}

/// Returns the estimated size of the restored cluster in bytes: the base backup, plus twice the size of the WAL. The WAL counts twice,
/// because its replay also enlarges the tables.
fn needed_bytes(plan: &Plan<'_>) -> u64 {
    let manifest = &plan.base.manifest;
    let log = plan.log_end.0.saturating_sub(manifest.start.0);
    manifest.bytes.saturating_add(log.saturating_mul(2))
}

fn refuse_full_disk(folder: &Path, needed: u64) -> Result<()> {
    match Space::of(folder) {
        Some(space) if !is_enough(space, needed) => Err(BackupError::Refused(format!(
            "the disk has too little free space for a copy of the database: {} MB are needed, {} MB are free. Free some space, or extract the \
             rows on another machine with `cloch restore --only`",
            needed.saturating_add(RESERVE_BYTES) >> 20,
            space.free >> 20
        ))),
        _ => Ok(()),
    }
}

fn is_enough(space: Space, needed: u64) -> bool {
    space.free >= needed.saturating_add(RESERVE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_leaves_space_for_the_server() {
        let space = |free| Space { free, size: 1 << 40 };
        assert!(is_enough(space(RESERVE_BYTES + 10), 10));
        assert!(!is_enough(space(RESERVE_BYTES + 9), 10) && !is_enough(space(u64::MAX - 1), u64::MAX));
    }

    #[test]
    fn a_copy_that_does_not_fit_is_refused_with_both_sizes() {
        let error = refuse_full_disk(&std::env::temp_dir(), u64::MAX).unwrap_err().to_string();
        assert!(error.contains("MB are needed") && error.contains("MB are free"), "{error}");
    }
}
