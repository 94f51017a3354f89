//! Access control of the inbox: its mails contain sign-in links.
//!
//! Access needs the inbox key, which the start prints as part of a link, or the service key. Without a key, a loopback client has access if
//! the project is used on this machine only (see [`crate::Settings::local_inbox`]). Requests that another site caused a browser to send are
//! refused, by `Origin` and `Sec-Fetch-Site`.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cloch_sql::caller;
use http::header::{
    CACHE_CONTROL, COOKIE, HOST, LOCATION, ORIGIN, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{HeaderValue, StatusCode};

use super::page::PATH;
use crate::Mailer;

/// The cookie that holds the inbox's key.
const COOKIE_NAME: &str = "cloch-inbox";
/// Seconds for which a browser keeps the cookie.
const COOKIE_MAX_AGE_SECONDS: u32 = 7 * 24 * 3600;

/// Refuses requests without access with 403, and marks responses as not cacheable.
pub(super) async fn guard(State(mailer): State<Mailer>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let key = &mailer.settings().inbox_key;
    if key_of_link(&parts).is_some_and(|given| key.matches(&given)) {
        return hand_over_key(&mailer);
    }
    let is_server = caller::of_request(&parts).is_ok_and(|caller| caller.is_service_role());
    let holds_key = key_of_cookie(&parts).is_some_and(|given| key.matches(given));
    let is_local = mailer.settings().opens_inbox_locally() && caller::is_local(&parts);
    if !is_server && !((holds_key || is_local) && !comes_from_another_site(&parts)) {
        let message = "The inbox opens with the link that the start prints, and with the service key.\n";
        return (StatusCode::FORBIDDEN, message).into_response();
    }
    protected(next.run(Request::from_parts(parts, body)).await)
}

fn protected(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Moves the key from the URL, which browsers display and remember, into a cookie that scripts cannot read and other sites cannot send.
fn hand_over_key(mailer: &Mailer) -> Response {
    let settings = mailer.settings();
    let secure = if settings.inbox_is_https { "; Secure" } else { "" };
    let cookie = format!(
        "{COOKIE_NAME}={}; Path={PATH}; Max-Age={COOKIE_MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax{secure}",
        settings.inbox_key.expose(),
    );
    protected((StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, PATH.to_owned())]).into_response())
}

/// `?key=…` of the link that the start prints.
fn key_of_link(parts: &Parts) -> Option<String> {
    if parts.method != http::Method::GET {
        return None;
    }
    let query = parts.uri.query()?;
    let (_, key) = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "key")?;
    Some(key.into_owned())
}

fn key_of_cookie(parts: &Parts) -> Option<&str> {
    let cookies = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(name, value)| (name == COOKIE_NAME).then_some(value))
}

/// The host and port that a request names; HTTP/2 puts them into the URI.
fn host(parts: &Parts) -> Option<String> {
    let header = parts.headers.get(HOST).and_then(|value| value.to_str().ok());
    header.map(str::to_owned).or_else(|| parts.uri.authority().map(ToString::to_string))
}

fn comes_from_another_site(parts: &Parts) -> bool {
    let text = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap_or("?").to_owned());
    let other_origin = text(ORIGIN.as_str()).is_some_and(|origin| {
        let origin_host = origin.split_once("://").map(|(_, host)| host.to_owned());
        origin_host.is_none() || origin_host != host(parts)
    });
    let other_site = text("sec-fetch-site").is_some_and(|site| !matches!(site.as_str(), "same-origin" | "none"));
    // A link on another site may open the page: that is a top-level navigation, and no script of that site can read the response.
    let navigates = text("sec-fetch-mode").as_deref() == Some("navigate") && parts.method == http::Method::GET;
    other_origin || (other_site && !navigates)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn foreign(method: &str, headers: &[(&str, &str)]) -> bool {
        let mut builder = Request::builder().method(method).uri("/").header("host", "127.0.0.1:54321");
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        comes_from_another_site(&builder.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn other_sites_are_told_from_the_inbox_itself() {
        assert!(foreign("GET", &[("origin", "https://evil.example")]), "another site's fetch");
        assert!(foreign("GET", &[("origin", "null")]), "a sandboxed page's fetch");
        assert!(foreign("GET", &[("sec-fetch-site", "cross-site")]), "another site's image");
        let navigation = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        assert!(foreign("POST", &navigation), "another site's form");
        assert!(!foreign("GET", &navigation), "a link to the inbox");
        assert!(!foreign("GET", &[]));
        assert!(!foreign("POST", &[("origin", "http://127.0.0.1:54321"), ("sec-fetch-site", "same-origin")]));
    }
}
