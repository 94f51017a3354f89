//! Finds the bucket's name in the path of a request, for the access log. As in the router, a word such as `public` is a part of the route
//! only if enough path segments follow it. Otherwise the name of a file would be logged as a bucket, and file names may contain names of
//! people.

use axum::http::Method;

/// Maximum length of a bucket's name in bytes.
const MAX_NAME_BYTES: usize = 100;

/// Returns the bucket's name in a path below the storage API's mount point. `None` for paths without a bucket.
pub(crate) fn of<'a>(method: &Method, path: &'a str) -> Option<&'a str> {
    let (first, rest) = path.trim_start_matches('/').split_once('/')?;
    let rest = match first {
        "bucket" | "archive" | "s3" => rest,
        "render" => rest.strip_prefix("image/")?.split_once('/')?.1,
        "object" if matches!(rest, "copy" | "move") => return None,
        "object" => after_words(method, rest),
        _ => return None,
    };
    let name = rest.split('/').next()?;
    (!name.is_empty() && name.len() <= MAX_NAME_BYTES).then_some(name)
}

/// Removes the route's fixed words, such as `public`, that precede the bucket's name in the path of an object route.
fn after_words<'a>(method: &Method, mut rest: &'a str) -> &'a str {
    let writes = *method == Method::POST || *method == Method::PUT;
    while let Some((word, after)) = rest.split_once('/') {
        let is_word = match word {
            "authenticated" | "public" | "info" => after.contains('/'),
            // In `POST /object/sign/{bucket}` and `POST /object/list/{bucket}`, the path ends with the bucket, because the body contains
            // the object names.
            "sign" => after.contains('/') || *method == Method::POST,
            "list" | "list-v2" => *method == Method::POST,
            "upload" => writes && after.starts_with("sign/"),
            _ => false,
        };
        if !is_word {
            break;
        }
        rest = after;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bucket_is_found_wherever_a_path_has_it() {
        for (method, path, bucket) in [
            (Method::GET, "/object/files/a/b.txt", Some("files")),
            (Method::GET, "/object/public/files/a.txt", Some("files")),
            (Method::GET, "/object/info/public/files/a.txt", Some("files")),
            (Method::PUT, "/object/upload/sign/files/a.txt", Some("files")),
            (Method::POST, "/object/list/files", Some("files")),
            (Method::POST, "/object/sign/files", Some("files")),
            (Method::DELETE, "/object/files", Some("files")),
            (Method::GET, "/render/image/authenticated/files/a.png", Some("files")),
            (Method::POST, "/bucket/files/empty", Some("files")),
            (Method::GET, "/s3/files/a/b", Some("files")),
            (Method::POST, "/object/copy", None),
            (Method::GET, "/bucket", None),
            (Method::POST, "/upload/resumable", None),
            (Method::GET, "/", None),
        ] {
            assert_eq!(of(&method, path), bucket, "{method} {path}");
        }
        assert_eq!(of(&Method::GET, &format!("/object/{}/a", "x".repeat(101))), None);
    }

    #[test]
    fn the_name_of_a_file_is_no_bucket() {
        for bucket in ["public", "info", "sign", "list", "upload", "copy", "image", "authenticated"] {
            assert_eq!(of(&Method::GET, &format!("/object/{bucket}/eilidh.pdf")), Some(bucket));
        }
        assert_eq!(of(&Method::GET, "/object/list/baird/eilidh.pdf"), Some("list"));
        assert_eq!(of(&Method::GET, "/object/upload/sign/eilidh.pdf"), Some("upload"));
    }
}
