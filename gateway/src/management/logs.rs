//! Endpoint that returns log lines of functions. All other log lines of Cloch are written to standard error and are not available through
//! this API.

use std::sync::LazyLock;

use axum::Json;
use axum::extract::{Query, State};
use chrono::{DateTime, Utc};
use regex::Regex;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{ApiError, ProjectState};
use crate::project::logs::{DEFAULT_LINES, LogLine, LogRequest, MAX_LINES};

#[derive(Deserialize)]
pub(super) struct LogsRequest {
    #[serde(default)]
    sql: String,
    iso_timestamp_start: Option<DateTime<Utc>>,
    iso_timestamp_end: Option<DateTime<Utc>>,
}

/// Returns the names of the log sources in the request's SQL text, and the number in its `limit` clause. The SQL is not executed: the
/// hosted API runs it in a log database, which Cloch does not have.
fn sources(sql: &str) -> (Vec<String>, usize) {
    static SOURCE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)source\s*=\s*'(\w+)'|from\s+(\w+_logs)\b").ok());
    static LIMIT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)limit\s+(\d{1,6})\s*$").ok());
    let found = SOURCE.iter().flat_map(|regex| regex.captures_iter(sql));
    let names = found.filter_map(|found| Some(found.get(1).or_else(|| found.get(2))?.as_str().to_owned())).collect();
    let limit = LIMIT.as_ref().and_then(|regex| regex.captures(sql.trim_end())?.get(1)?.as_str().parse().ok());
    (names, limit.unwrap_or(DEFAULT_LINES).min(MAX_LINES))
}

/// Whether an SQL text contains conditions or aggregates, except conditions on `source`. Such a request is refused: Cloch does not evaluate
/// them, so the response would contain log lines that do not match.
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
    State(project): State<ProjectState>,
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
    let (start, end) = (asked.iso_timestamp_start, asked.iso_timestamp_end);
    let request = LogRequest { start, end, function: None, request: None, limit };
    let lines = project.function_lines(request).await?;
    Ok(Json(json!({ "result": lines.iter().map(LogLine::hosted).collect::<Vec<_>>(), "error": null })))
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_LINES, MAX_LINES, asks_for_more, sources};

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
        assert_eq!(sources("select 1 limit 999999").1, MAX_LINES);
        assert_eq!(sources("drop table x"), (Vec::new(), DEFAULT_LINES));
    }
}
