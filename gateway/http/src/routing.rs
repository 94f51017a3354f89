//! Routes a request to its API by the prefix of the request path.

use std::fmt;

use axum::Router;
use axum::extract::{MatchedPath, Request};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use cloch_core::Live;
use futures_util::future::BoxFuture;
use http::Uri;
use http::uri::PathAndQuery;
use tower::ServiceExt;

type Handler = Box<dyn Fn(Request) -> BoxFuture<'static, Response> + Send + Sync>;

/// Router of an API that can be replaced while the program runs. Its routes contain the complete path. If the router is replaced while a
/// request runs, the request is still handled by the router that was in place when the request arrived.
#[derive(Clone, Debug)]
pub struct LiveRouter(Live<Router>);

impl LiveRouter {
    /// Creates a replaceable router. It uses `router` until the first call of [`Self::replace`].
    #[must_use]
    pub fn new(router: Router) -> Self {
        Self(Live::new(with_route_in_response(router)))
    }

    /// Replaces the router for all requests that arrive from now on.
    pub fn replace(&self, router: Router) {
        self.0.set(with_route_in_response(router));
    }
}

/// Routes each request to the mounted API whose path prefix matches, or to a fallback router if no prefix matches.
pub struct ApiRouter {
    /// Handlers of the mounted APIs, each with its path prefix. axum's nested routers are not used, because with them, serving small files
    /// was measured to be a fifth slower.
    mounted: Vec<(&'static str, Handler)>,
    live: Vec<(&'static str, LiveRouter)>,
    others: Router,
}

impl ApiRouter {
    /// Creates a router without mounted APIs. `others` handles the requests whose path belongs to no mounted API.
    #[must_use]
    pub fn new(others: Router) -> Self {
        Self { mounted: Vec::new(), live: Vec::new(), others: with_route_in_response(others) }
    }

    /// Mounts an API below a path prefix. `handler` receives the requests below the prefix; the prefix is removed from their paths.
    pub fn mount<F>(&mut self, prefix: &'static str, handler: impl Fn(Request) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Response> + Send + 'static,
    {
        self.mounted.push((prefix, Box::new(move |request| Box::pin(handler(request)))));
    }

    /// Mounts an API whose router can be replaced while the program runs. The router receives all requests below the prefix with their
    /// complete paths, including those that none of its routes matches.
    pub fn mount_live(&mut self, prefix: &'static str, router: LiveRouter) {
        self.live.push((prefix, router));
    }

    /// Passes a request to the API to which its path belongs, and returns the response.
    pub(super) fn handle(&self, mut request: Request) -> BoxFuture<'static, Response> {
        for (prefix, handler) in &self.mounted {
            if let Some(rest) = strip_prefix(request.uri(), prefix) {
                *request.uri_mut() = rest;
                return handler(request);
            }
        }
        let path = request.uri().path();
        let live = self.live.iter().find(|(prefix, _)| is_below(path, prefix));
        let router = live.map_or_else(|| self.others.clone(), |(_, router)| Router::clone(&router.0.get()));
        Box::pin(async move {
            let Ok(response) = router.oneshot(request).await;
            response
        })
    }
}

impl fmt::Debug for ApiRouter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.mounted.iter().map(|(prefix, _)| prefix)).finish()
    }
}

/// Whether a path is equal to a prefix or below it. The prefix must end at the end of a path segment.
fn is_below(path: &str, prefix: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Removes a path prefix from a URI. `None` if the URI's path is neither equal to the prefix nor below it.
fn strip_prefix(uri: &Uri, prefix: &str) -> Option<Uri> {
    let rest = uri.path_and_query()?.as_str().strip_prefix(prefix)?;
    let path = match rest.as_bytes().first() {
        Some(b'/') => PathAndQuery::try_from(rest),
        None | Some(b'?') => PathAndQuery::try_from(format!("/{rest}")),
        Some(_) => return None,
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path.ok()?);
    Uri::from_parts(parts).ok()
}

fn with_route_in_response(router: Router) -> Router {
    router.layer(from_fn(add_route_to_response))
}

/// Adds the pattern of the matched route to the response. The access log contains this pattern instead of the path.
async fn add_route_to_response(route: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::response::IntoResponse;
    use axum::routing::get;

    use super::*;

    fn stripped(uri: &str) -> Option<String> {
        strip_prefix(&uri.parse().unwrap(), "/rest/v1").map(|uri| uri.to_string())
    }

    #[test]
    fn a_prefix_is_whole_segments() {
        for other in ["/rest/v10", "/rest/v1.x", "/rest/v", "/", "/web/rest/v1", "//rest/v1/a", "/REST/v1/a"] {
            assert_eq!(stripped(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_below_a_prefix_keeps_its_encoding_and_query() {
        for (uri, rest) in [
            ("/rest/v1", "/"),
            ("/rest/v1/", "/"),
            ("/rest/v1?a=b", "/?a=b"),
            ("/rest/v1/a%2Fb//c/?d=%20&e", "/a%2Fb//c/?d=%20&e"),
            ("http://club.example/rest/v1/a?b", "http://club.example/a?b"),
        ] {
            assert_eq!(stripped(uri).as_deref(), Some(rest), "{uri}");
        }
    }

    #[tokio::test]
    async fn each_request_has_one_answer() {
        let others = Router::new().route("/auth/v1/user/{id}", get(async || "auth")).fallback(async || "web");
        let mut apis = ApiRouter::new(others);
        apis.mount("/rest/v1", async |request: Request| request.uri().path().to_owned().into_response());
        for (path, body, route) in [
            ("/rest/v1/schools", "/schools", None),
            ("/auth/v1/user/5", "auth", Some("/auth/v1/user/{id}")),
            ("/rest", "web", None),
        ] {
            let response = apis.handle(Request::get(path).body(Body::empty()).unwrap()).await;
            assert_eq!(response.extensions().get::<MatchedPath>().map(MatchedPath::as_str), route);
            assert_eq!(to_bytes(response.into_body(), 100).await.unwrap(), body);
        }
    }

    #[tokio::test]
    async fn a_replaced_router_handles_the_next_request_and_the_whole_prefix() {
        let auth =
            |text: &'static str| Router::new().nest("/auth/v1", Router::new().route("/user", get(async move || text)));
        let mut apis = ApiRouter::new(Router::new().fallback(async || "web"));
        let live = LiveRouter::new(auth("old"));
        apis.mount_live("/auth/v1", live.clone());
        let ask = async |apis: &ApiRouter, path: &str| {
            let response = apis.handle(Request::get(path).body(Body::empty()).unwrap()).await;
            let route = response.extensions().get::<MatchedPath>().map(|route| route.as_str().to_owned());
            let status = response.status().as_u16();
            (status, to_bytes(response.into_body(), 100).await.unwrap(), route)
        };
        let route = Some("/auth/v1/user".to_owned());
        assert_eq!(ask(&apis, "/auth/v1/user").await, (200, "old".into(), route.clone()));
        live.replace(auth("new"));
        assert_eq!(ask(&apis, "/auth/v1/user").await, (200, "new".into(), route));
        assert_eq!(ask(&apis, "/auth/v1/other").await.0, 404);
        assert_eq!(ask(&apis, "/auth/v10/user").await.1, "web");
    }
}
