//! Replaces repeated slashes in a request's path by one, as Supabase's gateway does (Kong's `kong/tools/uri.lua`, `merge_slashes`): clients
//! that join a base URL and a path send paths such as `//rest/v1/boats` and `/storage/v1/object/bucket//folder/a.txt`.

use std::borrow::Cow;

use axum::extract::Request;
use http::Uri;
use http::uri::PathAndQuery;

/// Prefixes of the paths that Supabase's gateway passes to an API.
const APIS: [&str; 6] = ["/rest/v1", "/auth/v1", "/storage/v1", "/realtime/v1", "/graphql/v1", FUNCTIONS];
/// The path after the function's name belongs to the function, and can contain a URL.
const FUNCTIONS: &str = "/functions/v1/";
/// The S3 protocol signs the path as it was sent, and keys of S3 objects may contain repeated slashes.
const S3: &str = "/storage/v1/s3/";
const STORAGE: &str = "/storage/v1/";

/// Merges repeated slashes in the path of a request. The query stays as it is.
pub(crate) fn merge(request: &mut Request) {
    if let Some(merged) = merged(request.uri()) {
        *request.uri_mut() = merged;
    }
}

/// Returns the URI with merged slashes. `None` if its path contains no repeated slashes, belongs to no API, or has a signature that
/// includes the slashes.
fn merged(uri: &Uri) -> Option<Uri> {
    let (path, query) = (uri.path(), uri.query());
    if !path.contains("//") || path.starts_with(S3) || is_signed_url(path, query) {
        return None;
    }
    let path = merged_path(path);
    if !APIS.iter().any(|prefix| path.starts_with(prefix)) {
        return None;
    }
    let path_and_query = query.map_or(Cow::Borrowed(path.as_str()), |query| format!("{path}?{query}").into());
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path_and_query.as_ref()).ok()?);
    Uri::from_parts(parts).ok()
}

/// Whether the request has the token of a signed URL. The token contains the object's key, which may have repeated slashes.
fn is_signed_url(path: &str, query: Option<&str>) -> bool {
    let has_token = query.is_some_and(|query| query.split('&').any(|pair| pair.starts_with("token=")));
    path.starts_with(STORAGE) && has_token
}

fn merged_path(path: &str) -> String {
    let mut merged = String::with_capacity(path.len());
    for next in path.chars() {
        let is_in_function = merged.len() > FUNCTIONS.len() && merged.starts_with(FUNCTIONS);
        if next != '/' || is_in_function || !merged.ends_with('/') {
            merged.push(next);
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slashes_of_the_path_are_merged() {
        for (sent, expected) in [
            ("//rest/v1/boats?select=*", Some("/rest/v1/boats?select=*")),
            ("/rest/v1///boats//?url=https://x.example//a", Some("/rest/v1/boats/?url=https://x.example//a")),
            ("/storage/v1/object/b//folder///a.txt", Some("/storage/v1/object/b/folder/a.txt")),
            ("/functions//v1//proxy/https://x.example//a", Some("/functions/v1/proxy/https://x.example//a")),
            ("//_//api/project", None),
            ("//metrics", None),
            ("////", None),
            ("/storage/v1/object/sign/b/a//b?token=x.y.z", None),
            ("http://host.example//auth//v1/user", Some("http://host.example/auth/v1/user")),
            ("/rest/v1/boats?name=eq.a//b", None),
            ("/storage/v1/object/b/a%2F%2Fb", None),
            ("/storage/v1/s3/bucket//folder//a.txt", None),
            ("/", None),
            ("*", None),
        ] {
            let merged = merged(&sent.parse().unwrap()).map(|uri| uri.to_string());
            assert_eq!(merged.as_deref(), expected, "{sent}");
        }
    }
}
