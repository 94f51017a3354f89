//! Detects other servers that write into the backup target of the running server.

use super::Service;
use crate::error::Result;
use crate::repository::Repository;

impl Service {
    /// Logs a warning if another server writes into the same backup target as this server.
    pub(super) async fn look_for_others(&mut self, repository: &Repository) -> Result<()> {
        let Some(others) = self.other_runs.as_mut().filter(|others| others.is_due()) else { return Ok(()) };
        let other = others.alive(repository).await?;
        if let Some(other) = other.as_ref().filter(|_| self.status.other_run.is_none()) {
            tracing::warn!(
                other_run = %other,
                "backup: another server writes its backup into the same target, but with a different database (such as a restored copy that was \
                 started with [backup]): set another folder or prefix in [backup] of one of the two servers, or remove [backup] from the copy, \
                 and restart that server"
            );
        }
        self.status.other_run = other;
        Ok(())
    }
}
