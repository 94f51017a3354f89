//! Stores the messages of one function in the data folder for `cloch functions logs`: one JSON object per line, in two files of limited size.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use chrono::{SecondsFormat, Utc};
use serde_json::json;

/// Size in bytes after which a log file is renamed to `.log.old`.
const MAX_FILE_BYTES: u64 = 2 << 20;

/// Appends messages to the log file `NAME.log` of a function.
#[derive(Debug)]
pub(crate) struct LogFile {
    path: PathBuf,
    open: Mutex<Option<(File, u64)>>,
}

impl LogFile {
    pub(crate) fn new(folder: &Path, function: &str) -> Self {
        Self { path: folder.join(format!("{function}.log")), open: Mutex::new(None) }
    }

    /// Appends one message. If the disk is full, the message is lost and the function continues to run.
    pub(crate) fn append(&self, level: &str, execution_id: &str, request: &str, text: &str) {
        let timestamp = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let mut line = json!({ "timestamp": timestamp, "level": level, "execution_id": execution_id, "message": text });
        if let (false, Some(line)) = (request.is_empty(), line.as_object_mut()) {
            line.insert("id".to_owned(), request.into());
        }
        let mut open = self.open.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Err(error) = self.write(&mut open, &format!("{line}\n")) {
            *open = None;
            tracing::debug!(%error, file = %self.path.display(), "functions: writing to the log file of a function failed, message lost");
        }
    }

    fn write(&self, open: &mut Option<(File, u64)>, line: &str) -> std::io::Result<()> {
        if open.as_ref().is_some_and(|(_, bytes)| *bytes > MAX_FILE_BYTES) {
            *open = None;
            std::fs::rename(&self.path, self.path.with_extension("log.old"))?;
        }
        let (file, bytes) = match open {
            Some(open) => open,
            None => {
                let file = OpenOptions::new().create(true).append(true).open(&self.path)?;
                let bytes = file.metadata()?.len();
                open.insert((file, bytes))
            }
        };
        *bytes += line.len() as u64;
        file.write_all(line.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_function_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let log = LogFile::new(folder.path(), "a");
        let text = "x".repeat(100_000);
        for _ in 0..70 {
            log.append("info", "1", "", &text);
        }
        let bytes = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().len();
        assert!(bytes("a.log") <= MAX_FILE_BYTES + 200_000 && bytes("a.log.old") <= MAX_FILE_BYTES + 200_000);
    }
}
