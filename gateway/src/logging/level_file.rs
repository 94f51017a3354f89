//! Changes the log filter while the program runs. `cloch log` writes the filter to the file `log-level` in the data folder.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::{DEFAULT_FILTER, parse};
use crate::config::ConfigError;

/// Name of the file with the log filter in the data folder.
const FILE: &str = "log-level";
/// Interval at which the file with the log filter is polled.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum size of a filter in bytes.
const MAX_BYTES: u64 = 1024;

/// Handle that replaces the log filter of the running program.
#[derive(Clone)]
pub struct Level {
    pub(super) replace: Arc<dyn Fn(EnvFilter) -> bool + Send + Sync>,
    /// Filter of the configuration. It applies if the file `log-level` does not exist.
    pub(super) configured: Option<String>,
}

impl std::fmt::Debug for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Level").field("configured", &self.configured).finish_non_exhaustive()
    }
}

/// Returns the log filter in the file `log-level` of the data folder. `None` if the file is missing, empty or too large.
#[must_use]
pub fn read(data: &Path) -> Option<String> {
    let file = data.join(FILE);
    if fs::metadata(&file).ok()?.len() > MAX_BYTES {
        return None;
    }
    fs::read_to_string(file).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Writes a log filter to the file `log-level`; `None` deletes the file.
///
/// # Errors
/// If the filter is invalid, or the file cannot be written.
pub fn write(data: &Path, filter: Option<&str>) -> Result<(), ConfigError> {
    let file = data.join(FILE);
    let written = match filter {
        Some(filter) => {
            parse(filter)?;
            let draft = file.with_extension("draft");
            fs::write(&draft, filter).and_then(|()| fs::rename(&draft, &file))
        }
        None => match fs::remove_file(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            outcome => outcome,
        },
    };
    written.map_err(|source| ConfigError::Unreadable { file, source })
}

/// Polls the file `log-level` and applies its filter until `shutdown`.
pub async fn follow(data: PathBuf, level: Level, shutdown: CancellationToken) {
    let mut current = None;
    loop {
        let wanted = read(&data);
        if wanted != current {
            apply(&level, wanted.as_deref());
            current = wanted;
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}

fn apply(level: &Level, wanted: Option<&str>) {
    let filter = wanted.or(level.configured.as_deref()).unwrap_or(DEFAULT_FILTER);
    match parse(filter).map(|parsed| (level.replace)(parsed)) {
        Ok(true) => tracing::warn!(filter, "logging: log filter changed"),
        Ok(false) => tracing::warn!(filter, "logging: changing the log filter failed, keeping the previous filter"),
        Err(error) => {
            tracing::warn!(%error, "logging: invalid log filter in the file {FILE} of the data folder, keeping the previous filter")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_filter_is_refused_and_the_old_one_stays() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()), None);
        write(folder.path(), Some("debug")).unwrap();
        for wrong in ["cloch=loud", "inof", "info,cloch_auth"] {
            assert!(write(folder.path(), Some(wrong)).is_err(), "{wrong}");
        }
        assert_eq!(read(folder.path()).as_deref(), Some("debug"));
        write(folder.path(), None).unwrap();
        write(folder.path(), None).unwrap();
        assert_eq!(read(folder.path()), None);
        fs::write(folder.path().join(FILE), "x".repeat(2000)).unwrap();
        assert_eq!(read(folder.path()), None, "too long");
    }
}
