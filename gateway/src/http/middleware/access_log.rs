//! The access log: one structured line for each request. It never contains a token, a body, or a path, which may contain names of people:
//! the route's pattern is logged instead.

use std::borrow::Cow;
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use cloch_sql::caller::CallerResult;
use cloch_sql::rest::Failure;
use http::{HeaderValue, Method};

use crate::logging::request_id_scope::in_scope_sync;

/// A log entry, with the values known before the request is handled.
pub(in crate::http) struct AccessLogEntry {
    started: Instant,
    id: HeaderValue,
    area: &'static str,
    method: Method,
    role: Cow<'static, str>,
}

impl AccessLogEntry {
    pub(in crate::http) fn begin(request: &Request, id: HeaderValue) -> Self {
        let role = match request.extensions().get::<CallerResult>() {
            Some(Ok(caller)) => Cow::Owned(caller.role().to_owned()),
            Some(Err(_)) => Cow::Borrowed("refused"),
            None => Cow::Borrowed("signed"),
        };
        Self { started: Instant::now(), id, area: area(request.uri().path()), method: request.method().clone(), role }
    }

    /// Writes the entry once the response's headers are ready.
    pub(in crate::http) fn write(self, response: &Response) {
        let Self { started, id, area, method, role } = self;
        let route = response.extensions().get::<MatchedPath>().map_or(area, MatchedPath::as_str);
        let status = response.status().as_u16();
        // Rounded to microseconds: further digits mean nothing, and take time to write.
        let duration_ms = (started.elapsed().as_secs_f64() * 1e6).round() / 1e3;
        // The table REST's details of a failure: names from the schema cache, and codes.
        let failure = response.extensions().get::<Failure>();
        let resource = failure.and_then(|failure| failure.resource.as_deref());
        let code = failure.map(|failure| failure.code.as_str());
        let constraint = failure.and_then(|failure| failure.constraint.as_deref());
        in_scope_sync(&id, || {
            tracing::info!(%method, route, %role, status, duration_ms, resource, code, constraint, "answered");
        });
    }
}

/// The API that a path belongs to, if its router has no pattern for it. The rest of the path may contain names of people.
fn area(path: &str) -> &'static str {
    ["/rest/v1", "/auth/v1", "/storage/v1", "/functions/v1", "/realtime/v1", "/_", "/health"]
        .into_iter()
        .find(|area| path.strip_prefix(area).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
        .unwrap_or("web")
}

#[cfg(test)]
mod tests {
    use super::area;

    #[test]
    fn a_path_is_logged_by_its_area_only() {
        assert_eq!(area("/storage/v1/object/entries/eilidh-baird/letter.pdf"), "/storage/v1");
        assert_eq!(area("/rest/v1"), "/rest/v1");
        assert_eq!(area("/rest/v10"), "web");
        assert_eq!(area("/young-citizen"), "web");
    }
}
