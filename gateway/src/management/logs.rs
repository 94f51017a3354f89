//! Log lines of functions. Cloch's other log lines go to standard error and are not available through this API.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::LazyLock;

use axum::Json;
use axum::extract::{Query, State};
use chrono::{DateTime, Utc};
use regex::Regex;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, ManagementState, Project};

/// Maximum number of lines in a response.
pub(super) const MAX_LINES: usize = 1_000;
pub(super) const DEFAULT_LINES: usize = 100;
/// Maximum number of bytes that are read from the end of each log file.
const MAX_FILE_BYTES: u64 = 1 << 20;

#[derive(Deserialize)]
pub(super) struct LogsRequest {
    #[serde(default)]
    sql: String,
    iso_timestamp_start: Option<DateTime<Utc>>,
    iso_timestamp_end: Option<DateTime<Utc>>,
}

/// Returns the log sources that an SQL text names, and its limit. The SQL is not executed: in the hosted API it runs in a separate log
/// database.
fn sources(sql: &str) -> (Vec<String>, usize) {
    static SOURCE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)source\s*=\s*'(\w+)'|from\s+(\w+_logs)\b").ok());
    static LIMIT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)limit\s+(\d{1,6})\s*$").ok());
    let found = SOURCE.iter().flat_map(|regex| regex.captures_iter(sql));
    let names = found.filter_map(|found| Some(found.get(1).or_else(|| found.get(2))?.as_str().to_owned())).collect();
    let limit = LIMIT.as_ref().and_then(|regex| regex.captures(sql.trim_end())?.get(1)?.as_str().parse().ok());
    (names, limit.unwrap_or(DEFAULT_LINES).min(MAX_LINES))
}

/// Whether an SQL text has conditions or aggregates. Cloch does not evaluate conditions and aggregates, so the response would contain wrong
/// lines.
fn asks_for_more(sql: &str) -> bool {
    static CONDITIONS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?is)\bwhere\b(.*?)(\border\s+by\b|\blimit\b|;|$)").ok());
    static KNOWN: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\band\b|\bor\b|\bsource\s*=\s*'\w+'|[();\s]").ok());
    static GROUPS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)\bgroup\s+by\b|\bhaving\b|\bdistinct\b|\boffset\b|\b(count|sum|min|max|avg)\s*\(").ok()
    });
    let (Some(conditions), Some(known), Some(groups)) = (&*CONDITIONS, &*KNOWN, &*GROUPS) else { return true };
    let mut found = conditions.captures_iter(sql).filter_map(|found| found.get(1));
    groups.is_match(sql) || found.any(|condition| !known.replace_all(condition.as_str(), "").is_empty())
}

pub(super) async fn show(
    State(state): State<ManagementState>,
    Query(asked): Query<LogsRequest>,
) -> Result<Json<Value>, ApiError> {
    let (sources, limit) = sources(&asked.sql);
    if sources.is_empty() || sources.iter().any(|source| source != "function_logs") {
        return Err(ApiError::bad(
            "Only function_logs can be read here: requests, database and the other parts are logged to the server's standard error",
        ));
    }
    if asks_for_more(&asked.sql) {
        return Err(ApiError::bad(
            "The newest lines of a source are returned: conditions and groups of the statement are not evaluated. Take them out, give \
             iso_timestamp_start and iso_timestamp_end, and filter what comes",
        ));
    }
    let lines = state.function_lines(asked.iso_timestamp_start, asked.iso_timestamp_end, None, limit).await?;
    Ok(Json(json!({ "result": lines, "error": null })))
}

impl Project {
    /// Returns log lines of all functions or of one function in a time window, newest first.
    pub(crate) async fn function_lines(
        &self,
        start: Option<DateTime<Utc>>,
        end: Option<DateTime<Utc>>,
        function: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Value>, ApiError> {
        let folder = self.function_logs.clone();
        let read = tokio::task::spawn_blocking(move || read_all(&folder));
        let mut lines = read.await.map_err(|error| ApiError::internal("logs cannot be read", error))?;
        let is_asked_for = |line: &Value| {
            let at = text(line, "timestamp").parse::<DateTime<Utc>>().ok();
            at.is_some_and(|at| start.is_none_or(|start| at >= start) && end.is_none_or(|end| at <= end))
                && function.is_none_or(|function| text(line, "function_id") == function)
        };
        lines.retain(is_asked_for);
        lines.sort_by(|a, b| text(b, "timestamp").cmp(text(a, "timestamp")));
        lines.truncate(limit.min(MAX_LINES));
        Ok(lines)
    }
}

fn text<'a>(line: &'a Value, name: &str) -> &'a str {
    line.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn read_all(folder: &Path) -> Vec<Value> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut lines = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let function = name.trim_end_matches(".old").trim_end_matches(".log").to_owned();
        for line in tail(&file).lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
            let id = format!("{function}/{}/{}", text(&line, "timestamp"), text(&line, "execution_id"));
            let timestamp = text(&line, "timestamp");
            let at = timestamp.parse::<DateTime<Utc>>().map_or(0, |at| at.timestamp_millis());
            lines.push(json!({
                "id": id, "timestamp": timestamp, "ts_ms": at, "source": "function_logs", "level": text(&line, "level"),
                "severity_text": text(&line, "level"), "event_message": text(&line, "message"), "function_id": function,
                "execution_id": text(&line, "execution_id"),
                "log_attributes": { "level": text(&line, "level"), "function_id": function },
            }));
        }
    }
    lines
}

/// Returns the last `MAX_FILE_BYTES` of a file. The first line may be incomplete.
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

#[cfg(test)]
mod tests {
    use super::{asks_for_more, sources};

    #[test]
    fn what_is_not_evaluated_is_refused() {
        for sql in [
            "select * from logs where source = 'function_logs' limit 5",
            "select id from function_logs cross join unnest(metadata) as m order by timestamp desc limit 100",
            "select id from logs where (source = 'function_logs' or source='function_logs') order by id",
            "select max_rows from function_logs",
        ] {
            assert!(!asks_for_more(sql), "{sql}");
        }
        for sql in [
            "select * from function_logs where level = 'error'",
            "select * from logs where source = 'function_logs' and event_message like '%a%' limit 5",
            "select count(*) from function_logs",
            "select level from function_logs group by level",
            "select id from function_logs where id in (select id from function_logs where level = 'x')",
            "select id from function_logs limit 5 offset 5",
        ] {
            assert!(asks_for_more(sql), "{sql}");
        }
    }

    #[test]
    fn a_statement_names_sources_and_a_limit() {
        let (names, limit) =
            sources("select id from logs where source = 'function_logs' order by timestamp desc limit 5");
        assert_eq!((names, limit), (vec!["function_logs".to_owned()], 5));
        assert_eq!(sources("select 1 limit 999999").1, super::MAX_LINES);
        assert_eq!(sources("drop table x"), (Vec::new(), super::DEFAULT_LINES));
    }
}
