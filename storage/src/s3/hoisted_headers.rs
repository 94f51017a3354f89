//! Restores the headers that an SDK has moved into the query of a presigned URL (`x-amz-meta-…`, `x-amz-copy-source` and others). The URL's
//! signature covers the query, so each query parameter is treated as the header of the same name.

use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;

use crate::error::{Error, Result};

const PREFIX: &str = "x-amz-";
const CHECKSUM_PREFIX: &str = "x-amz-checksum-";
/// Query parameters that belong to the signature of a presigned URL. They are not restored as headers.
const OF_SIGNATURE: [&str; 8] = [
    "x-amz-algorithm",
    "x-amz-content-sha256",
    "x-amz-credential",
    "x-amz-date",
    "x-amz-expires",
    "x-amz-security-token",
    "x-amz-signature",
    "x-amz-signedheaders",
];
/// Checksums of an empty body in base64. An SDK that presigns a URL before the content is known adds one of these checksums to the query.
/// Such a checksum is ignored.
const OF_NOTHING: [&str; 5] = [
    "AAAAAA==",
    "AAAAAAAAAAA=",
    "2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
    "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    "1B2M2Y8AsgTpgAmY7PhCfg==",
];

/// Adds the headers that were moved into the query to the headers of a request whose signature is verified.
///
/// # Errors
/// 400 if a header has two different values or is invalid.
pub(super) fn add(parts: &mut Parts) -> Result<()> {
    let query = parts.uri.query().unwrap_or_default().to_owned();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = percent_decode_str(name).decode_utf8_lossy().to_ascii_lowercase();
        if !name.starts_with(PREFIX) || OF_SIGNATURE.contains(&name.as_str()) {
            continue;
        }
        let value: Vec<u8> = percent_decode_str(value).collect();
        if name.starts_with(CHECKSUM_PREFIX) && OF_NOTHING.iter().any(|checksum| checksum.as_bytes() == value) {
            continue;
        }
        let header = HeaderName::try_from(&name).ok().zip(HeaderValue::from_bytes(&value).ok());
        let (header, value) = header.ok_or_else(|| invalid(&name))?;
        if parts.headers.get(&header).is_some_and(|sent| *sent != value) {
            return Err(invalid(&name));
        }
        parts.headers.insert(header, value);
    }
    Ok(())
}

fn invalid(name: &str) -> Error {
    Error::S3(400, "InvalidArgument", format!("The parameter {name} of the query is invalid, or is given twice"))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn read(query: &str) -> Result<Parts> {
        let request = Request::get(format!("/k?{query}")).header("x-amz-meta-sent", "1").body(()).unwrap();
        let (mut parts, ()) = request.into_parts();
        add(&mut parts).map(|()| parts)
    }

    #[test]
    fn what_contradicts_a_header_or_itself_is_refused() {
        for query in ["x-amz-meta-sent=2", "x-amz-meta-a=1&X-Amz-Meta-A=2", "x-amz-meta-a=%0A", "x-amz-meta-%C3%A4=1"] {
            assert_eq!(read(query).unwrap_err().code(), "InvalidArgument", "{query}");
        }
    }

    #[test]
    fn parameters_become_headers() {
        let query =
            "X-Amz-Date=1&x-amz-meta-a=x%20y+z&x-amz-meta-sent=1&x-amz-checksum-crc32=AAAAAA%3D%3D&x-id=PutObject";
        let parts = read(query).unwrap();
        assert_eq!(parts.headers["x-amz-meta-a"], "x y+z");
        assert_eq!(parts.headers.len(), 2, "{:?}", parts.headers);
        assert_eq!(read("x-amz-checksum-crc32=DUoRhQ%3D%3D").unwrap().headers["x-amz-checksum-crc32"], "DUoRhQ==");
    }
}
