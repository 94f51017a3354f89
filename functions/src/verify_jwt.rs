//! Whether a call may reach its function: `verify_jwt`, as the edge runtime checks and words it.

use axum::Json;
use axum::response::{IntoResponse, Response};
use cloch_sql::Caller;
use cloch_sql::caller::of_request;
use http::StatusCode;
use http::header::AUTHORIZATION;
use http::request::Parts;
use serde_json::json;

/// The caller, when the function may be called with these credentials. With `verify_jwt` a token is needed (the anon key is one);
/// without, a missing or bad token makes an anonymous caller.
pub(crate) fn caller(parts: &Parts, verify_jwt: bool) -> Result<Caller, &'static str> {
    let resolved = of_request(parts);
    if !verify_jwt {
        return Ok(resolved.unwrap_or_else(|_| Caller::anon()));
    }
    // The gateway has put the token that an `apikey` stands for here.
    let authorization = parts.headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap_or_default());
    match (authorization, resolved) {
        (None, _) => Err("Error: Missing authorization header"),
        (Some(text), _) if !text.starts_with("Bearer ") => Err("Error: Auth header is not 'Bearer {token}'"),
        (Some(_), Ok(caller)) => Ok(caller),
        (Some(_), Err(_)) => Err("Invalid JWT"),
    }
}

/// A refusal, in the runtime's words.
pub(crate) fn unauthorized(message: &str) -> Response {
    (StatusCode::UNAUTHORIZED, Json(json!({ "msg": message }))).into_response()
}
