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

/// Schedule of drills, and recipients of mails about failures.
#[derive(Clone, Debug)]
pub struct DrillSettings {
    /// Time between two drills; `None` to run drills only on request.
    pub every: Option<Duration>,
    /// Mailer for the mails.
    pub mailer: Mailer,
    /// Recipients of the mails.
    pub mail_to: Vec<Address>,
}

/// Settings of a server's backup.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The target: a folder or `s3://bucket/prefix`.
    pub to: String,
    /// Access to an S3 target.
    pub s3: S3Access,
    /// Key that the files in the target are encrypted to.
    pub encryption: Encryption,
    /// Time between two base backups.
    pub every: Duration,
    /// Retention policy.
    pub keep: Keep,
    /// Maximum read rate of a base backup, in kB per second.
    pub max_rate_kb: u32,
    /// Id of the project.
    pub project_id: String,
    /// Folder of the project.
    pub project: PathBuf,
    /// The data folder.
    pub data: PathBuf,
    /// The embedded cluster; `None` if a provider hosts the database.
    pub cluster: Option<ClusterSettings>,
    /// Folder of PostgreSQL's programs (`CLOCH_POSTGRES_BIN`); `None` to search for them.
    pub binaries: Option<PathBuf>,
    /// Login with read access to all data; the superuser's login for the embedded cluster.
    pub login: Login,
    /// Schedule of drills, and recipients of mails about failures.
    pub drill: DrillSettings,
    /// Storage of the project's files.
    pub files: BackendSettings,
    /// Queue of new blobs of the running server.
    pub new_blobs: Arc<NewBlobs>,
}

impl Settings {
    /// Returns the folder of the backup's own state in the data folder.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.data.join("backup")
    }
}
