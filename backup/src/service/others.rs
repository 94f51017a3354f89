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
                "another server writes its backup into the same target, with other rows, as a restored copy does that was started with \
                 [backup]: name another folder or prefix in [backup] to of one of them, or remove [backup] there, and start it again"
            );
        }
        self.status.other_run = other;
        Ok(())
    }
}
