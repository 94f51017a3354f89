//! Types of `[backup]` in cloch.toml: target, encryption, schedule and retention of backups.

use std::time::Duration;

use cloch_core::Secret;
use serde::Deserialize;

/// `[backup]`: target, schedule and retention of the server's backups.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct BackupSection {
    /// Target of backups: a folder on another disk, `file:///path`, or `s3://bucket/prefix`. If it is not set, no backups are made.
    pub to: Option<String>,
    /// Encrypts backups to an age recipient (`age1…`) or with a passphrase, preferably `env(CLOCH_BACKUP_PASSPHRASE)`.
    pub encrypt_to: Option<Secret>,
    /// Hours between two base backups.
    pub every_hours: u32,
    /// Maximum rate at which a base backup is read, in kilobytes per second.
    pub max_rate: u32,
    /// How often the backup is restored beside the server, to prove that a restore works.
    pub drill: DrillInterval,
    /// Mail addresses that are notified when a restore drill fails. Default: the sender address of the project's mail (`admin_email`).
    pub mail_to: Vec<String>,
    /// Section `[backup.keep]`.
    pub keep: KeepSection,
    /// Section `[backup.s3]`.
    pub s3: S3Section,
}

impl Default for BackupSection {
    fn default() -> Self {
        Self {
            to: None,
            encrypt_to: None,
            every_hours: 24,
            max_rate: 64 << 10,
            drill: DrillInterval::Weekly,
            mail_to: Vec::new(),
            keep: KeepSection::default(),
            s3: S3Section::default(),
        }
    }
}

/// Interval between two restore drills.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum DrillInterval {
    /// Every day.
    Daily,
    /// Every 7 days.
    Weekly,
    /// Every 30 days.
    Monthly,
    /// No scheduled restore drills; a drill runs only by `cloch backup drill`.
    Off,
}

impl DrillInterval {
    /// Returns the length of the interval; `None` if scheduled drills are disabled.
    #[must_use]
    pub fn duration(self) -> Option<Duration> {
        let days = match self {
            Self::Daily => 1,
            Self::Weekly => 7,
            Self::Monthly => 30,
            Self::Off => return None,
        };
        Some(Duration::from_secs(days * 24 * 60 * 60))
    }
}

/// `[backup.keep]`: retention of backups.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct KeepSection {
    /// Days for which every point in time can be restored.
    pub days: u32,
    /// Weeks for which the last base backup of each week is kept.
    pub weeks: u32,
    /// Months for which the last base backup of each month is kept.
    pub months: u32,
}

impl Default for KeepSection {
    fn default() -> Self {
        let cloch_backup::retention::Keep { days, weeks, months } = cloch_backup::retention::Keep::default();
        Self { days, weeks, months }
    }
}

/// `[backup.s3]`: the S3 server of an `s3://` URL in `[backup] to`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct S3Section {
    /// URL of the S3 server. Default: AWS.
    pub endpoint: Option<String>,
    /// Region of the bucket.
    pub region: String,
    /// ID of the S3 access key.
    pub access_key_id: String,
    /// Secret of the S3 access key.
    pub secret_access_key: Secret,
    /// Whether requests use path-style URLs (`host/bucket/key`) instead of virtual-hosted URLs (`bucket.host/key`).
    pub path_style: bool,
}
