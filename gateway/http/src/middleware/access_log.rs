//! Access log: one structured line per request. A line never contains a token, a body or a path, because paths may contain names of people.
//! Instead of the path, it contains the pattern of the route, such as `/object/{bucket}`.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use cloch_core::log_fields::LogFields;
use cloch_core::request_ids::{RequestIds, in_scope_sync};
use cloch_core::spans::Span;
use cloch_rest::Failure;
use cloch_sql::caller::CallerResult;
use http::Method;

use crate::metrics::RequestInFlight;

/// Access log entry of one request. Created before the request is handled, with the values that are available then. [`Self::write`] adds
/// the values of the response.
pub(crate) struct AccessLogEntry {
    started: Instant,
    ids: RequestIds,
    area: &'static str,
    method: Method,
    role: Cow<'static, str>,
    in_flight: RequestInFlight,
    is_own: bool,
    span: Span,
}

/// Request extension that marks a request that the program sends to itself, such as an upload of seed files. A marked request is logged only
/// if it fails.
#[derive(Clone, Copy, Debug)]
pub struct OwnRequest;

impl AccessLogEntry {
    pub(crate) fn begin(request: &Request, ids: RequestIds, span: Span) -> Self {
        let role = match request.extensions().get::<CallerResult>() {
            Some(Ok(caller)) => Cow::Owned(caller.role().to_owned()),
            Some(Err(_)) => Cow::Borrowed("refused"),
            None => Cow::Borrowed("signed"),
        };
        let (area, method) = (area(request.uri().path()), request.method().clone());
        let is_own = request.extensions().get::<OwnRequest>().is_some();
        Self { started: Instant::now(), ids, area, method, role, in_flight: RequestInFlight::begin(), is_own, span }
    }

    /// Writes the access log entry and ends the span of the request. Called when the response headers are ready.
    pub(crate) fn write(self, response: &Response) {
        let Self { started, ids, area, method, role, in_flight, is_own, mut span } = self;
        let duration = started.elapsed();
        let caller = response.extensions().get::<LogFields>().and_then(|fields| fields.caller);
        let role = caller.map_or(role, Cow::Borrowed);
        in_flight.answered(area, &method, response.status(), duration);
        let route = response.extensions().get::<MatchedPath>().map_or(area, MatchedPath::as_str);
        let status = response.status().as_u16();
        span.rename(|| format!("{method} {route}"));
        span.add(|| {
            [
                ("http.request.method", method.to_string().into()),
                ("http.route", route.to_owned().into()),
                ("http.response.status_code", i64::from(status).into()),
                ("cloch.request_id", ids.id.to_str().unwrap_or_default().to_owned().into()),
                ("cloch.role", role.to_string().into()),
            ]
        });
        if response.status().is_server_error() {
            span.fail();
        }
        if is_own && response.status().is_success() {
            return;
        }
        let duration_ms = rounded_ms(duration);
        // Details of a failed request to the table REST API: error codes, and names from the schema cache.
        let failure = response.extensions().get::<Failure>();
        // Log fields that the APIs have added to the response.
        let fields = response.extensions().get::<LogFields>();
        let resource = failure.and_then(|failure| failure.resource.as_deref()).or_else(|| fields?.resource.as_deref());
        let code = failure.map(|failure| failure.code.as_str()).or_else(|| fields?.code.as_deref());
        let function = fields.and_then(|fields| fields.function.as_deref());
        let bucket = fields.and_then(|fields| fields.bucket.as_deref());
        let constraint = failure.and_then(|failure| failure.constraint.as_deref());
        in_scope_sync(&ids, || {
            tracing::info!(
                %method, route, %role, status, duration_ms, resource, function, bucket, code, constraint, "http: request answered"
            );
        });
    }
}

/// Returns a duration in milliseconds with three significant digits, at most to the microsecond. More digits would not be meaningful.
fn rounded_ms(duration: Duration) -> f64 {
    let milliseconds = duration.as_secs_f64() * 1e3;
    let places = match milliseconds {
        _ if milliseconds < 1.0 => 1e3,
        _ if milliseconds < 10.0 => 1e2,
        _ if milliseconds < 100.0 => 1e1,
        _ => 1.0,
    };
    (milliseconds * places).round() / places
}

const AREAS: [&str; 11] = [
    "/rest/v1",
    "/auth/v1",
    "/storage/v1",
    "/functions/v1",
    "/realtime/v1",
    "/graphql/v1",
    "/v1",
    "/mcp",
    "/metrics",
    "/_",
    "/health",
];

/// Returns the path prefix of the API to which `path` belongs. If no route matches the path, the access log contains only this prefix,
/// because the rest of the path may contain names of people.
fn area(path: &str) -> &'static str {
    AREAS
        .into_iter()
        .find(|area| path.strip_prefix(area).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
        .unwrap_or("web")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{area, rounded_ms};

    #[test]
    fn a_duration_has_three_digits() {
        let rounded = |nanoseconds| rounded_ms(Duration::from_nanos(nanoseconds)).to_string();
        assert_eq!(rounded(512_345), "0.512");
        assert_eq!(rounded(5_123_456), "5.12");
        assert_eq!(rounded(51_234_567), "51.2");
        assert_eq!(rounded(1_234_567_890), "1235");
    }

    #[test]
    fn a_path_is_logged_by_its_area_only() {
        assert_eq!(area("/storage/v1/object/entries/eilidh-baird/letter.pdf"), "/storage/v1");
        assert_eq!(area("/rest/v1"), "/rest/v1");
        assert_eq!(area("/rest/v10"), "web");
        assert_eq!(area("/young-citizen"), "web");
    }
}
