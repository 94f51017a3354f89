//! Sets `backupDays` in the web app's settings: the number of days after which data that was deleted has disappeared from all backups too.
//! The app's privacy page shows this number, so it is computed from `[backup]`.

use toml::{Table, Value};

use super::backup::BackupSection;

const NAME: &str = "backupDays";

/// Sets `backupDays`, unless backups are disabled or the project sets `backupDays` itself.
pub(in crate::config) fn fill(settings: &mut Table, backup: &BackupSection) {
    if let Some(days) = longest(backup)
        && !settings.contains_key(NAME)
    {
        settings.insert(NAME.into(), Value::String(days.to_string()));
    }
}

/// Returns the maximum time in days that deleted data stays in a backup; `None` if backups are disabled.
pub(in crate::config) fn longest(backup: &BackupSection) -> Option<u32> {
    backup.to.as_ref()?;
    let super::backup::KeepSection { days, weeks, months } = backup.keep;
    Some(cloch_backup::retention::Keep { days, weeks, months }.longest_days(backup.every_hours))
}

/// Returns the value of `backupDays` in the web app's settings, or `None` if it is missing or not a number.
pub(in crate::config) fn told(settings: &Table) -> Option<u32> {
    match settings.get(NAME)? {
        Value::String(text) => text.trim().parse().ok(),
        Value::Integer(number) => u32::try_from(*number).ok(),
        _ => None,
    }
}
