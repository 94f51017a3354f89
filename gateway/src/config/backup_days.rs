//! The setting `backupDays` of the web app: days after which the server's backups hold nothing any more of what was deleted. A privacy page
//! tells it, so it follows `[backup]`.

use toml::{Table, Value};

use super::backup_section::BackupSection;

const NAME: &str = "backupDays";

/// Sets it where the project makes backups and does not set it by itself.
pub(super) fn fill(settings: &mut Table, backup: &BackupSection) {
    if let Some(days) = longest(backup)
        && !settings.contains_key(NAME)
    {
        settings.insert(NAME.into(), Value::String(days.to_string()));
    }
}

/// How long a backup may hold what was deleted, in days; `None` without backups.
pub(super) fn longest(backup: &BackupSection) -> Option<u32> {
    backup.to.as_ref()?;
    let super::backup_section::KeepSection { days, weeks, months } = backup.keep;
    Some(cloch_backup::retention::Keep { days, weeks, months }.longest_days(backup.every_hours))
}

/// The days that the app's settings tell; `None` where they tell no number.
pub(super) fn told(settings: &Table) -> Option<u32> {
    match settings.get(NAME)? {
        Value::String(text) => text.trim().parse().ok(),
        Value::Integer(number) => u32::try_from(*number).ok(),
        _ => None,
    }
}
