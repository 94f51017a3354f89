//! Session cookie of the dashboard. Scripts cannot read the cookie (`HttpOnly`), requests from other sites do not contain it
//! (`SameSite=Strict`), and it is sent only for paths below `/_`.

use http::HeaderValue;
use http::header::COOKIE;
use http::request::Parts;

const PATH: &str = "/_";
const NAME: &str = "cloch-dashboard";
/// Cookie name for HTTPS: browsers accept the prefix `__Secure-` only over HTTPS.
const SECURE_NAME: &str = "__Secure-cloch-dashboard";

/// Returns the value of the request's session cookie. `None` if the cookie is missing, or present more than once because an attacker has set
/// a second cookie.
pub(super) fn of_request(parts: &Parts, is_https: bool) -> Option<&str> {
    let cookies = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(name, _)| *name == name_of(is_https)).map(|(_, value)| value);
    let value = values.next()?;
    values.next().is_none().then_some(value)
}

/// Returns a `Set-Cookie` header for a session token. An empty token with a `max_age_seconds` of 0 removes the cookie.
pub(super) fn header(token: &str, max_age_seconds: u64, is_https: bool) -> Option<HeaderValue> {
    let secure = if is_https { "; Secure" } else { "" };
    let name = name_of(is_https);
    let text = format!("{name}={token}; Path={PATH}; Max-Age={max_age_seconds}; HttpOnly; SameSite=Strict{secure}");
    HeaderValue::from_str(&text).ok()
}

fn name_of(is_https: bool) -> &'static str {
    if is_https { SECURE_NAME } else { NAME }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cookies: &[&str], is_https: bool) -> Option<String> {
        let mut builder = http::Request::builder();
        for cookie in cookies {
            builder = builder.header(COOKIE, *cookie);
        }
        let parts = builder.body(()).unwrap().into_parts().0;
        of_request(&parts, is_https).map(str::to_owned)
    }

    #[test]
    fn only_the_one_cookie_of_this_name_counts() {
        assert_eq!(read(&["a=b; cloch-dashboard=x; c=d"], false).as_deref(), Some("x"));
        assert_eq!(read(&["cloch-dashboard=x"], true), None, "a cookie that plain http may have set");
        assert_eq!(read(&["cloch-dashboard=x; cloch-dashboard=y"], false), None, "one was planted");
        assert_eq!(read(&["a=b"], false), None);
        let text = header("t", 60, true).unwrap();
        assert_eq!(text, "__Secure-cloch-dashboard=t; Path=/_; Max-Age=60; HttpOnly; SameSite=Strict; Secure");
    }
}
