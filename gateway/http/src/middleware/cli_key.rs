//! Refuses requests that contain a well-known API key of the Supabase CLI, which the CLI gives every local project. Apps often contain such a
//! key in `.env.development`. All APIs respond with the same message, which names the key and explains how to get the project's own key. If
//! the server was started with the CLI's keys, they are accepted.

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use cloch_sql::caller::{ApiKeys, cli_keys};
use http::StatusCode;
use http::header::AUTHORIZATION;
use serde_json::json;
use url::form_urlencoded;

use super::authenticate::bearer;

/// Returns the 401 response to a request with one of the CLI's API keys, unless this project uses the key too. `None` for other requests.
pub(crate) fn refuse(own: &ApiKeys, request: &Request) -> Option<Response> {
    let text = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let of_query = || {
        let query = request.uri().query()?;
        let found = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "apikey");
        found.map(|(_, value)| value.into_owned())
    };
    let given = [text("apikey"), text(AUTHORIZATION.as_str()).and_then(bearer)];
    let known = |key: &str| if own.knows(key) { None } else { cli_keys::named(key) };
    // WebSocket clients send the API key in the query string of the URL.
    let (key, variable) = given.into_iter().flatten().find_map(known).or_else(|| known(&of_query()?))?;
    let message = format!(
        "This is the {key} that the Supabase CLI gives every local project, and not this project's: take {variable} of `cloch status -o env`"
    );
    let body = json!({
        "code": "401", "error_code": "no_authorization", "statusCode": "401", "error": "Unauthorized", "message": message, "msg": message,
        "hint": "For an app that should stay as it is: `cloch start --cli-keys`, which listens on this machine only.",
        "details": null,
    });
    Some((StatusCode::UNAUTHORIZED, Json(body)).into_response())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use cloch_core::Secret;

    use super::*;

    const CLI_KEY: &str = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";

    fn is_refused(own: &str, uri: &str, headers: &[(&str, String)]) -> bool {
        let keys = ApiKeys {
            anon: Secret::new("a.n.on"),
            service_role: Secret::new("s.r.v"),
            publishable: Secret::new(own),
            secret: Secret::new("sb_secret_y"),
            issued: cloch_sql::caller::IssuedKeys::default(),
        };
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        refuse(&keys, &request.body(Body::empty()).unwrap()).is_some()
    }

    #[test]
    fn the_clis_keys_are_refused_wherever_they_stand_unless_they_are_the_projects() {
        let (key, bearer) = (CLI_KEY.to_owned(), format!("Bearer {CLI_KEY}"));
        let socket = format!("/realtime/v1/websocket?vsn=1.0.0&apikey={CLI_KEY}");
        for (uri, headers) in [
            ("/rest/v1/a", vec![("apikey", key.clone())]),
            ("/auth/v1/user", vec![("authorization", bearer.clone())]),
            ("/storage/v1/bucket", vec![("apikey", "sb_publishable_x".to_owned()), ("authorization", bearer)]),
            (socket.as_str(), vec![]),
        ] {
            assert!(is_refused("sb_publishable_x", uri, &headers), "{uri}");
            assert!(!is_refused(CLI_KEY, uri, &headers), "{uri}");
        }
        assert!(!is_refused("sb_publishable_x", "/rest/v1/a", &[("apikey", "sb_publishable_x".to_owned())]));
        assert!(!is_refused("sb_publishable_x", "/rest/v1/a", &[]));
    }
}
