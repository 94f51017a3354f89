//! Reads the log lines of functions from the log files on this node.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{Project, ProjectError};

/// Maximum number of lines in a response.
pub(crate) const MAX_LINES: usize = 1_000;
pub(crate) const DEFAULT_LINES: usize = 100;
/// Maximum number of bytes that are read from the end of each log file.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Selection of log lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogRequest<'a> {
    /// Start of the time window; `None` for no lower bound.
    pub(crate) start: Option<DateTime<Utc>>,
    /// End of the time window; `None` for no upper bound.
    pub(crate) end: Option<DateTime<Utc>>,
    /// Name of the function; `None` for all functions.
    pub(crate) function: Option<&'a str>,
    /// Id of a request. If it is set, only lines of this request are returned, and all lines that belong to no request, such as uncaught
    /// errors.
    pub(crate) request: Option<&'a str>,
    /// Maximum number of lines, at most [`MAX_LINES`].
    pub(crate) limit: usize,
}

/// Log line of a function.
#[derive(Debug)]
pub(crate) struct LogLine {
    pub(crate) timestamp: String,
    pub(crate) level: String,
    pub(crate) message: String,
    pub(crate) execution_id: String,
    /// Id of the request that logged the line; empty for a line outside of requests.
    pub(crate) request: String,
    pub(crate) function: String,
}

impl LogLine {
    /// Parses a line of a function's log file. Missing values become empty strings. `None` if the line is not valid JSON.
    fn parse(function: &str, line: &str) -> Option<Self> {
        let fields: Value = serde_json::from_str(line).ok()?;
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(Self {
            timestamp: text("timestamp"),
            level: text("level"),
            message: text("message"),
            execution_id: text("execution_id"),
            request: text("id"),
            function: function.to_owned(),
        })
    }

    fn at(&self) -> Option<DateTime<Utc>> {
        self.timestamp.parse().ok()
    }

    /// Returns the line in the JSON form of Supabase's hosted Management API.
    pub(crate) fn hosted(&self) -> Value {
        let Self { timestamp, level, message, execution_id, function, .. } = self;
        json!({
            "id": format!("{function}/{timestamp}/{execution_id}"), "timestamp": timestamp,
            "ts_ms": self.at().map_or(0, |at| at.timestamp_millis()), "source": "function_logs", "level": level,
            "severity_text": level, "event_message": message, "function_id": function, "execution_id": execution_id,
            "log_attributes": { "level": level, "function_id": function },
        })
    }
}

impl Project {
    /// Returns log lines of functions, newest first.
    pub(crate) async fn function_lines(&self, request: LogRequest<'_>) -> Result<Vec<LogLine>, ProjectError> {
        let folder = self.function_logs.clone();
        let read = tokio::task::spawn_blocking(move || read_all(&folder));
        let mut lines = read.await.map_err(|error| ProjectError::internal("logs cannot be read", error))?;
        let LogRequest { start, end, function, request, limit } = request;
        lines.retain(|line| {
            line.at().is_some_and(|at| start.is_none_or(|start| at >= start) && end.is_none_or(|end| at <= end))
                && function.is_none_or(|function| line.function == function)
                && request.is_none_or(|request| line.request == request || line.request.is_empty())
        });
        // Lines with the same timestamp must be newest first too. Therefore the lines are sorted oldest first with a stable sort, and then
        // reversed.
        lines.sort_by(|a, b| a.timestamp.cmp(&b.timestamp));
        lines.reverse();
        lines.truncate(limit.min(MAX_LINES));
        Ok(lines)
    }
}

fn read_all(folder: &Path) -> Vec<LogLine> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut lines = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let function = name.trim_end_matches(".old").trim_end_matches(".log");
        lines.extend(tail(&file).lines().filter_map(|line| LogLine::parse(function, line)));
    }
    lines
}

/// Returns the last `MAX_FILE_BYTES` bytes of a log file. The first line of the text may be incomplete.
fn tail(file: &Path) -> String {
    let read = || {
        let mut opened = File::open(file)?;
        let length = opened.metadata()?.len();
        opened.seek(SeekFrom::Start(length.saturating_sub(MAX_FILE_BYTES)))?;
        let mut bytes = Vec::new();
        opened.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
        std::io::Result::Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().unwrap_or_default()
}
