//! What the operator decided about backups. The gateway fills it from cloch.toml.

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

/// When drills are made, and who is told of failures.
#[derive(Clone, Debug)]
pub struct DrillSettings {
    /// Time between two drills; `None` makes them only when asked.
    pub every: Option<Duration>,
    /// Sends the mails.
    pub mailer: Mailer,
    /// To whom.
    pub mail_to: Vec<Address>,
}

/// What a server needs to back itself up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The target: a folder or `s3://bucket/prefix`.
    pub to: String,
    /// How to reach an S3 target.
    pub s3: S3Access,
    /// Whom everything in the target is encrypted to.
    pub encryption: Encryption,
    /// Time between two base backups.
    pub every: Duration,
    /// Which backups stay.
    pub keep: Keep,
    /// Bytes that a base backup reads in a second, in kB.
    pub max_rate_kb: u32,
    /// The project's name.
    pub project_id: String,
    /// The project's folder.
    pub project: PathBuf,
    /// The data folder.
    pub data: PathBuf,
    /// The embedded cluster; `None` where the database is its provider's.
    pub cluster: Option<ClusterSettings>,
    /// PostgreSQL's programs (`CLOCH_POSTGRES_BIN`); found by themselves when absent.
    pub binaries: Option<PathBuf>,
    /// The login of who may read everything; on the embedded cluster the superuser's.
    pub login: Login,
    /// When drills are made, and who is told of failures.
    pub drill: DrillSettings,
    /// The project's files.
    pub files: BackendSettings,
    /// New blobs of the running server.
    pub new_blobs: Arc<NewBlobs>,
}

impl Settings {
    /// The folder of the backup's own state in the data folder.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.data.join("backup")
    }
}
