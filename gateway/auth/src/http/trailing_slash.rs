//! Accepts paths with a trailing slash, such as `passkeys/`, which supabase-swift requests. GoTrue accepts a trailing slash only at the
//! root of a route group, because the method `Route` of its router (chi) registers the pattern with and without the slash.

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::Uri;
use http::uri::PathAndQuery;
use tower::ServiceExt;

use super::error_response;

/// Paths of the roots of GoTrue's route groups (internal/api/api.go). `*` matches any segment.
const ROOTS: [&str; 24] = [
    "/callback",
    "/signup",
    "/verify",
    "/reauthenticate",
    "/user",
    "/user/oauth/grants",
    "/factors",
    "/factors/*",
    "/passkeys",
    "/passkeys/*",
    "/sso",
    "/admin/audit",
    "/admin/users",
    "/admin/users/*",
    "/admin/users/*/factors",
    "/admin/users/*/factors/*",
    "/admin/users/*/passkeys",
    "/admin/users/*/passkeys/*",
    "/admin/sso/providers",
    "/admin/sso/providers/*",
    "/admin/oauth/clients",
    "/admin/oauth/clients/*",
    "/admin/custom-providers",
    "/admin/custom-providers/*",
];

/// Adds the roots of route groups with a trailing slash to `routes`. Unknown paths get GoTrue's 404 response.
pub(super) fn accept(routes: Router) -> Router {
    let known = routes.clone();
    routes.fallback(move |request: Request| answer(known, request))
}

async fn answer(known: Router, mut request: Request) -> Response {
    match without_slash(request.uri()) {
        Some(uri) => {
            *request.uri_mut() = uri;
            known.oneshot(request).await.into_response()
        }
        None => error_response::no_such_path().await.into_response(),
    }
}

/// Returns the URI without its trailing slash if its path is the root of a route group. `None` for other URIs.
fn without_slash(uri: &Uri) -> Option<Uri> {
    let path = uri.path().strip_suffix('/')?;
    if !ROOTS.iter().any(|root| is_of(path, root)) {
        return None;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(format!("{path}{query}")).ok()?);
    Uri::from_parts(parts).ok()
}

fn is_of(path: &str, pattern: &str) -> bool {
    let (mut segments, mut expected) = (path.split('/'), pattern.split('/'));
    loop {
        match (segments.next(), expected.next()) {
            (None, None) => return true,
            (Some(segment), Some("*")) if !segment.is_empty() => {}
            (Some(segment), Some(expected)) if segment == expected => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_paths_lose_their_slash() {
        let cases = [
            ("/passkeys/", Some("/passkeys")),
            ("/admin/users/?page=2&per_page=1", Some("/admin/users?page=2&per_page=1")),
            ("/admin/users/7/factors/8/", Some("/admin/users/7/factors/8")),
            ("/admin/custom-providers/custom:a/", Some("/admin/custom-providers/custom:a")),
            ("/user/oauth/grants/", Some("/user/oauth/grants")),
            ("/passkeys", None),
            ("/passkeys//", None),
            ("/factors/7/verify/", None),
            ("/settings/", None),
            ("/otp/", None),
            ("/", None),
        ];
        for (path, expected) in cases {
            let found = path.parse().ok().and_then(|uri| without_slash(&uri)).map(|uri| uri.to_string());
            assert_eq!(found.as_deref(), expected, "{path}");
        }
    }
}
