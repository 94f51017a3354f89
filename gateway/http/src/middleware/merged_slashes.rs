//! Replaces repeated slashes in a request's path by one, as Supabase's gateway does (Kong's `kong/tools/uri.lua`, `merge_slashes`): clients
//! that join a base URL and a path send paths such as `//rest/v1/boats` and `/storage/v1/object/bucket//folder/a.txt`.

use std::borrow::Cow;

use axum::extract::Request;
use http::Uri;
use http::uri::PathAndQuery;

/// The S3 protocol signs the path as it was sent, and keys of S3 objects may contain repeated slashes.
const S3: &str = "/storage/v1/s3/";

/// Merges repeated slashes in the path of a request. The query stays as it is.
pub(crate) fn merge(request: &mut Request) {
    if let Some(merged) = merged(request.uri()) {
        *request.uri_mut() = merged;
    }
}

/// Returns the URI with merged slashes. `None` if its path contains no repeated slashes, or belongs to the S3 protocol.
fn merged(uri: &Uri) -> Option<Uri> {
    let path = uri.path();
    if !path.contains("//") || path.starts_with(S3) {
        return None;
    }
    let mut previous = None;
    let path: String = path.chars().filter(|&next| previous.replace(next) != Some('/') || next != '/').collect();
    let path_and_query = uri.query().map_or(Cow::Borrowed(path.as_str()), |query| format!("{path}?{query}").into());
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path_and_query.as_ref()).ok()?);
    Uri::from_parts(parts).ok()
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
            ("////", Some("/")),
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
