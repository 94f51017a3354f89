//! `/logs/postgres`: newest entries of the embedded PostgreSQL's log. Operators with the role viewer may not read the entries, because the
//! entries quote statements and values.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use axum::Json;
use axum::extract::State;
use axum::routing::on;
use chrono::NaiveDateTime;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::extract::Params;
use super::route::{Access, Method, Route};
use super::{ApiError, DashboardState};
use crate::config::{Config, DatabaseChoice};

/// Maximum number of bytes that are read from the end of PostgreSQL's log file.
const MAX_TAIL_BYTES: u64 = 512 << 10;
const MAX_ENTRIES: usize = 1000;
const MAX_ENTRY_CHARS: usize = 8000;

pub(super) const ROUTES: &[Route] = &[Route::new(
    Method::Get,
    "/logs/postgres",
    "logs.postgres",
    "What PostgreSQL has logged, newest first",
    Access::DEVELOPER,
    |method| on(method, list),
)
.audited()];

#[derive(Deserialize)]
struct PostgresLogRequest {
    limit: Option<usize>,
    #[serde(default)]
    search: String,
}

/// Entry of PostgreSQL's log, with its continuation lines.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    pub(super) at: String,
    pub(super) level: String,
    pub(super) message: String,
}

impl Entry {
    /// Returns the log level that Cloch's own log uses for the entry's severity: error, warn or info.
    pub(super) fn severity(&self) -> &'static str {
        match self.level.rsplit(' ').next().unwrap_or_default() {
            "error" | "fatal" | "panic" => "error",
            "warning" => "warn",
            _ => "info",
        }
    }
}

async fn list(
    State(state): State<DashboardState>,
    Params(asked): Params<PostgresLogRequest>,
) -> Result<Json<Value>, ApiError> {
    let Some(file) = file(&state.config) else {
        return Ok(Json(json!({ "available": false, "lines": [] })));
    };
    let read = tokio::task::spawn_blocking(move || tail(&file)).await;
    let text = read.map_err(|error| ApiError::internal("PostgreSQL's log cannot be read", error))?;
    let search = asked.search.trim().to_lowercase();
    let mut entries = entries(&text);
    entries.retain(|entry| search.is_empty() || entry.message.to_lowercase().contains(&search));
    entries.reverse();
    entries.truncate(asked.limit.unwrap_or(200).clamp(1, MAX_ENTRIES));
    Ok(Json(json!({ "available": true, "lines": entries })))
}

/// Returns the path of the embedded PostgreSQL's log. `None` for an external PostgreSQL server.
pub(super) fn file(config: &Config) -> Option<PathBuf> {
    matches!(config.database, DatabaseChoice::Embedded { .. }).then(|| config.data.join("db/server.log"))
}

/// Reader of lines that are appended to PostgreSQL's log.
#[derive(Clone, Debug)]
pub(super) struct Follower {
    file: PathBuf,
    offset: u64,
}

impl Follower {
    /// Creates a reader that starts at the current end of the log file.
    pub(super) fn at_end(file: PathBuf) -> Self {
        let offset = file.metadata().map_or(0, |about| about.len());
        Self { file, offset }
    }

    /// Returns the complete lines that PostgreSQL has logged since the last call, as entries. If these lines have more than
    /// `MAX_TAIL_BYTES` in total, only the newest lines are read.
    pub(super) fn next(&mut self) -> Vec<Entry> {
        let length = self.file.metadata().map_or(0, |about| about.len());
        if length < self.offset {
            // The log file was rotated, so it is read from its start.
            self.offset = 0;
        }
        self.offset = self.offset.max(length.saturating_sub(MAX_TAIL_BYTES));
        let read = || {
            let mut opened = File::open(&self.file)?;
            opened.seek(SeekFrom::Start(self.offset))?;
            let mut bytes = Vec::new();
            opened.take(MAX_TAIL_BYTES).read_to_end(&mut bytes)?;
            std::io::Result::Ok(bytes)
        };
        let bytes = read().unwrap_or_default();
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        self.offset += whole as u64;
        entries(&String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default()))
    }
}

fn tail(file: &Path) -> String {
    let read = || {
        let mut opened = File::open(file)?;
        let length = opened.metadata()?.len();
        opened.seek(SeekFrom::Start(length.saturating_sub(MAX_TAIL_BYTES)))?;
        let mut bytes = Vec::new();
        opened.take(MAX_TAIL_BYTES).read_to_end(&mut bytes)?;
        std::io::Result::Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().unwrap_or_default()
}

/// Parses log lines into entries, oldest first. A line without a timestamp belongs to the entry before it. Lines before the first timestamp
/// are skipped.
fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines() {
        match begin(line) {
            Some(entry) => entries.push(entry),
            None => {
                if let Some(entry) = entries.last_mut()
                    && entry.message.len() + line.len() < MAX_ENTRY_CHARS
                {
                    entry.message.push('\n');
                    entry.message.push_str(line);
                }
            }
        }
    }
    entries
}

/// Parses the first line of an entry: `2026-11-24 22:20:54.255 UTC [2193] LOG:  message`.
fn begin(line: &str) -> Option<Entry> {
    let (time, rest) = line.split_once(" UTC [")?;
    let at = NaiveDateTime::parse_from_str(time, "%Y-%m-%d %H:%M:%S%.f").ok()?;
    let (level, message) = rest.split_once("] ")?.1.split_once(":  ")?;
    let message = message.chars().take(MAX_ENTRY_CHARS).collect();
    Some(Entry { at: at.and_utc().to_rfc3339(), level: level.to_lowercase(), message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_is_read_once_and_in_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("server.log");
        let line = |text: &str| format!("2026-11-24 22:20:54.255 UTC [2193] LOG:  {text}");
        std::fs::write(&file, line("before\n")).unwrap();
        let mut follower = Follower::at_end(file.clone());
        let append = |text: &str| {
            use std::io::Write;
            std::fs::OpenOptions::new().append(true).open(&file).unwrap().write_all(text.as_bytes()).unwrap();
        };
        let messages =
            |follower: &mut Follower| follower.next().into_iter().map(|entry| entry.message).collect::<Vec<_>>();
        assert!(messages(&mut follower).is_empty());
        append(&line("first\n"));
        append(&line("sec"));
        assert_eq!(messages(&mut follower), ["first"]);
        append("ond\n");
        assert_eq!(messages(&mut follower), ["second"]);
        std::fs::write(&file, line("of a new file\n").get(..50).unwrap()).unwrap();
        append("\n");
        assert_eq!(messages(&mut follower).len(), 1, "a log that was put aside");
    }

    #[test]
    fn lines_become_entries() {
        let text = "cut off\n2026-11-24 22:20:54.255 UTC [2193] ERROR:  no: such  table\n\tof two lines\n\
                    2026-11-24 22:20:55.000 UTC [2193] postgres@postgres STATEMENT:  select 1\n";
        let entries = entries(text);
        let found: Vec<_> = entries.iter().map(|entry| (entry.level.as_str(), entry.message.as_str())).collect();
        let levels: Vec<_> = entries.iter().map(Entry::severity).collect();
        assert_eq!(levels, ["error", "info"]);
        assert_eq!(found, [("error", "no: such  table\n\tof two lines"), ("postgres@postgres statement", "select 1")]);
    }
}
