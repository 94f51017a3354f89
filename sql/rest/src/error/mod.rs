//! Errors of the REST API: code, message, details and hint, with one constructor for each error code.

mod database;
mod lookup;
mod token;

pub(crate) use lookup::MissingFunction;

use std::fmt;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use hyper::ext::ReasonPhrase;
use serde_json::{Value, json};

use super::response_limit;

/// An error response in the format of PostgREST.
#[derive(Debug, Clone)]
pub struct ApiError(Box<Answer>);

#[derive(Debug, Clone)]
struct Answer {
    status: StatusCode,
    code: String,
    message: String,
    details: Option<Value>,
    hint: Option<String>,
    headers: HeaderMap,
    /// HTTP reason phrase that an SQL function set with `RAISE SQLSTATE 'PGRST'`, or `None` for the standard phrase.
    reason: Option<String>,
    /// Name of the violated constraint, for the access log; `None` for any other error.
    constraint: Option<String>,
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.0.message, self.0.code)
    }
}

impl std::error::Error for ApiError {}

impl ApiError {
    fn new(status: StatusCode, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self(Box::new(Answer {
            status,
            code: code.into(),
            message: message.into(),
            details: None,
            hint: None,
            headers: HeaderMap::new(),
            reason: None,
            constraint: None,
        }))
    }

    fn details(mut self, details: impl Into<Value>) -> Self {
        self.0.details = Some(details.into());
        self
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.0.hint = Some(hint.into());
        self
    }

    fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
            self.0.headers.append(name, value);
        }
        self
    }

    /// Returns the error message.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the error code: `PGRST…` or an SQLSTATE.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// Returns the HTTP status of the response.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Returns the name of the violated constraint, if the error is a constraint violation.
    #[must_use]
    pub fn constraint(&self) -> Option<&str> {
        self.0.constraint.as_deref()
    }

    /// Returns the JSON body of the response.
    #[must_use]
    pub fn body(&self) -> String {
        let Answer { code, details, hint, message, .. } = self.0.as_ref();
        json!({"code": code, "details": details, "hint": hint, "message": message}).to_string()
    }

    pub(super) fn query(message: String, details: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "PGRST100", message).details(details)
    }

    pub(super) fn call_method(method: &str) -> Self {
        let message = format!("Cannot use the {method} method on RPC");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "PGRST101", message)
    }

    pub(super) fn body_too_large(limit: usize) -> Self {
        let message = format!("The request's body is larger than {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "PGRST102", message)
    }

    pub(crate) fn csv_too_large(limit: usize) -> Self {
        let message = format!("The request's rows are larger than {limit} bytes as JSON");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "PGRST102", message)
    }

    pub(crate) fn invalid_body(message: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "PGRST102", message)
    }

    fn range(details: impl Into<Value>) -> Self {
        let message = "Requested range not satisfiable";
        Self::new(StatusCode::RANGE_NOT_SATISFIABLE, "PGRST103", message).details(details)
    }

    pub(super) fn negative_limit() -> Self {
        Self::range("Limit should be greater than or equal to zero.")
    }

    pub(super) fn range_order() -> Self {
        Self::range("The lower boundary must be lower than or equal to the upper boundary in the Range header.")
    }

    pub(super) fn range_beyond(offset: i128, total: i64) -> Self {
        Self::range(format!("An offset of {offset} was requested, but there are only {total} rows."))
    }

    pub(super) fn put_filters() -> Self {
        let message = "Filters must include all and only primary key columns with 'eq' operators";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "PGRST105", message)
    }

    pub(super) fn schema(schema: &str, exposed: &[String]) -> Self {
        Self::new(StatusCode::NOT_ACCEPTABLE, "PGRST106", format!("Invalid schema: {schema}"))
            .hint(format!("Only the following schemas are exposed: {}", exposed.join(", ")))
    }

    pub(super) fn media_type(accepted: &[String]) -> Self {
        let message = format!("None of these media types are available: {}", accepted.join(", "));
        Self::new(StatusCode::NOT_ACCEPTABLE, "PGRST107", message)
    }

    pub(super) fn not_embedded(name: &str) -> Self {
        let message = format!("'{name}' is not an embedded resource in this request");
        let hint = format!("Verify that '{name}' is included in the 'select' query parameter.");
        Self::new(StatusCode::BAD_REQUEST, "PGRST108", message).hint(hint)
    }

    pub(super) fn response_headers() -> Self {
        let message =
            "response.headers guc must be a JSON array composed of objects with a single key and a string value";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "PGRST111", message)
    }

    pub(super) fn response_status() -> Self {
        let message = "response.status guc must be a valid status code";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "PGRST112", message)
    }

    pub(super) fn put_range() -> Self {
        let message = "limit/offset querystring parameters are not allowed for PUT";
        Self::new(StatusCode::BAD_REQUEST, "PGRST114", message)
    }

    pub(super) fn put_mismatch() -> Self {
        let message = "Payload values do not match URL in primary key column(s)";
        Self::new(StatusCode::BAD_REQUEST, "PGRST115", message)
    }

    pub(super) fn not_single(rows: i64) -> Self {
        let message = "Cannot coerce the result to a single JSON object";
        Self::new(StatusCode::NOT_ACCEPTABLE, "PGRST116", message).details(format!("The result contains {rows} rows"))
    }

    pub(super) fn method(method: &str) -> Self {
        let message = format!("Unsupported HTTP method: {method}");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "PGRST117", message)
    }

    pub(super) fn related_order(origin: &str, target: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "PGRST118", format!("A related order on '{target}' is not possible"))
            .details(format!("'{origin}' and '{target}' do not form a many-to-one or one-to-one relationship"))
    }

    pub(super) fn preferences(invalid: &[String]) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "PGRST122", "Invalid preferences given with handling=strict")
            .details(format!("Invalid preferences: {}", invalid.join(", ")))
    }

    pub(super) fn aggregates_off() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "PGRST123", "Use of aggregate functions is not allowed")
    }

    pub(super) fn max_affected(rows: i64) -> Self {
        let message = "Query result exceeds max-affected preference constraint";
        Self::new(StatusCode::BAD_REQUEST, "PGRST124", message).details(format!("The query affects {rows} rows"))
    }

    pub(super) fn path() -> Self {
        Self::new(StatusCode::NOT_FOUND, "PGRST125", "Invalid path specified in request URL")
    }

    pub(super) fn openapi_disabled() -> Self {
        Self::new(StatusCode::NOT_FOUND, "PGRST126", "Root endpoint metadata is disabled")
    }

    pub(super) fn not_implemented(details: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "PGRST127", "Feature not implemented").details(details)
    }

    /// Returns the error that PostgreSQL reports for the empty identifier `""`.
    pub(super) fn empty_name() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "42601", "zero-length delimited identifier at or near \"\"\"\"")
    }

    /// Returns the error for an UPDATE or DELETE without a condition: the error of the safeupdate extension, which the Supabase platform
    /// loads for the callers' roles.
    pub(super) fn no_where(statement: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "21000", format!("{statement} requires a WHERE clause"))
    }

    pub(super) fn max_affected_call() -> Self {
        let message = "Function must return SETOF or TABLE when max-affected preference is used with handling=strict";
        Self::new(StatusCode::BAD_REQUEST, "PGRST128", message)
    }

    /// Returns the error for a request that exceeds a limit of the REST API: the request contains `count` items of the kind `what`, but
    /// only `most` are allowed. PostgREST does not have these limits: the codes from PGRST190 are specific to Cloch.
    pub(crate) fn too_much(most: usize, count: usize, what: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "PGRST190", "The request asks for more than one request may")
            .details(format!("{count} {what}; a request may have {most}"))
            .hint("Split it into several requests, or define a view or a function in the database.")
    }

    pub(super) fn too_many_rows(rows: usize, most: u32) -> Self {
        Self::rows_of_visitor(most).details(format!("The request holds {rows} rows."))
    }

    pub(super) fn rows_of_visitor(most: u32) -> Self {
        let message = format!("A request without a session may write {most} rows");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "PGRST191", message)
            .hint("Write fewer rows in each request, or sign in.")
    }

    pub(super) fn rows_of_network(allowed: u32, wait_seconds: u32) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "PGRST192", "Too many rows were written from this network")
            .details(format!("Visitors of one network may write {allowed} rows an hour."))
            .hint("Try again later, or sign in.")
            .header(header::RETRY_AFTER, &wait_seconds.to_string())
    }

    /// Whether a failed write was certainly not committed. Returns false in two cases: PostgreSQL's response was not read completely (lost
    /// connection or exceeded memory limit), or the database server stopped or crashed. In both cases PostgreSQL may have committed the
    /// write; it may report a crash after the commit.
    pub(super) fn is_rolled_back(&self) -> bool {
        !matches!(self.code(), "PGRST001" | "PGRST197" | "PGRST198") && !self.code().starts_with("57P")
    }

    pub(super) fn body_too_slow() -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "PGRST193", "The request's body arrives too slowly")
    }

    pub(super) fn no_room_for_body() -> Self {
        let message = "Too many large requests are being read";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "PGRST194", message).header(header::RETRY_AFTER, "1")
    }

    pub(super) fn answer_too_large(is_visitor: bool) -> Self {
        let most = response_limit::limit(is_visitor) >> 20;
        Self::new(StatusCode::BAD_REQUEST, "PGRST197", format!("The answer has more than {most} MiB"))
            .hint("Ask for fewer columns, or for fewer rows at once (limit and offset).")
    }

    pub(super) fn no_room_for_answer() -> Self {
        let message = "Too many large answers wait for clients that read slowly";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "PGRST198", message).header(header::RETRY_AFTER, "1")
    }

    pub(super) fn timeout(limit: std::time::Duration) -> Self {
        let message = format!("The request took longer than {} seconds", limit.as_secs());
        Self::new(StatusCode::GATEWAY_TIMEOUT, "PGRST195", message)
            .hint("What it was doing in the database is cancelled.")
    }

    pub(super) fn no_schema_cache() -> Self {
        let message = "Could not query the database for the schema cache. Retrying.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "PGRST002", message).header(header::RETRY_AFTER, "1")
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = self.body();
        let proxy_status = format!("PostgREST; error={}", self.0.code);
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.0.status;
        let headers = response.headers_mut();
        *headers = self.0.headers;
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
        if let Ok(value) = HeaderValue::from_str(&proxy_status) {
            headers.insert(HeaderName::from_static("proxy-status"), value);
        }
        if let Some(reason) = self.0.reason.and_then(|reason| ReasonPhrase::try_from(reason.into_bytes()).ok()) {
            response.extensions_mut().insert(reason);
        }
        response
    }
}
