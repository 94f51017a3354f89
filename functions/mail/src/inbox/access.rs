//! Access control of the mail inbox, whose mails contain sign-in links.
//!
//! Access requires the inbox key or the secret key. Cloch prints a link with the inbox key when it starts. Without a key, a client on the same
//! machine (loopback address) has access if the project is used only on this machine (see [`crate::Settings::local_inbox`]). Cross-site requests of a
//! browser are refused, based on the headers `Origin` and `Sec-Fetch-Site`.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cloch_sql::caller;
use http::header::{CACHE_CONTROL, COOKIE, LOCATION, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use http::{HeaderValue, StatusCode};

use super::page::PATH;
use crate::{Mailer, Settings};

const COOKIE_NAME: &str = "cloch-inbox";
/// Lifetime in seconds of the cookie that contains the inbox key.
const COOKIE_MAX_AGE_SECONDS: u32 = 7 * 24 * 3600;

/// Returns status 403 for requests without access to the inbox, and marks responses as not cacheable.
pub(super) async fn guard(State(mailer): State<Mailer>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let settings = mailer.settings();
    let key = &settings.inbox_key;
    if key_of_link(&parts).is_some_and(|given| key.matches(&given)) {
        return hand_over_key(&settings);
    }
    let is_server = caller::of_request(&parts).is_ok_and(|caller| caller.is_service_role());
    let holds_key = key_of_cookie(&parts).is_some_and(|given| key.matches(given));
    let is_local = settings.opens_inbox_locally() && caller::is_local(&parts);
    if !is_server && !((holds_key || is_local) && !caller::comes_from_another_site(&parts, None)) {
        let message = "The inbox opens with the link that the start prints, and with the secret key.\n";
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

/// Moves the inbox key from the URL into a cookie. Browsers display URLs and store them in the history; scripts cannot read the cookie, and
/// other sites cannot send it.
fn hand_over_key(settings: &Settings) -> Response {
    let secure = if settings.inbox_is_https { "; Secure" } else { "" };
    let cookie = format!(
        "{COOKIE_NAME}={}; Path={PATH}; Max-Age={COOKIE_MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax{secure}",
        settings.inbox_key.expose(),
    );
    protected((StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, PATH.to_owned())]).into_response())
}

/// Returns the inbox key in the request's parameter `?key=…`. The link that Cloch prints when it starts contains this parameter. `None` if the
/// parameter is absent or the method is not GET.
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
