//! Writes a token response as JSON, or into the fragment of a redirect URL.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;

use crate::flow::issue_session::{Reuse, TokenResponse};
use crate::flow::refresh_token_v2;

impl IntoResponse for TokenResponse {
    fn into_response(self) -> Response {
        let headers = self.trace_headers();
        let mut response = Json(self).into_response();
        for (name, text) in headers {
            if let Ok(value) = HeaderValue::from_str(&text) {
                response.headers_mut().insert(name, value);
            }
        }
        // RFC 6749, section 5.1: token responses must not be cached.
        response.headers_mut().insert(http::header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

impl TokenResponse {
    /// Returns response headers with which an operator can trace a session in the logs of a proxy. The headers contain five of the twelve
    /// characters of a refresh token, which identify the token but do not give access.
    fn trace_headers(&self) -> Vec<(&'static str, String)> {
        let mut traces =
            vec![("sb-auth-user-id", self.user.id.to_string()), ("sb-auth-session-id", self.session_id.to_string())];
        traces.push(match refresh_token_v2::counter(&self.refresh_token) {
            Some(counter) => ("sb-auth-refresh-token-counter", counter.to_string()),
            None => ("sb-auth-refresh-token-prefix", self.refresh_token.chars().take(5).collect()),
        });
        match &self.reuse {
            None => {}
            Some(Reuse::None) => traces.push(("sb-auth-refresh-token-reuse", "false".to_owned())),
            Some(Reuse::Forgiven(causes)) => traces.push(("sb-auth-refresh-token-reuse-cause", causes.clone())),
        }
        traces.retain(|(_, text)| !text.is_empty());
        traces
    }

    /// Returns the redirect URL with the token response in its fragment. A fragment that `target` already has is replaced, because a URL
    /// can have only one fragment (RFC 3986, section 3.5).
    pub(crate) fn as_redirect(&self, target: &str, more: &[(&str, &str)]) -> String {
        let (expires_in, expires_at) = (self.expires_in.to_string(), self.expires_at.to_string());
        let mut pairs = vec![
            ("access_token", self.access_token.as_str()),
            ("token_type", self.token_type),
            ("expires_in", &expires_in),
            ("expires_at", &expires_at),
            ("refresh_token", &self.refresh_token),
            ("sb", ""),
        ];
        pairs.extend_from_slice(more);
        pairs.sort_unstable_by_key(|(name, _)| *name);
        let fragment = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        format!("{}#{fragment}", target.split('#').next().unwrap_or(target))
    }
}
