//! Builds redirects for a browser that followed a link.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::error::{AuthError, Result};

/// Redirects the browser to `location` with status 303. The calling function must have checked that `location` is in the allow-list.
pub(crate) fn see_other(location: &str) -> Result<Response> {
    redirect(StatusCode::SEE_OTHER, location)
}

/// Redirects the browser to `location`. Characters that are invalid in a header are percent-encoded.
pub(crate) fn redirect(status: StatusCode, location: &str) -> Result<Response> {
    let location = HeaderValue::from_str(location)
        .or_else(|_| HeaderValue::from_str(Url::parse(location).as_ref().map_or("/", Url::as_str)))
        .map_err(|error| AuthError::internal("Unable to redirect", error))?;
    let headers = [(header::LOCATION, location), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    Ok((status, headers).into_response())
}

pub(crate) fn code(target: &str, code: &str) -> String {
    with_query(target, &[("code", code)])
}

/// Returns the redirect URL with a message in its fragment and, in a PKCE flow, also in its query.
pub(crate) fn message(target: &str, message: &str, pkce: bool) -> String {
    let pairs = [("message", message), ("sb", "")];
    let in_query = if pkce { 1 } else { 0 };
    let base = with_query(target, pairs.get(..in_query).unwrap_or_default());
    with_fragment(&base, &pairs)
}

/// Returns the redirect URL with an error in its fragment and, in a PKCE flow, also in its query.
pub(crate) fn error(target: &str, error: &AuthError, pkce: bool) -> String {
    let name = match error.status().as_u16() {
        400 => Some("invalid_request"),
        401 => Some("unauthorized_client"),
        403 => Some("access_denied"),
        500 => Some("server_error"),
        503 => Some("temporarily_unavailable"),
        _ => None,
    };
    let mut pairs: Vec<(&str, &str)> = name.map(|name| ("error", name)).into_iter().collect();
    pairs.push(("error_code", error.code()));
    pairs.push(("error_description", error.message()));
    let base = if pkce { with_query(target, &pairs) } else { target.to_owned() };
    pairs.push(("sb", ""));
    with_fragment(&base, &pairs)
}

/// Returns the URL with `pairs` added to its query. Replaces existing parameters of the same names, and sorts all parameters by name.
pub(crate) fn with_query(address: &str, pairs: &[(&str, &str)]) -> String {
    let (address, fragment) = match address.split_once('#') {
        Some((address, fragment)) => (address, format!("#{fragment}")),
        None => (address, String::new()),
    };
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let mut all: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .filter(|(name, _)| pairs.iter().all(|(new, _)| new != name))
        .collect();
    all.extend(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    if all.is_empty() {
        return format!("{path}{fragment}");
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let query = Serializer::new(String::new()).extend_pairs(all).finish();
    format!("{path}?{query}{fragment}")
}

/// Returns the URL with `pairs` as its fragment. As in GoTrue, the encoded fragment is percent-encoded a second time: every `%` becomes
/// `%25`.
pub(crate) fn with_fragment(base: &str, pairs: &[(&str, &str)]) -> String {
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable();
    let fragment = Serializer::new(String::new()).extend_pairs(pairs).finish().replace('%', "%25");
    format!("{}#{fragment}", base.split('#').next().unwrap_or(base))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_stand_in_the_fragment() {
        let expired = AuthError::forbidden("otp_expired", "Email link is invalid or has expired");
        assert_eq!(
            error("http://x/a?b=c#d", &expired, false),
            "http://x/a?b=c#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb="
        );
        assert_eq!(
            error("http://x/a?z=1", &expired, true),
            "http://x/a?error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&z=1\
             #error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb="
        );
        let odd = AuthError::validation("a, b");
        assert!(error("http://x/", &odd, false).contains("error_description=a%252C+b"));
    }

    #[test]
    fn a_code_joins_the_query() {
        assert_eq!(code("http://x/a?b=c", "1"), "http://x/a?b=c&code=1");
        assert_eq!(code("http://x/a", "1"), "http://x/a?code=1");
        assert_eq!(code("app://callback", "1"), "app://callback?code=1");
    }
}
