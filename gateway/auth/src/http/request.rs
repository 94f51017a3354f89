//! Parses the parts of an HTTP request that several endpoints use: body, query, headers and client.

use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use cloch_sql::Caller;
use cloch_sql::caller::CallerResult;
use http::HeaderMap;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::bounded_json;
use crate::client::Client;
use crate::error::{AuthError, Result};
use crate::flow::accounts;
use crate::state::AuthState;

/// Maximum size of a request body in bytes.
const MAX_BODY_BYTES: usize = 1024 * 1024;

const METADATA: [&str; 3] = ["data", "user_metadata", "app_metadata"];

/// NUL, the only character that PostgreSQL's type `text` cannot contain.
const NUL: char = '\0';

/// A request whose body was read, but that was not authenticated.
pub(crate) struct Incoming {
    pub(crate) headers: HeaderMap,
    pub(crate) client: Client,
    caller: CallerResult,
    query: Vec<(String, String)>,
    body: Bytes,
}

impl<S: Send + Sync> FromRequest<S> for Incoming {
    type Rejection = AuthError;

    async fn from_request(request: Request, _: &S) -> Result<Self> {
        let (parts, body) = request.into_parts();
        let body = axum::body::to_bytes(body, MAX_BODY_BYTES).await.map_err(|_| {
            AuthError::too_large(
                "request_entity_too_large",
                format!("Request body too large (max {MAX_BODY_BYTES} bytes)"),
            )
        })?;
        let query = parts.uri.query().unwrap_or_default();
        let query: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        if query.iter().any(|(key, value)| key.contains(NUL) || value.contains(NUL)) {
            return Err(AuthError::validation("NUL in the query"));
        }
        Ok(Self {
            client: Client::of(&parts),
            caller: cloch_sql::caller::of_request(&parts),
            query,
            headers: parts.headers,
            body,
        })
    }
}

impl Incoming {
    /// Parses the JSON body, which must be an object. As in Go, a field with the value `null` counts as absent, the body `null` counts as
    /// an empty object, and the names of the fields may be in any case. Clients written in Go send `Email` and `Password`.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T> {
        let bad = |why: &dyn std::fmt::Display| {
            AuthError::bad_request("bad_json", format!("Could not parse request body as JSON: {why}"))
        };
        let mut value = bounded_json::parse(&self.body).map_err(|error| bad(&error))?;
        match &mut value {
            Value::Object(fields) => *fields = present_fields(std::mem::take(fields)),
            Value::Null => value = Value::Object(Map::new()),
            // A JSON array must be refused explicitly, because serde accepts it for a struct.
            _ => return Err(bad(&"an object is needed")),
        }
        if holds_nul(&value) {
            return Err(bad(&"NUL in a text"));
        }
        for name in METADATA {
            if let Some(Value::Object(data)) = value.get(name) {
                accounts::check_metadata(data.iter())?;
            }
        }
        serde_json::from_value(value).map_err(|error| bad(&error))
    }

    pub(crate) fn has_body(&self) -> bool {
        !self.body.is_empty()
    }

    /// Returns the first value of a query parameter, or an empty string if the parameter is absent.
    pub(crate) fn query(&self, name: &str) -> &str {
        self.query.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn has_query(&self, name: &str) -> bool {
        self.query.iter().any(|(key, _)| key == name)
    }

    pub(crate) fn query_pairs(&self) -> &[(String, String)] {
        &self.query
    }

    /// Parses a body in the form `application/x-www-form-urlencoded`, which some external sign-in providers send.
    pub(crate) fn form(&self) -> Vec<(String, String)> {
        url::form_urlencoded::parse(&self.body).into_owned().collect()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Returns the caller that the request's credentials (API key or bearer token) identify. `None` if the gateway refused the credentials.
    pub(crate) fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref().ok()
    }

    /// Returns the caller, or the reason why the gateway refused the credentials.
    pub(crate) fn caller_result(&self) -> CallerResult {
        self.caller.clone()
    }

    /// Whether the caller has an administrator's role. The project's own servers have such a role, because they use a service key.
    pub(crate) fn is_admin(&self) -> bool {
        self.caller().is_some_and(|caller| crate::roles::is_admin_role(caller.role()))
    }

    /// Returns the audience (`aud`) in which users are searched: the value of the header `x-jwt-aud`, else the audience of the access
    /// token, else the default audience.
    pub(crate) fn audience(&self) -> String {
        audience(&self.headers, self.caller())
    }

    /// Returns the URL to which links and redirects of this request lead. The URL is always in the allow-list.
    pub(crate) fn target(&self, state: &AuthState) -> String {
        let candidates = [self.header("redirect_to"), self.query("redirect_to"), self.header("referer")];
        state.redirect_urls().first_allowed(candidates)
    }
}

pub(crate) fn audience(headers: &HeaderMap, caller: Option<&Caller>) -> String {
    if let Some(named) = headers.get("x-jwt-aud").and_then(|value| value.to_str().ok()).filter(|aud| !aud.is_empty()) {
        return named.to_owned();
    }
    caller
        .filter(|caller| caller.token().is_some() && !crate::roles::is_admin_role(caller.role()))
        .and_then(|caller| first_audience(caller.claims().get("aud")?))
        .unwrap_or_else(|| crate::roles::AUDIENCE.to_owned())
}

/// Returns the first audience of an `aud` claim, which may be a string or a list. `None` if the claim has another type or the list is
/// empty.
pub(crate) fn first_audience(claim: &Value) -> Option<String> {
    let text = match claim {
        Value::Array(list) => list.first()?.as_str()?,
        other => other.as_str()?,
    };
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the fields that are not null, with their names in lower case, as all names of the API are. If several names differ only in case,
/// the last field counts.
fn present_fields(fields: Map<String, Value>) -> Map<String, Value> {
    let present = fields.into_iter().filter(|(_, value)| !value.is_null());
    present.map(|(name, value)| (name.to_ascii_lowercase(), value)).collect()
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(NUL),
        Value::Array(list) => list.iter().any(holds_nul),
        Value::Object(fields) => fields.iter().any(|(key, value)| key.contains(NUL) || holds_nul(value)),
        _ => false,
    }
}
