//! `/logs`: recent log lines of this node, filtered, as a page or as a live stream of server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::on;
use axum::{Extension, Json};
use futures_util::Stream;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep};
use tracing::Level;

use super::extract::Params;
use super::operators::Session;
use super::postgres_log::{self, Entry, Follower};
use super::route::{Access, Method, Role, Route};
use super::{ApiError, DashboardState};
use crate::logging::recent::{self, Line};

/// Maximum number of log lines in a response.
const MAX_LIMIT: usize = 1000;
/// Interval at which a live stream polls for new log lines.
const LIVE_INTERVAL: Duration = Duration::from_millis(400);
/// Maximum number of log lines that a live stream reads per poll.
const LIVE_LINES: usize = 500;
/// Maximum number of concurrent live streams of log lines.
const MAX_STREAMS: usize = 50;
/// Interval at which a live stream checks that its session is still valid.
const SESSION_INTERVAL: Duration = Duration::from_secs(30);

pub(super) const ROUTES: &[Route] = &[
    Route::new(Method::Get, "/logs", "logs.list", "Log lines, newest first", Access::VIEWER, |method| on(method, list)),
    Route::new(Method::Get, "/logs/stream", "logs.follow", "Log lines as they come", Access::VIEWER, |method| {
        on(method, follow)
    })
    .repeated()
    .audited()
    .file(),
];

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Filter {
    /// Filter: names of server areas (APIs or components), separated by commas, such as `rest,auth`.
    #[serde(default)]
    api: String,
    #[serde(default)]
    level: String,
    /// Filter: HTTP statuses and status classes, separated by commas, such as `404,5xx`.
    #[serde(default)]
    status: String,
    #[serde(default)]
    request_id: String,
    /// Filter: substring of a log line, case-insensitive.
    #[serde(default)]
    search: String,
    before: Option<u64>,
    limit: Option<usize>,
}

impl Filter {
    fn takes(&self, line: &Line) -> bool {
        (self.request_id.is_empty() || line.request.as_ref().is_some_and(|id| id == self.request_id.trim()))
            && is_among(&self.level, &line.level.to_string())
            && (self.search.is_empty() || line.fields.to_lowercase().contains(&self.search.trim().to_lowercase()))
            && (self.status.is_empty() || self.takes_status(line))
            && self.takes_area(line)
    }

    /// Whether the filter admits log lines of the server area (API or component) that wrote `line`. If the filter contains neither an area
    /// nor a request id, INFO lines of the dashboard are left out, because they would outnumber all other lines.
    fn takes_area(&self, line: &Line) -> bool {
        match self.api.is_empty() {
            true => !self.request_id.is_empty() || line.level != Level::INFO || area(line) != "dashboard",
            false => is_among(&self.api, area(line)),
        }
    }

    /// Whether lines of PostgreSQL's own log can match the filter. These lines have no status and no request id.
    fn takes_postgres(&self) -> bool {
        is_among(&self.api, "postgres") && self.status.is_empty() && self.request_id.is_empty()
    }

    fn takes_entry(&self, entry: &Entry) -> bool {
        is_among(&self.level, entry.severity())
            && entry.message.to_lowercase().contains(&self.search.trim().to_lowercase())
    }

    fn takes_status(&self, line: &Line) -> bool {
        let Some(status) = number_in(&line.fields, "\"status\":") else { return false };
        let class = format!("{}xx", status.get(..1).unwrap_or_default());
        self.status.split(',').any(|one| one.trim() == status || one.trim().eq_ignore_ascii_case(&class))
    }
}

fn is_among(list: &str, value: &str) -> bool {
    list.is_empty() || list.split(',').any(|one| one.trim().eq_ignore_ascii_case(value))
}

/// Returns the digits after `key` in the JSON text of a log line's fields, or `None` if `key` is missing. The JSON is not parsed, because a
/// filter examines many lines.
fn number_in<'a>(fields: &'a str, key: &str) -> Option<&'a str> {
    let rest = fields.get(fields.find(key)? + key.len()..)?;
    rest.get(..rest.find(|character: char| !character.is_ascii_digit())?)
}

/// Returns the area of the server (API or component) that wrote a log line.
fn area(line: &Line) -> &'static str {
    if line.target.starts_with("cloch_http::middleware::access_log") {
        return area_of_route(&line.fields);
    }
    let areas = [
        ("cloch_auth", "auth"),
        ("cloch_realtime", "realtime"),
        ("cloch::management", "management"),
        ("cloch::mcp", "management"),
        ("cloch::project", "management"),
        ("cloch::token_access", "management"),
        ("cloch::dashboard", "dashboard"),
        ("cloch::background::cron", "cron"),
        ("cloch_rest", "rest"),
        ("cloch_sql::schema_cache", "rest"),
        ("cloch_sql::embedded", "postgres"),
        ("cloch_storage", "storage"),
        ("cloch_functions", "functions"),
        ("cloch_club", "functions"),
        ("cloch_mail", "mail"),
        ("cloch_backup", "backup"),
    ];
    areas.into_iter().find(|(target, _)| line.target.starts_with(target)).map_or("server", |(_, area)| area)
}

fn area_of_route(fields: &str) -> &'static str {
    const KEY: &str = "\"route\":\"";
    let route = fields.find(KEY).and_then(|at| fields.get(at + KEY.len()..)).unwrap_or_default();
    let areas = [
        ("/rest/v1", "rest"),
        ("/auth/v1", "auth"),
        ("/storage/v1", "storage"),
        ("/functions/v1", "functions"),
        ("/realtime/v1", "realtime"),
        ("/_", "dashboard"),
        ("/v1", "management"),
        ("/mcp", "management"),
        ("/health", "server"),
    ];
    areas.into_iter().find(|(prefix, _)| route.starts_with(prefix)).map_or("web", |(_, area)| area)
}

fn shown(line: &Line) -> Value {
    let mut fields: Map<String, Value> = serde_json::from_str(&line.fields).unwrap_or_default();
    let mut shown = json!({
        "seq": line.seq, "at": line.at, "level": line.level.as_str().to_lowercase(), "api": area(line),
        "target": line.target, "request_id": line.request.as_ref().and_then(|id| id.to_str().ok()),
    });
    for name in ["message", "method", "route", "role", "status", "duration_ms"] {
        if let (Some(value), Some(object)) = (fields.remove(name), shown.as_object_mut()) {
            object.insert(name.to_owned(), value);
        }
    }
    if let Some(object) = shown.as_object_mut() {
        object.insert("fields".to_owned(), fields.into());
    }
    shown
}

async fn list(Params(filter): Params<Filter>) -> Json<Value> {
    let limit = filter.limit.unwrap_or(200).clamp(1, MAX_LIMIT);
    let (lines, oldest) = recent::newest(filter.before, limit, |line| filter.takes(line));
    Json(json!({ "lines": lines.iter().map(shown).collect::<Vec<_>>(), "oldest": oldest }))
}

static STREAMS: Semaphore = Semaphore::const_new(MAX_STREAMS);

/// State of a live stream of log lines.
struct Live {
    _turn: SemaphorePermit<'static>,
    state: DashboardState,
    session: Session,
    filter: Filter,
    last: u64,
    checked: Instant,
    waiting: std::vec::IntoIter<Event>,
    /// Reader of PostgreSQL's log; `None` if the operator may not read it or the filter excludes it.
    postgres: Option<Follower>,
}

async fn follow(
    State(state): State<DashboardState>,
    Extension(session): Extension<Session>,
    Params(filter): Params<Filter>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let busy = |_| ApiError::unavailable("Too many pages follow the logs: close some");
    let turn = STREAMS.try_acquire().map_err(busy)?;
    // PostgreSQL's log quotes statements and values, which operators with the role viewer may not see.
    let may_read = session.operator.role >= Role::Developer && filter.takes_postgres();
    let postgres = postgres_log::file(&state.config).filter(|_| may_read).map(Follower::at_end);
    let live = Live {
        _turn: turn,
        state,
        session,
        filter,
        last: recent::last_seq(),
        checked: Instant::now(),
        waiting: Vec::new().into_iter(),
        postgres,
    };
    let stream = futures_util::stream::unfold(live, |mut live| async {
        let event = live.next().await?;
        Some((Ok(event), live))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}

impl Live {
    /// Waits for the next server-sent event. Returns `None` if the session has ended or the program shuts down.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.waiting.next() {
                return Some(event);
            }
            tokio::select! {
                () = self.state.shutdown.cancelled() => return None,
                () = sleep(LIVE_INTERVAL) => {}
            }
            if self.checked.elapsed() >= SESSION_INTERVAL {
                self.checked = Instant::now();
                if !self.session.holds(self.state.database.operators()).await.unwrap_or(false) {
                    return None;
                }
            }
            let (lines, last, lost) = recent::after(self.last, LIVE_LINES, |line| self.filter.takes(line));
            self.last = last;
            let mut events: Vec<Event> = Vec::with_capacity(lines.len() + 1);
            if lost {
                events.push(Event::default().event("lost").data("{}"));
            }
            events.extend(lines.iter().map(|line| Event::default().event("line").data(shown(line).to_string())));
            events.extend(self.of_postgres().await);
            self.waiting = events.into_iter();
        }
    }

    /// Returns server-sent events for the lines that PostgreSQL has logged since the last poll.
    async fn of_postgres(&mut self) -> Vec<Event> {
        let Some(mut follower) = self.postgres.take() else { return Vec::new() };
        let read = tokio::task::spawn_blocking(move || (follower.next(), follower)).await;
        let Ok((entries, follower)) = read else { return Vec::new() };
        self.postgres = Some(follower);
        let last = self.last;
        let taken = entries.iter().filter(|entry| self.filter.takes_entry(entry)).rev().take(LIVE_LINES);
        let mut events: Vec<Event> = taken
            .map(|entry| {
                let line = json!({
                    "seq": last, "at": entry.at, "level": entry.severity(), "api": "postgres", "target": "postgres",
                    "message": entry.message, "fields": { "level": entry.level },
                });
                Event::default().event("postgres").data(line.to_string())
            })
            .collect();
        events.reverse();
        events
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;
    use http::HeaderValue;

    use super::*;

    fn line(target: &'static str, fields: &Value) -> Line {
        let request = Some(HeaderValue::from_static("abc"));
        Line {
            seq: 7,
            at: Utc::now(),
            level: Level::INFO,
            target,
            request,
            fields: fields.to_string().into_boxed_str(),
        }
    }

    #[test]
    fn filters_narrow() {
        let fields =
            json!({ "message": "answered", "route": "/rest/v1", "role": "anon", "status": 404, "duration_ms": 1.5 });
        let line = line("cloch_http::middleware::access_log", &fields);
        let takes = |query: &str| serde_json::from_value::<Filter>(pairs(query)).unwrap().takes(&line);
        for query in
            ["", "api=rest,auth", "level=info", "status=4xx", "status=200,404", "search=ANON", "request_id=abc"]
        {
            assert!(takes(query), "{query}");
        }
        for query in ["api=auth", "level=warn,error", "status=40", "status=5xx", "search=zebra", "request_id=ab"] {
            assert!(!takes(query), "{query}");
        }
        assert_eq!(shown(&line)["status"], 404);
        assert_eq!(shown(&line)["fields"], json!({}));
    }

    fn pairs(query: &str) -> Value {
        query.split_once('=').map_or_else(|| json!({}), |(name, value)| json!({ name: value }))
    }

    #[test]
    fn lines_of_modules_have_an_area() {
        assert_eq!(area(&line("cloch_sql::embedded::server_log", &json!({}))), "postgres");
        assert_eq!(area(&line("cloch::app", &json!({}))), "server");
    }
}
