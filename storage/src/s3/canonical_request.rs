//! Builds the canonical request of AWS Signature Version 4, which is the input of the signature.

use axum::http::request::Parts;
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha2::{Digest, Sha256};

/// Set of all characters that AWS percent-encodes.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Credential scope: the day, region and service for which a signing key is derived.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scope {
    pub(crate) day: String,
    pub(crate) region: String,
    pub(crate) service: String,
}

impl Scope {
    pub(crate) fn text(&self) -> String {
        format!("{}/{}/{}/aws4_request", self.day, self.region, self.service)
    }

    /// Derives the signing key from a secret access key.
    pub(crate) fn key(&self, secret: &str) -> Vec<u8> {
        let start = format!("AWS4{secret}").into_bytes();
        [self.day.as_str(), &self.region, &self.service, "aws4_request"]
            .into_iter()
            .fold(start, |key, part| hmac(&key, part.as_bytes()))
    }
}

pub(crate) fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    // HMAC accepts a key of any length, so this call cannot fail.
    Hmac::<Sha256>::new_from_slice(key)
        .map_or_else(|_| Vec::new(), |mac| mac.chain_update(message).finalize().into_bytes().to_vec())
}

/// Returns the SHA-256 of `bytes` as hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Returns the canonical request. `path` and `host` must be the values that the client signed; a proxy may have changed the path and the
/// host of the request.
pub(crate) fn request(parts: &Parts, path: &str, host: &str, signed_headers: &[String], payload: &str) -> String {
    let header = |name: &str| -> String {
        if name == "host" {
            return host.to_owned();
        }
        let values = parts.headers.get_all(name).iter().map(|value| {
            String::from_utf8_lossy(value.as_bytes()).split_ascii_whitespace().collect::<Vec<_>>().join(" ")
        });
        values.collect::<Vec<_>>().join(",")
    };
    let headers: String = signed_headers.iter().map(|name| format!("{name}:{}\n", header(name))).collect();
    let query = query(parts.uri.query().unwrap_or_default());
    format!("{}\n{path}\n{query}\n{headers}\n{}\n{payload}", parts.method, signed_headers.join(";"))
}

/// Returns the URL query in the encoding and order of AWS, without the signature parameter.
fn query(raw: &str) -> String {
    let encode = |text: &str| {
        let decoded = percent_decode_str(text).decode_utf8_lossy().into_owned();
        utf8_percent_encode(&decoded, UNRESERVED).to_string()
    };
    let mut pairs: Vec<(String, String)> = raw
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .filter(|(name, _)| *name != "X-Amz-Signature")
        .map(|(name, value)| (encode(name), encode(value)))
        .collect();
    pairs.sort();
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    /// Tests the example for GET Object in AWS's documentation of Signature Version 4.
    #[test]
    fn the_published_example() {
        let (parts, ()) = Request::get("/test.txt")
            .header("range", "bytes=0-9")
            .header("x-amz-content-sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
            .header("x-amz-date", "20130524T000000Z")
            .body(())
            .unwrap()
            .into_parts();
        let signed = ["host", "range", "x-amz-content-sha256", "x-amz-date"].map(str::to_owned);
        let canonical = request(
            &parts,
            "/test.txt",
            "examplebucket.s3.amazonaws.com",
            &signed,
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        );
        assert_eq!(sha256(canonical.as_bytes()), "7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972");
        let scope = Scope { day: "20130524".into(), region: "us-east-1".into(), service: "s3".into() };
        let text = format!("AWS4-HMAC-SHA256\n20130524T000000Z\n{}\n{}", scope.text(), sha256(canonical.as_bytes()));
        let signature = hmac(&scope.key("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), text.as_bytes());
        assert_eq!(hex::encode(signature), "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    }

    #[test]
    fn the_query_is_encoded_and_sorted() {
        assert_eq!(query("uploads&b=2&a=x%20y+z&X-Amz-Signature=q"), "a=x%20y%2Bz&b=2&uploads=");
    }
}
