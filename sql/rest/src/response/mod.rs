//! Last stage of a REST request: converts the outcome to an HTTP response, without accessing the database.

mod content_range;
mod overrides;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use content_range::{content_range, read_status};

use super::Settings;
use super::error::ApiError;
use super::execute::Outcome;
use super::media_type::MediaType;
use super::plan::{RowsPlan, Source, WriteKind, WritePlan};
use super::request::{ApiRequest, Call, Count, Mutation, Preferences, Resolution, Return};
use cloch_sql::schema_cache::{Function, Table, Volatility};

/// Maximum length of the `Location` and `Content-Location` headers in bytes. A longer header is omitted, because Node and most proxies
/// reject responses with more than 16 KB of headers.
const MAX_LOCATION_BYTES: usize = 8 * 1024;
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// An HTTP response under construction.
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<Bytes>,
}

impl Answer {
    fn new(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: Vec::new() }
    }

    fn header(&mut self, name: HeaderName, value: &str) -> &mut Self {
        if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
            self.headers.insert(name, value);
        }
        self
    }

    fn content(&mut self, plan: &RowsPlan, request: &ApiRequest, body: Vec<Bytes>) -> &mut Self {
        self.body = body;
        self.header(header::CONTENT_TYPE, &plan.media_type.content_type());
        self.profile(request)
    }

    fn profile(&mut self, request: &ApiRequest) -> &mut Self {
        if request.names_schema {
            self.header(HeaderName::from_static("content-profile"), &request.schema);
        }
        self
    }

    fn preferences(&mut self, applied: &Preferences) -> &mut Self {
        if let Some(applied) = applied.applied() {
            self.header(HeaderName::from_static("preference-applied"), &applied);
        }
        self
    }

    fn finish(self) -> Response {
        let length: usize = self.body.iter().map(Bytes::len).sum();
        let is_whole = self.body.len() <= 1;
        let body = match self.body {
            mut body if is_whole => Body::from(body.pop().unwrap_or_default()),
            pieces => Body::from_stream(stream::iter(pieces.into_iter().map(Ok::<_, std::convert::Infallible>))),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        if !is_whole {
            response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
        }
        response
    }
}

pub(super) fn rows_response(
    plan: &RowsPlan,
    request: &ApiRequest,
    outcome: Outcome,
    settings: &Settings,
) -> Result<Response, ApiError> {
    if matches!(plan.media_type, MediaType::Plan { .. }) {
        let mut answer = Answer::new(StatusCode::OK);
        answer.content(plan, request, outcome.body);
        return Ok(answer.finish());
    }
    // Check the number of rows here only for a read. For a write, the statement has already checked the number inside the transaction.
    let judged_here = matches!(plan.source, Source::Relation(_)) || (plan.read_only && is_set(&plan.source));
    if judged_here && matches!(plan.media_type, MediaType::Object { .. }) && outcome.rows != 1 {
        return Err(ApiError::not_single(outcome.rows));
    }
    let (headers, status) = (outcome.headers.clone(), outcome.status.clone());
    let mut answer = match &plan.source {
        Source::Relation(_) => read(plan, request, outcome, settings),
        Source::Write(mutation, write) => match mutation {
            Mutation::Insert => insert(plan, write, request, &outcome),
            Mutation::Upsert => put(plan, request, outcome),
            Mutation::Update => update(plan, request, outcome),
            Mutation::Delete => delete(plan, request, outcome),
        },
        Source::Call(call, called) => self::call(plan, *call, &called.function, request, outcome),
    };
    if let Some(status) = status {
        answer.status = overrides::status(&status)?;
    }
    if let Some(headers) = headers {
        overrides::headers(&headers, &mut answer.headers)?;
    }
    Ok(answer.finish())
}

fn is_set(source: &Source) -> bool {
    matches!(source, Source::Call(_, call) if call.function.returns_set)
}

/// Returns the total number of rows for the `Content-Range` header; `None` if the request does not ask for a count.
fn total(request: &ApiRequest, outcome: &Outcome, settings: &Settings) -> Option<i64> {
    match request.preferences.count {
        Some(Count::Planned) => outcome.planned,
        Some(Count::Estimated) => {
            let is_beyond = settings.max_rows.is_some_and(|max_rows| outcome.total > Some(max_rows.into()));
            if is_beyond { outcome.total.max(outcome.planned) } else { outcome.total }
        }
        _ => outcome.total,
    }
}

fn read(plan: &RowsPlan, request: &ApiRequest, outcome: Outcome, settings: &Settings) -> Answer {
    let total = total(request, &outcome, settings);
    let mut answer = ranged(plan, request, outcome, total);
    if let Source::Relation(relation) = &plan.source {
        let query = &request.query.canonical;
        let separator = if query.is_empty() { "" } else { "?" };
        let location = format!("/{}{separator}{query}", relation.name);
        if location.len() <= MAX_LOCATION_BYTES {
            answer.header(header::CONTENT_LOCATION, &location);
        }
    }
    let mut applied = Preferences { representation: None, missing: None, ..request.preferences.clone() };
    (applied.resolution, applied.max_affected) = (None, None);
    answer.preferences(&applied);
    answer
}

/// Builds the status, the `Content-Range` header and the body of a response that contains a range of rows.
fn ranged(plan: &RowsPlan, request: &ApiRequest, outcome: Outcome, total: Option<i64>) -> Answer {
    let first = request.range.first;
    let status = read_status(first, outcome.rows, total);
    let mut answer = Answer::new(status);
    let body = if status == StatusCode::RANGE_NOT_SATISFIABLE {
        vec![ApiError::range_beyond(first, total.unwrap_or_default()).body().into()]
    } else {
        outcome.body
    };
    answer.header(header::CONTENT_RANGE, &content_range(first, first + i128::from(outcome.rows) - 1, total));
    answer.content(plan, request, body);
    answer
}

fn applied_to_write(request: &ApiRequest) -> Preferences {
    let mut applied = request.preferences.clone();
    (applied.resolution, applied.missing, applied.max_affected) = (None, None, None);
    applied
}

fn counted(request: &ApiRequest, outcome: &Outcome) -> Option<i64> {
    request.preferences.counts().then_some(outcome.rows)
}

fn wants_representation(request: &ApiRequest) -> bool {
    request.preferences.representation == Some(Return::Representation)
}

fn insert(plan: &RowsPlan, write: &WritePlan, request: &ApiRequest, outcome: &Outcome) -> Answer {
    let merges = request.preferences.resolution == Some(Resolution::Merge);
    let nothing_new = outcome.inserted.is_none_or(|inserted| inserted <= 0);
    let mut answer = Answer::new(if merges && nothing_new { StatusCode::OK } else { StatusCode::CREATED });
    if let Some(location) = outcome.location.as_deref().and_then(location) {
        answer.header(header::LOCATION, &format!("/{}{location}", write.table.name));
    }
    answer.header(header::CONTENT_RANGE, &content_range(1, 0, counted(request, outcome)));
    if wants_representation(request) {
        answer.content(plan, request, outcome.body.clone());
    }
    let has_key = matches!(&write.kind, WriteKind::Insert { primary_key, .. } if !primary_key.is_empty());
    let mut applied = applied_to_write(request);
    applied.missing = request.preferences.missing;
    if has_key || request.query.on_conflict.is_some() {
        applied.resolution = request.preferences.resolution;
    }
    answer.preferences(&applied);
    answer
}

/// Converts the primary key of an inserted row to a query string such as `?a=eq.1&b=is.null`. `pairs` is a JSON array of pairs of column
/// name and condition. Returns `None` if the JSON has a different form.
fn location(pairs: &str) -> Option<String> {
    let pairs: Vec<(String, String)> = serde_json::from_str(pairs).ok()?;
    let encode = |text: &str| utf8_percent_encode(text, UNRESERVED).to_string();
    let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{}={}", encode(key), encode(value))).collect();
    Some(format!("?{}", pairs.join("&")))
}

fn put(plan: &RowsPlan, request: &ApiRequest, outcome: Outcome) -> Answer {
    let is_new = outcome.inserted.is_some_and(|inserted| inserted > 0);
    let mut answer = if wants_representation(request) {
        let mut answer = Answer::new(if is_new { StatusCode::CREATED } else { StatusCode::OK });
        answer.content(plan, request, outcome.body);
        answer
    } else {
        Answer::new(StatusCode::NO_CONTENT)
    };
    answer.preferences(&applied_to_write(request));
    answer
}

fn changed(plan: &RowsPlan, request: &ApiRequest, outcome: Outcome) -> Answer {
    if wants_representation(request) {
        let mut answer = Answer::new(StatusCode::OK);
        answer.content(plan, request, outcome.body);
        answer
    } else {
        Answer::new(StatusCode::NO_CONTENT)
    }
}

fn update(plan: &RowsPlan, request: &ApiRequest, outcome: Outcome) -> Answer {
    let range = content_range(0, i128::from(outcome.rows) - 1, counted(request, &outcome));
    let mut answer = changed(plan, request, outcome);
    let applied = Preferences {
        missing: request.preferences.missing,
        max_affected: request.preferences.max_affected,
        ..applied_to_write(request)
    };
    answer.header(header::CONTENT_RANGE, &range).preferences(&applied);
    answer
}

fn delete(plan: &RowsPlan, request: &ApiRequest, outcome: Outcome) -> Answer {
    let range = content_range(1, 0, counted(request, &outcome));
    let mut answer = changed(plan, request, outcome);
    let applied = Preferences { max_affected: request.preferences.max_affected, ..applied_to_write(request) };
    answer.header(header::CONTENT_RANGE, &range).preferences(&applied);
    answer
}

fn call(plan: &RowsPlan, _: Call, function: &Function, request: &ApiRequest, outcome: Outcome) -> Answer {
    let total = outcome.total;
    let mut answer = ranged(plan, request, outcome, total);
    if function.returns_void() {
        answer.status = StatusCode::NO_CONTENT;
        answer.body.clear();
        answer.headers.remove(header::CONTENT_TYPE);
        answer.headers.remove("content-profile");
    }
    let applied = Preferences {
        representation: None,
        max_affected: request.preferences.max_affected,
        ..applied_to_write(request)
    };
    answer.preferences(&applied);
    answer
}

/// Builds the response to OPTIONS, which lists the allowed methods.
fn options(allow: &str) -> Response {
    let mut answer = Answer::new(StatusCode::OK);
    answer.header(header::ALLOW, allow);
    answer.finish()
}

pub(super) fn table_options(table: &Table) -> Response {
    let mut allow = "OPTIONS,GET,HEAD".to_owned();
    let methods = [
        ("POST", table.insertable),
        ("PUT", table.insertable && table.updatable && !table.primary_key.is_empty()),
        ("PATCH", table.updatable),
        ("DELETE", table.deletable),
    ];
    for (method, _) in methods.iter().filter(|(_, is_possible)| *is_possible) {
        allow.push(',');
        allow.push_str(method);
    }
    options(&allow)
}

pub(super) fn function_options(function: &Function) -> Response {
    options(if function.volatility == Volatility::Volatile { "OPTIONS,POST" } else { "OPTIONS,GET,HEAD,POST" })
}

pub(super) fn root_options() -> Response {
    options("OPTIONS,GET,HEAD")
}
