//! Settings of the backup. The gateway fills them from cloch.toml.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use cloch_mail::{Address, Mailer};
use cloch_sql::database::Login;
use cloch_sql::embedded::ClusterSettings;
use cloch_storage::backend::NewBlobs;
use cloch_storage::settings::BackendSettings;

use crate::retention::Keep;
use crate::target::S3Access;
use crate::trust::Encryption;

/// Schedule of restore drills, and recipients of mails about failed restore drills.
#[derive(Clone, Debug)]
pub struct DrillSettings {
    /// Time between two restore drills; `None` to run drills only on request.
    pub every: Option<Duration>,
    /// Mailer for mails about failed restore drills.
    pub mailer: Mailer,
    /// Recipients of mails about failed restore drills. If the list is empty, the mails are sent to the address from which the project
    /// sends mail.
    pub mail_to: Vec<Address>,
}

impl DrillSettings {
    pub(crate) fn recipients(&self) -> Vec<Address> {
        match self.mail_to.is_empty() {
            true => vec![self.mailer.settings().admin_email.clone()],
            false => self.mail_to.clone(),
        }
    }
}

/// Settings of a server's backup.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The backup target: a folder or `s3://bucket/prefix`.
    pub to: String,
    /// Access to an S3 backup target.
    pub s3: S3Access,
    /// Encryption of the files in the backup target.
    pub encryption: Encryption,
    /// Time between two base backups.
    pub every: Duration,
    /// Retention policy for base backups.
    pub keep: Keep,
    /// Maximum read rate of a base backup, in kB per second.
    pub max_rate_kb: u32,
    /// Id of the project.
    pub project_id: String,
    /// Folder of the project, which is part of the backup.
    pub project: PathBuf,
    /// The data folder of the server.
    pub data: PathBuf,
    /// The embedded cluster; `None` if an external provider hosts the database.
    pub cluster: Option<ClusterSettings>,
    /// Folder of PostgreSQL's programs (`CLOCH_POSTGRES_BIN`); `None` to search for the programs.
    pub binaries: Option<PathBuf>,
    /// Database login with read access to all data; the superuser's login for the embedded cluster.
    pub login: Login,
    /// Schedule of restore drills, and recipients of mails about failed restore drills.
    pub drill: DrillSettings,
    /// Storage of the project's files.
    pub files: BackendSettings,
    /// Queue of new blobs of the running server.
    pub new_blobs: Arc<NewBlobs>,
}

impl Settings {
    /// Returns the folder of the backup's status and state files in the data folder.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.data.join("backup")
    }
}
