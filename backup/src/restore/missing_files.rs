//! Files whose content the backup lacks, or has damaged: a restore is refused, or goes on without them when told to.

use super::Request;
use crate::error::{BackupError, Result};

/// Files that the text of a refusal names.
const MAX_SHOWN: usize = 5;

/// Why the backup has no content for a file, or the error where it is none of the backup's content.
pub(super) fn reason(error: BackupError) -> Result<String> {
    match error {
        BackupError::Damaged { name, reason } => Ok(format!("{name} is damaged: {reason}")),
        BackupError::NotAuthentic { name, reason } => Ok(format!("{name} is not authentic: {reason}")),
        BackupError::Missing { what } => Ok(format!("{what} is missing")),
        other => Err(other),
    }
}

/// Refuses to go on without files (`bucket/name`, and why where they are damaged) out of `count`, unless the request allows it.
pub(super) fn refuse(lost: &[String], count: usize, request: &Request) -> Result<()> {
    if request.allow_missing { Ok(()) } else { refuse_any(lost, count) }
}

/// Refuses to go on without files.
pub(crate) fn refuse_any(lost: &[String], count: usize) -> Result<()> {
    if lost.is_empty() {
        return Ok(());
    }
    let more = if lost.len() > MAX_SHOWN { ", ..." } else { "" };
    let shown: Vec<&str> = lost.iter().take(MAX_SHOWN).map(String::as_str).collect();
    Err(BackupError::Lost { lost: lost.len(), count, shown: format!("{}{more}", shown.join(", ")) })
}
