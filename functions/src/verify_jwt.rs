//! Checks the access token of a function call in the same way as Supabase's edge runtime (`verify_jwt`), with the same error messages.

use axum::Json;
use axum::response::{IntoResponse, Response};
use cloch_sql::Caller;
use cloch_sql::caller::of_request;
use http::StatusCode;
use http::header::AUTHORIZATION;
use http::request::Parts;
use serde_json::json;

/// Returns the caller of a function. With `verify_jwt`, a token is required; the publishable key counts as a token. Without `verify_jwt`, a missing
/// or invalid token results in an anonymous caller.
pub(crate) fn caller(parts: &Parts, verify_jwt: bool) -> Result<Caller, &'static str> {
    let resolved = of_request(parts);
    if !verify_jwt {
        return Ok(resolved.unwrap_or_else(|_| Caller::anon()));
    }
    // If the header `apikey` contained an API key, the gateway has already replaced it by the access token that belongs to the key.
    let authorization = parts.headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap_or_default());
    match (authorization, resolved) {
        (None, _) => Err("Error: Missing authorization header"),
        (Some(text), _) if !text.starts_with("Bearer ") => Err("Error: Auth header is not 'Bearer {token}'"),
        (Some(_), Ok(caller)) => Ok(caller),
        (Some(_), Err(_)) => Err("Invalid JWT"),
    }
}

/// Returns a response with status 401 and an error message of Supabase's edge runtime.
pub(crate) fn unauthorized(message: &str) -> Response {
    (StatusCode::UNAUTHORIZED, Json(json!({ "msg": message }))).into_response()
}
