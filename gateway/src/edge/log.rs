//! One structured line for each request. Never a token, a body or a path with names in it: the route's pattern stands for it.

use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use cloch_sql::caller::CallerResult;
use http::HeaderValue;
use tower_http::request_id::{MakeRequestId, RequestId};
use tracing::Instrument;

use super::REQUEST_ID;

/// Makes ids for requests that bring none.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestIds;

impl MakeRequestId for RequestIds {
    fn make_request_id<B>(&mut self, _: &http::Request<B>) -> Option<RequestId> {
        HeaderValue::from_str(&uuid::Uuid::new_v4().to_string()).ok().map(RequestId::new)
    }
}

/// Runs the request in a span with its id, and writes the line when its headers are out.
pub(super) async fn record(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| area(request.uri().path()).to_owned(), |matched| matched.as_str().to_owned());
    let method = request.method().clone();
    let role = match request.extensions().get::<CallerResult>() {
        Some(Ok(caller)) => caller.role().to_owned(),
        Some(Err(_)) => "refused".to_owned(),
        None => "signed".to_owned(),
    };
    let span = tracing::info_span!("request", id);
    let response = next.run(request).instrument(span.clone()).await;
    let status = response.status().as_u16();
    let duration_ms = started.elapsed().as_secs_f64() * 1000.0;
    span.in_scope(|| tracing::info!(%method, route, role, status, duration_ms, "answered"));
    response
}

/// The API that a path belongs to, where its own router has no pattern for it. The rest of the path may hold names of people.
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
