//! `/graphql/v1`: calls the function `graphql_public.graphql` through the table REST API, as Supabase's gateway does. The function belongs
//! to the extension pg_graphql. If the extension is missing, Cloch's substitute returns the same error as a Supabase project without
//! pg_graphql.

use axum::Json;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use cloch_rest::{ApiError, RestState};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, StatusCode, Uri};
use serde_json::{Map, Value, json};

const SCHEMA: HeaderValue = HeaderValue::from_static("graphql_public");
/// Headers that select the schema of a function, for a POST request and for a GET request.
const PROFILES: [HeaderName; 2] =
    [HeaderName::from_static("content-profile"), HeaderName::from_static("accept-profile")];
/// Maximum size of an error of the table REST API in bytes. A larger one is returned without its message.
const MAX_ERROR_BYTES: usize = 1024 * 1024;

/// Handles a request below `/graphql/v1`. The request's path is relative to this prefix. Errors of the table REST API are converted to the
/// form that GraphQL clients can read; their status is kept.
pub(crate) fn answer(rest: RestState, mut request: Request) -> impl Future<Output = Response> + Send {
    let target = match (request.uri().path(), request.uri().query()) {
        ("/", None) => Some("/rpc/graphql".parse()),
        ("/", Some(query)) => Some(format!("/rpc/graphql?{query}").parse::<Uri>()),
        _ => None,
    };
    async move {
        let Some(Ok(target)) = target else {
            return error(
                StatusCode::NOT_FOUND,
                &json!({ "message": "this path does not exist, the endpoint is /graphql/v1" }),
            );
        };
        *request.uri_mut() = target;
        for name in PROFILES {
            request.headers_mut().insert(name, SCHEMA);
        }
        in_graphql_form(rest.answer(request).await).await
    }
}

/// Returns the response that is sent while the database is unavailable.
pub(crate) fn database_lost() -> Response {
    let failure = ApiError::database_lost();
    error(failure.status(), &json!({ "message": failure.message() }))
}

async fn in_graphql_form(response: Response) -> Response {
    if !response.status().is_client_error() && !response.status().is_server_error() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let body = to_bytes(body, MAX_ERROR_BYTES).await.unwrap_or_else(|_| Bytes::new());
    let failure = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let converted = error(parts.status, &failure).into_body();
    parts.headers.remove(CONTENT_LENGTH);
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::new(converted))
}

/// Returns a response with one GraphQL error. `failure` is an error of the table REST API: `message` becomes the error's message, and the
/// other members become its extensions.
fn error(status: StatusCode, failure: &Value) -> Response {
    let message =
        failure.get("message").and_then(Value::as_str).or(status.canonical_reason()).unwrap_or("the request failed");
    let extensions: Map<_, _> = ["code", "details", "hint"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), failure.get(name).filter(|value| !value.is_null())?.clone())))
        .collect();
    let error = match extensions.is_empty() {
        true => json!({ "message": message }),
        false => json!({ "message": message, "extensions": extensions }),
    };
    (status, Json(json!({ "errors": [error] }))).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn converted(status: StatusCode, body: &str) -> (StatusCode, Value) {
        let response = in_graphql_form((status, body.to_owned()).into_response()).await;
        let status = response.status();
        (status, serde_json::from_slice(&to_bytes(response.into_body(), MAX_ERROR_BYTES).await.unwrap()).unwrap())
    }

    #[tokio::test]
    async fn only_failures_are_converted() {
        let data = json!({ "data": { "boats": [] } });
        assert_eq!(converted(StatusCode::OK, &data.to_string()).await, (StatusCode::OK, data));
        let failure = json!({ "code": "PGRST301", "message": "JWT expired", "details": null, "hint": "sign in" });
        assert_eq!(
            converted(StatusCode::UNAUTHORIZED, &failure.to_string()).await,
            (
                StatusCode::UNAUTHORIZED,
                json!({ "errors": [{ "message": "JWT expired", "extensions": { "code": "PGRST301", "hint": "sign in" } }] })
            )
        );
        assert_eq!(
            converted(StatusCode::BAD_GATEWAY, "no JSON").await,
            (StatusCode::BAD_GATEWAY, json!({ "errors": [{ "message": "Bad Gateway" }] }))
        );
    }
}
