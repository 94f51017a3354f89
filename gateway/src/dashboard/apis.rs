//! Sends requests to the endpoints of Auth and Storage from within the server, with the service role, on behalf of an operator. Before the
//! request is sent, `guard` has checked the operator's dashboard role. Validation, hooks, mails and file handling are done by Auth and
//! Storage.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::response::Response;
use cloch_core::Secret;
use cloch_sql::Caller;
use cloch_sql::caller::{CallerResult, ClientAddress, SERVICE_ROLE};
use cloch_storage::Routes;
use http::header::{CONTENT_TYPE, USER_AGENT};
use http::request::Parts;
use http::{Method, StatusCode, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use tower::ServiceExt;

use super::{ApiError, Dashboard};

/// Maximum size in bytes of a response body of Auth or Storage that is read into memory.
const MAX_ANSWER_BYTES: usize = 16 << 20;
/// Header that makes Auth return errors as `{"code", "message"}`.
const API_VERSION: (&str, &str) = ("x-supabase-api-version", "2024-01-01");
/// Characters that are percent-encoded in a path segment: all except letters, digits and `-._~`.
const IN_SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Dashboard {
    /// Sends a request to an endpoint of Auth and returns its JSON response. The client address and the User-Agent are those of the
    /// operator's request (`parts`).
    pub(super) async fn ask_auth(
        &self,
        parts: &Parts,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, ApiError> {
        let off = || ApiError::not_found("Auth is switched off in config.toml");
        let auth = Router::clone(&self.auth.as_ref().ok_or_else(off)?.get());
        let Ok(response) = auth.oneshot(self.request(parts, method, path, json_body(body.as_ref()))?).await;
        answer(response).await
    }

    /// Sends a request to an endpoint of Storage and returns its JSON response.
    pub(super) async fn ask_storage(
        &self,
        parts: &Parts,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, ApiError> {
        let request = self.request(parts, method, path, json_body(body.as_ref()))?;
        answer(self.send_to_storage(request).await?).await
    }

    /// Sends a request to Storage and returns the response without reading its body.
    pub(super) async fn send_to_storage(&self, request: Request) -> Result<Response, ApiError> {
        let off = || ApiError::not_found("Storage is switched off in config.toml");
        let storage = Routes::clone(&self.storage.as_ref().ok_or_else(off)?.get());
        Ok(storage.answer(request).await)
    }

    /// Builds a request to Auth or Storage with the service role. The client address and the User-Agent are those of the operator's request
    /// (`parts`).
    pub(super) fn request(&self, parts: &Parts, method: Method, path: &str, body: Body) -> Result<Request, ApiError> {
        let uri: Uri = path.parse().map_err(|_| ApiError::bad_request("This name cannot be in an address"))?;
        let mut request = Request::builder().method(method).uri(uri).header(API_VERSION.0, API_VERSION.1);
        request = request.header(CONTENT_TYPE, "application/json").header("apikey", &self.secrets.anon_key);
        if let Some(agent) = parts.headers.get(USER_AGENT) {
            request = request.header(USER_AGENT, agent);
        }
        let mut request =
            request.body(body).map_err(|error| ApiError::internal("building a request to an API failed", error))?;
        let claims = Map::from_iter([("role".to_owned(), SERVICE_ROLE.into())]);
        // The request contains the role and claims of its caller in place of the secret key: database functions can read a request's token
        // and headers, and must not receive the secret key.
        let caller = Caller::from_claims(claims, Some(Secret::default()));
        request.extensions_mut().insert::<CallerResult>(Ok(caller));
        if let Some(address) = ClientAddress::of_request(parts) {
            request.extensions_mut().insert(address);
        }
        Ok(request)
    }
}

/// Percent-encodes a name as one segment of a path.
pub(super) fn segment(name: &str) -> String {
    // Without percent-encoding, `.` and `..` would refer to another folder.
    match name {
        "." | ".." => name.replace('.', "%2E"),
        _ => utf8_percent_encode(name, IN_SEGMENT).to_string(),
    }
}

fn json_body(body: Option<&Value>) -> Body {
    body.map_or_else(Body::empty, |body| Body::from(body.to_string()))
}

/// Returns the JSON body of a successful response. If the response is an error of Auth or Storage, converts it to an error of the dashboard's
/// API.
pub(super) async fn answer(response: Response) -> Result<Value, ApiError> {
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, MAX_ANSWER_BYTES).await;
    let bytes = bytes.map_err(|error| ApiError::internal("reading an API's response failed", error))?;
    let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    if parts.status.is_success() {
        return Ok(value);
    }
    Err(refusal(parts.status, &value))
}

fn refusal(status: StatusCode, body: &Value) -> ApiError {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    // Storage may respond with 400 and put the actual status into `statusCode` of the body.
    let told = text("statusCode").and_then(|told| StatusCode::from_bytes(told.as_bytes()).ok());
    let status = told.filter(StatusCode::is_client_error).unwrap_or(status);
    let message = text("message").or(text("msg")).unwrap_or("The request was refused").to_owned();
    let code = match status {
        StatusCode::NOT_FOUND => "not_found",
        StatusCode::CONFLICT => "conflict",
        StatusCode::PAYLOAD_TOO_LARGE => "too_large",
        StatusCode::TOO_MANY_REQUESTS => "too_many_requests",
        StatusCode::SERVICE_UNAVAILABLE => "unavailable",
        status if status.is_server_error() => "internal",
        _ => "bad_request",
    };
    // The status 401 is replaced by 403, because a 401 response would sign the operator out of the dashboard.
    let status = if status == StatusCode::UNAUTHORIZED { StatusCode::FORBIDDEN } else { status };
    ApiError::new(status, code, message).with_details(json!({ "api_code": text("code").or(text("error")) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_one_segment() {
        assert_eq!(segment("a/b?c#d %2F"), "a%2Fb%3Fc%23d%20%252F");
        assert_eq!((segment(".."), segment("."), segment("a..b")), ("%2E%2E".into(), "%2E".into(), "a..b".into()));
    }

    #[test]
    fn a_refusal_inside_does_not_sign_the_operator_out() {
        let refused = refusal(StatusCode::UNAUTHORIZED, &json!({ "code": "x", "message": "no" }));
        assert_eq!(refused.status(), StatusCode::FORBIDDEN);
        let told = refusal(StatusCode::BAD_REQUEST, &json!({ "statusCode": "409", "message": "there already" }));
        assert_eq!(told.status(), StatusCode::CONFLICT);
    }
}
