//! Serves files at a separate host name (`[storage] public_host`), as large websites do for files that users have uploaded. If a browser
//! executes a script in such a file, the script does not run on the origin at which users are signed in.

use std::net::IpAddr;

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::header::{HOST, LOCATION};
use http::uri::{Authority, Scheme};
use http::{HeaderMap, Method, StatusCode};

/// Path prefixes of files that browsers can open by URL. Downloads below other paths need a token in a header, so a link cannot open them.
const FILE_PATHS: [&str; 4] = [
    "/storage/v1/object/public/",
    "/storage/v1/object/sign/",
    "/storage/v1/render/image/public/",
    "/storage/v1/render/image/sign/",
];

/// Separate host for files. `None` if no such host is configured, and files are served at every host.
#[derive(Clone, Debug, Default)]
pub struct FileHost(Option<Files>);

#[derive(Clone, Debug)]
struct Files {
    scheme: Scheme,
    host: Authority,
}

impl FileHost {
    /// Creates the file host. `is_https`: whether redirects to `host` use HTTPS. It must be true if the server's public URL uses HTTPS.
    #[must_use]
    pub fn new(host: Option<Authority>, is_https: bool) -> Self {
        let scheme = if is_https { Scheme::HTTPS } else { Scheme::HTTP };
        Self(host.map(|host| Files { scheme, host }))
    }

    /// Returns the response to a request that was sent to the wrong host: a redirect to the file host if the request is for a file, or
    /// status 404 if a request at the file host is not for a file. `None` for all other requests.
    pub(crate) fn response(&self, request: &Request) -> Option<Response> {
        let Files { scheme, host } = self.0.as_ref()?;
        let asked_host = authority(request.headers());
        let is_file = matches!(*request.method(), Method::GET | Method::HEAD)
            && FILE_PATHS.iter().any(|prefix| request.uri().path().starts_with(prefix));
        let is_file_host = asked_host.as_ref() == Some(host);
        match (is_file_host, is_file) {
            (true, true) | (false, false) => None,
            (true, false) => Some((StatusCode::NOT_FOUND, "This host serves files only.").into_response()),
            (false, true) if asked_host.is_none_or(|host| is_loopback(&host)) => None,
            (false, true) => {
                let path = request.uri().path_and_query()?;
                let location = format!("{scheme}://{host}{path}");
                Some((StatusCode::TEMPORARY_REDIRECT, [(LOCATION, location)]).into_response())
            }
        }
    }
}

fn authority(headers: &HeaderMap) -> Option<Authority> {
    headers.get(HOST)?.to_str().ok()?.parse().ok()
}

/// Whether a host is a loopback address. Requests to such a host are not redirected: functions send them, and the name of the file host may
/// not be resolvable on this machine.
fn is_loopback(host: &Authority) -> bool {
    let name = host.host().trim_matches(['[', ']']);
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    const FILE: &str = "/storage/v1/object/public/b/a%20b.svg?download=";

    fn ask(own_host: Option<&str>, method: Method, host: &str, path: &str) -> Option<(StatusCode, Option<String>)> {
        let files = FileHost::new(own_host.map(|host| host.parse().unwrap()), true);
        let request = Request::builder().method(method).uri(path).header(HOST, host).body(Body::empty()).unwrap();
        let response = files.response(&request)?;
        let location = response.headers().get(LOCATION).map(|value| value.to_str().unwrap().to_owned());
        Some((response.status(), location))
    }

    #[test]
    fn no_file_is_served_at_the_host_of_the_app() {
        let redirect = |path| Some((StatusCode::TEMPORARY_REDIRECT, Some(format!("https://files.club.org{path}"))));
        let sign = "/storage/v1/object/sign/b/a?token=x";
        let render = "/storage/v1/render/image/public/b/a?width=1";
        for path in [FILE, sign, render] {
            for method in [Method::GET, Method::HEAD] {
                assert_eq!(ask(Some("files.club.org"), method, "club.org", path), redirect(path), "{path}");
            }
        }
    }

    #[test]
    fn nothing_else_is_served_at_the_host_of_files() {
        let not_found = Some((StatusCode::NOT_FOUND, None));
        for path in ["/", "/rest/v1/schools", "/auth/v1/token", "/storage/v1/object/b/a", "/storage/v1/bucket"] {
            assert_eq!(ask(Some("files.club.org"), Method::GET, "FILES.club.org", path), not_found, "{path}");
        }
        assert_eq!(ask(Some("files.club.org"), Method::POST, "files.club.org", FILE), not_found);
    }

    #[test]
    fn files_at_their_host_and_everything_else_at_others_is_served() {
        assert_eq!(ask(Some("files.club.org"), Method::GET, "files.club.org", FILE), None);
        assert_eq!(ask(Some("files.club.org"), Method::GET, "club.org", "/storage/v1/bucket"), None);
        assert_eq!(ask(Some("files.club.org"), Method::POST, "club.org", "/storage/v1/object/sign/b/a"), None);
        assert_eq!(ask(Some("files.club.org"), Method::GET, "127.0.0.1:54321", FILE), None);
        assert_eq!(ask(None, Method::GET, "club.org", FILE), None);
    }
}
