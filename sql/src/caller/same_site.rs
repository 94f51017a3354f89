//! Detection of cross-site browser requests.

use http::header::{HOST, ORIGIN};
use http::request::Parts;

/// Whether a page of another site caused the request, according to the headers `Origin` and `Sec-Fetch-Site`. `own_origin` is the public
/// origin of this server; it is needed because a proxy may change `Host`. Clients other than browsers send neither header, so their
/// requests are accepted.
#[must_use]
pub fn comes_from_another_site(parts: &Parts, own_origin: Option<&str>) -> bool {
    let text = |name: &str| parts.headers.get(name).map(|value| value.to_str().unwrap_or("?").to_owned());
    let other_origin = text(ORIGIN.as_str()).is_some_and(|origin| {
        let origin_host = origin.split_once("://").map(|(_, host)| host.to_owned());
        own_origin != Some(origin.as_str()) && (origin_host.is_none() || origin_host != host(parts))
    });
    let other_site = text("sec-fetch-site").is_some_and(|site| !matches!(site.as_str(), "same-origin" | "none"));
    // A link on another site may open a page of this server. This is safe, because scripts of the other site cannot read the response of a
    // top-level navigation.
    let navigates = text("sec-fetch-mode").as_deref() == Some("navigate") && parts.method == http::Method::GET;
    other_origin || (other_site && !navigates)
}

/// Returns the host and port of the request. HTTP/2 has host and port in the URI.
fn host(parts: &Parts) -> Option<String> {
    let header = parts.headers.get(HOST).and_then(|value| value.to_str().ok());
    header.map(str::to_owned).or_else(|| parts.uri.authority().map(ToString::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn foreign(method: &str, headers: &[(&str, &str)]) -> bool {
        let mut builder = http::Request::builder().method(method).uri("/").header("host", "127.0.0.1:54321");
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        comes_from_another_site(&builder.body(()).unwrap().into_parts().0, Some("https://club.example"))
    }

    #[test]
    fn other_sites_are_told_from_this_one() {
        assert!(foreign("GET", &[("origin", "https://evil.example")]), "another site's fetch");
        assert!(foreign("GET", &[("origin", "null")]), "a sandboxed page's fetch");
        assert!(foreign("GET", &[("sec-fetch-site", "cross-site")]), "another site's image");
        assert!(foreign("POST", &[("origin", "https://club.example"), ("sec-fetch-site", "same-site")]), "a subdomain");
        let navigation = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
        assert!(foreign("POST", &navigation), "another site's form");
        assert!(!foreign("GET", &navigation), "a link to the page");
        assert!(!foreign("GET", &[]));
        assert!(!foreign("POST", &[("origin", "http://127.0.0.1:54321"), ("sec-fetch-site", "same-origin")]));
        assert!(!foreign("POST", &[("origin", "https://club.example"), ("sec-fetch-site", "same-origin")]), "a proxy");
    }
}
