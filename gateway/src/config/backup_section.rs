//! `[backup]` of cloch.toml.

use std::time::Duration;

use cloch_core::Secret;
use serde::Deserialize;

/// `[backup]`: where the server backs itself up to, and how long that is kept.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct BackupSection {
    /// A folder on another disk, `file:///path` or `s3://bucket/prefix`; no backup is made if it is not set.
    pub to: Option<String>,
    /// An age recipient (`age1…`), or a passphrase, best `env(CLOCH_BACKUP_PASSPHRASE)`.
    pub encrypt_to: Option<Secret>,
    /// Hours between two base backups.
    pub every_hours: u32,
    /// Kilobytes that a base backup reads in a second.
    pub max_rate: u32,
    /// How often the backup is restored beside the server to prove that it can be.
    pub drill: DrillInterval,
    /// Who is told by mail when that fails; absent: the sender of the project's mail (`admin_email`).
    pub mail_to: Vec<String>,
    /// `[backup.keep]`
    pub keep: KeepSection,
    /// `[backup.s3]`
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

/// Time between two drills.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum DrillInterval {
    /// Each day.
    Daily,
    /// Each week.
    Weekly,
    /// Each thirty days.
    Monthly,
    /// Only when asked for (`cloch backup drill`).
    Off,
}

impl DrillInterval {
    /// As a time.
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

/// `[backup.keep]`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct KeepSection {
    /// Days, in which every moment can be restored.
    pub days: u32,
    /// Weeks of which the last base backup stays.
    pub weeks: u32,
    /// Months of which the last base backup stays.
    pub months: u32,
}

impl Default for KeepSection {
    fn default() -> Self {
        let cloch_backup::retention::Keep { days, weeks, months } = cloch_backup::retention::Keep::default();
        Self { days, weeks, months }
    }
}

/// `[backup.s3]`: how to reach the S3 server of `to`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct S3Section {
    /// Its URL; absent for AWS itself.
    pub endpoint: Option<String>,
    /// Its region.
    pub region: String,
    /// The access key's id.
    pub access_key_id: String,
    /// Its secret.
    pub secret_access_key: Secret,
    /// `host/bucket/key` instead of `bucket.host/key`.
    pub path_style: bool,
}
