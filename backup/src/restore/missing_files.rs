//! Handles files whose content is missing or damaged in the backup: the restore fails, or continues without these files if `--allow-missing` is set.

use super::Request;
use crate::error::{BackupError, Result};

/// Maximum number of file names in the error message.
const MAX_SHOWN: usize = 5;

/// Returns the reason as text if `error` says that the content of a file is missing, damaged or not authentic in the backup. Returns any
/// other error unchanged.
pub(super) fn reason(error: BackupError) -> Result<String> {
    match error {
        BackupError::Damaged { name, reason } => Ok(format!("{name} is damaged: {reason}")),
        BackupError::NotAuthentic { name, reason } => Ok(format!("{name} is not authentic: {reason}")),
        BackupError::Missing { what } => Ok(format!("{what} is missing")),
        other => Err(other),
    }
}

/// Fails if files are lost, unless the restore request allows missing files. Each entry of `lost` is `bucket/name`, followed by the reason
/// if the file is damaged. `count` is the total number of files.
pub(super) fn refuse(lost: &[String], count: usize, request: &Request) -> Result<()> {
    if request.allow_missing { Ok(()) } else { refuse_any(lost, count) }
}

pub(crate) fn refuse_any(lost: &[String], count: usize) -> Result<()> {
    if lost.is_empty() {
        return Ok(());
    }
    let more = if lost.len() > MAX_SHOWN { ", ..." } else { "" };
    let shown: Vec<&str> = lost.iter().take(MAX_SHOWN).map(String::as_str).collect();
    Err(BackupError::Lost { lost: lost.len(), count, shown: format!("{}{more}", shown.join(", ")) })
}
