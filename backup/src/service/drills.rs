//! Runs restore drills in the running server, and mails their failures.

use std::fs;

use chrono::Utc;

use super::Service;
use crate::drill;

impl Service {
    /// Starts a restore drill that is due or requested.
    pub(super) fn start_drill(&mut self) {
        let (Some(_), None, None) = (self.status.last_base, &self.base, &self.drill) else { return };
        self.status.drills_since.get_or_insert_with(Utc::now);
        let is_asked = fs::remove_file(self.settings.folder().join(drill::REQUEST_FILE)).is_ok();
        if is_asked || drill::is_due(self.settings.drill.every, &self.status, Utc::now()) {
            self.status.drill_running = true;
            self.drill = Some(drill::start(self.settings.clone(), self.shutdown.clone()));
        }
    }

    /// Records the outcome of a finished restore drill.
    pub(super) async fn collect_drill(&mut self) {
        if let Some(task) = self.drill.take_if(|drill| drill.is_finished()) {
            self.status.drill_running = false;
            if let Ok(Ok(Some(drill))) = task.await {
                match drill.failure {
                    None => self.status.last_good_drill = Some(drill.ended),
                    // The operators are notified of a new failure at once.
                    Some(_) => self.status.drill_mailed = None,
                }
                self.status.last_drill = Some(drill);
            }
        }
    }

    /// Mails the operators about problems of the backup: at once for a new failure, then once a day.
    pub(super) async fn tell_operators(&mut self) {
        if let Some(task) = self.mail.take_if(|mail| mail.is_finished()) {
            match task.await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::error!(%error, "backup: queueing the mail to the operators about a backup problem failed, no mail is sent, the next attempt follows within 1 day")
                }
                Err(error) => tracing::error!(
                    %error,
                    "backup: queueing the mail to the operators about a backup problem failed (panicked), no mail is sent, the next attempt follows within 1 day"
                ),
            }
        }
        let problem = self.tampered().or_else(|| drill::problem(&self.status, self.settings.drill.every, Utc::now()));
        let is_due = self.mail.is_none() && drill::mail_is_due(&self.status, Utc::now());
        if let Some(problem) = problem.filter(|_| is_due) {
            let settings = self.settings.clone();
            self.mail = Some(tokio::spawn(async move { drill::mail(&settings, &problem).await }));
            self.status.drill_mailed = Some(Utc::now());
        }
    }

    /// If backups have stopped because a file in the backup target is not authentic, returns the text of this problem. Otherwise returns
    /// `None`.
    fn tampered(&self) -> Option<String> {
        let failure = self.status.failure.as_ref().filter(|_| self.status.is_tampered)?;
        Some(format!("nothing is backed up any more, because {}", failure.reason))
    }
}
