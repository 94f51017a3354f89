//! Ends requests that wait while the database is unreachable: responds with status 503, in the error format of the API that the request is
//! for. Because this middleware serves all APIs, no API needs a time limit for each SQL statement. Requests that need no database are
//! handled as usual.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use cloch_sql::Availability;
use http::{HeaderMap, HeaderName, StatusCode};
use http_body::{Frame, SizeHint};
use serde_json::json;

/// Time after which the middleware checks again, during an outage of the database, whether an upload is still waiting for bytes from its
/// client.
const AFTER_CLIENT: Duration = Duration::from_secs(1);
/// Request header that selects between two error formats of the auth API.
const VERSION_HEADER: HeaderName = HeaderName::from_static("x-supabase-api-version");
/// Path prefixes of requests that are not ended during an outage. Functions and realtime sockets have their own time limits.
const EXEMPT: [&str; 4] = ["/functions/v1/", "/realtime/v1/websocket", "/realtime/v1/longpoll", "/metrics"];

/// Handles a request with `handle`. Responds with 503 instead if the request has no response yet when the database has been unreachable for
/// longer than requests may wait.
pub(crate) async fn answer<F>(
    availability: &Availability,
    forms: &Forms,
    request: Request,
    handle: impl FnOnce(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    if EXEMPT.iter().any(|prefix| request.uri().path().starts_with(prefix)) {
        return handle(request).await;
    }
    let form = forms.of(&request);
    let (request, waits_for_client) = watched(request);
    tokio::select! {
        biased;
        response = handle(request) => response,
        () = cut_off(availability, waits_for_client.as_deref()) => form(),
    }
}

/// Returns when the database has been unreachable for longer than requests may wait, and the request is not waiting for bytes from its
/// client. `waits_for_client` is `None` for a request that is not an upload.
async fn cut_off(availability: &Availability, waits_for_client: Option<&AtomicBool>) {
    loop {
        availability.outage().await;
        if !waits_for_client.is_some_and(|waits| waits.load(Ordering::Relaxed)) {
            return;
        }
        tokio::time::sleep(AFTER_CLIENT).await;
    }
}

/// Wraps the body of an upload. The returned flag is true while the upload waits for bytes from its client. An upload that waits for a slow
/// client is not ended during an outage, because only the end of an upload needs the database.
fn watched(request: Request) -> (Request, Option<Arc<AtomicBool>>) {
    if !request.uri().path().starts_with("/storage/v1/") || request.body().is_end_stream() {
        return (request, None);
    }
    let waits_for_client = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&waits_for_client);
    (request.map(|body| Body::new(WatchedBody { body, waits })), Some(waits_for_client))
}

struct WatchedBody {
    body: Body,
    waits: Arc<AtomicBool>,
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        self.waits.store(polled.is_pending(), Ordering::Relaxed);
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Function that creates the 503 response of an API. Its arguments are the request's path without the API's prefix, and the headers that
/// select the error format.
pub(crate) type Unavailable = fn(&str, &HeaderMap) -> Response;

/// Functions that create the 503 responses of the APIs, by path prefix. For paths without an entry, the response is a JSON object with the
/// field `message`.
#[derive(Clone, Debug, Default)]
pub struct Forms(pub Vec<(&'static str, Unavailable)>);

impl Forms {
    /// Returns a function that creates the 503 response to a request. The function is rarely called, so the URI and the header are shared
    /// with the request and their text is not copied.
    fn of(&self, request: &Request) -> impl FnOnce() -> Response + use<'_> {
        let uri = request.uri().clone();
        let version = request.headers().get(VERSION_HEADER).cloned();
        move || {
            let form = self.0.iter().find_map(|(prefix, form)| Some((form, uri.path().strip_prefix(prefix)?)));
            match form {
                Some((form, path)) => form(path, &version.map(|value| (VERSION_HEADER, value)).into_iter().collect()),
                None => other(),
            }
        }
    }
}

fn other() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "message": "The database cannot be reached" }))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;

    fn lost() -> Availability {
        let availability = Availability::default();
        availability.set_lost("gone");
        availability
    }

    fn forms() -> Forms {
        Forms(vec![("/storage/v1", |path, _| (StatusCode::SERVICE_UNAVAILABLE, path.to_owned()).into_response())])
    }

    #[tokio::test(start_paused = true)]
    async fn each_api_says_it_in_its_own_form() {
        for (path, part) in [("/storage/v1/object/a/b", "/object/a/b"), ("/v1/projects", r#"{"message":"#)] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let response = answer(&lost(), &forms(), request, |_| std::future::pending()).await;
            assert_eq!(response.status(), 503);
            let body = to_bytes(response.into_body(), 10_000).await.unwrap();
            assert!(body.starts_with(part.as_bytes()), "{path}: {body:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_needs_no_database_is_answered_and_functions_go_on() {
        for (path, millis) in [("/auth/v1/health", 0), ("/functions/v1/long", 60_000), ("/rest/v1/soon", 500)] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let handle = async |_| {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                "done".into_response()
            };
            assert_eq!(answer(&lost(), &forms(), request, handle).await.status(), 200, "{path}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_is_not_cut_off_while_its_client_sends() {
        let chunks = futures_util::stream::unfold(0, async |sent| {
            tokio::time::sleep(Duration::from_secs(5)).await;
            (sent < 4).then(|| (Ok::<_, std::io::Error>(Bytes::from_static(b"bytes")), sent + 1))
        });
        let request = Request::post("/storage/v1/object/a/b").body(Body::from_stream(chunks)).unwrap();
        let begun = tokio::time::Instant::now();
        let handle = async |request: Request| {
            assert_eq!(to_bytes(request.into_body(), 100).await.unwrap().len(), 20);
            std::future::pending().await
        };
        assert_eq!(answer(&lost(), &forms(), request, handle).await.status(), 503);
        let after = begun.elapsed();
        assert!(after >= Duration::from_secs(25) && after < Duration::from_secs(29), "{after:?}");
    }
}
