//! Signs requests of the S3 protocol with AWS Signature Version 4.

use axum::http::Uri;
use chrono::Utc;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::support::Asked;

pub(crate) const ID: &str = "test-key";
pub(crate) const SECRET: &str = "test-secret";
pub(crate) const ANON_KEY: &str = "anon-key";

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(text).finalize().into_bytes().to_vec()
}

/// Data for signing the chunks of a request body.
pub(crate) struct Seed {
    key: Vec<u8>,
    date: String,
    scope: String,
    previous: String,
}

impl Seed {
    pub(crate) fn chunk(&mut self, bytes: &str) -> String {
        let hashes = format!("{}\n{}", sha256(""), sha256(bytes));
        self.sign("AWS4-HMAC-SHA256-PAYLOAD", &hashes)
    }

    pub(crate) fn trailer(&mut self, line: &str) -> String {
        self.sign("AWS4-HMAC-SHA256-TRAILER", &sha256(&format!("{line}\n")))
    }

    fn sign(&mut self, kind: &str, hashes: &str) -> String {
        let text = format!("{kind}\n{}\n{}\n{}\n{hashes}", self.date, self.scope, self.previous);
        self.previous = hex::encode(hmac(&self.key, &text));
        self.previous.clone()
    }
}

fn sha256(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

/// Returns a presigned GET URL of an object, as if it was signed `age_seconds` ago.
pub(crate) fn presigned(path: &str, age_seconds: i64, expires: i64) -> String {
    presigned_for("GET", path, age_seconds, expires)
}

/// Returns a presigned URL like [`presigned`], for the HTTP method `method`.
pub(crate) fn presigned_for(method: &str, path: &str, age_seconds: i64, expires: i64) -> String {
    presigned_query(method, path, (age_seconds, expires), "")
}

/// Returns a presigned URL with additional parameters, which must be in alphabetical order and follow the signature's parameters.
pub(crate) fn presigned_with(method: &str, path: &str, parameters: &str) -> String {
    presigned_query(method, path, (1, 60), parameters)
}

fn presigned_query(method: &str, path: &str, (age_seconds, expires): (i64, i64), parameters: &str) -> String {
    let date = (Utc::now() - chrono::TimeDelta::seconds(age_seconds)).format("%Y%m%dT%H%M%SZ").to_string();
    let scope = format!("{}/us-east-1/s3/aws4_request", &date[..8]);
    let credential = format!("{ID}/{scope}").replace('/', "%2F");
    let parameters = if parameters.is_empty() { String::new() } else { format!("&{parameters}") };
    let query = format!(
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={credential}&X-Amz-Date={date}&X-Amz-Expires={expires}\
         &X-Amz-SignedHeaders=host{parameters}"
    );
    let canonical = format!("{method}\n/storage/v1{path}\n{query}\nhost:localhost\n\nhost\nUNSIGNED-PAYLOAD");
    let key = scope.split('/').fold(format!("AWS4{SECRET}").into_bytes(), |key, part| hmac(&key, part));
    let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", sha256(&canonical));
    format!("{path}?{query}&X-Amz-Signature={}", hex::encode(hmac(&key, &text)))
}

/// Data for signing a request: the path and query to sign, and the key pair. This path and query may differ from those of the request.
pub(crate) struct Signing {
    uri: Uri,
    keys: (&'static str, &'static str),
}

impl Asked<'_> {
    /// Signs the method, path and query of the request. The query parameters must be in alphabetical order and need no encoding.
    pub(crate) fn signed(self) -> Self {
        let uri = self.builder.uri_ref().unwrap().clone();
        self.signed_for(&uri)
    }

    /// Signs the path and query of `uri`, which may differ from the path and query of the request.
    pub(crate) fn signed_for(mut self, uri: &Uri) -> Self {
        self.signing = Some(Signing { uri: uri.clone(), keys: (ID, SECRET) });
        self
    }

    /// Signs the request with a session token and the public key pair.
    pub(crate) fn signed_by(mut self, token: &str) -> Self {
        let uri = self.builder.uri_ref().unwrap().clone();
        self.signing = Some(Signing { uri, keys: ("stub", ANON_KEY) });
        self.header("x-amz-security-token", token)
    }

    /// Signs a request whose body has the given format of `x-amz-content-sha256`, with the headers set so far. Also returns the data for
    /// signing the body.
    pub(crate) fn signed_in_form(self, form: &str) -> (Self, Seed) {
        let uri = self.builder.uri_ref().unwrap().clone();
        let (asked, seed) = self.signed_as(&uri, (ID, SECRET), form);
        (asked.header("x-amz-content-sha256", form), seed)
    }

    /// Signs the request with the headers set so far, if a signature was requested.
    pub(crate) fn sign(mut self) -> Self {
        match self.signing.take() {
            Some(Signing { uri, keys }) => self.signed_as(&uri, keys, "UNSIGNED-PAYLOAD").0,
            None => self,
        }
    }

    fn signed_as(self, uri: &Uri, (id, secret): (&str, &str), form: &str) -> (Self, Seed) {
        let method = self.builder.method_ref().unwrap().clone();
        let date = Utc::now().format("%Y%m%dT%H%M%SZ").to_string();
        let query: Vec<String> = uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| if pair.contains('=') { pair.to_owned() } else { format!("{pair}=") })
            .collect();
        let asked = self.header("host", "localhost").header("x-amz-date", &date);
        let headers = asked.builder.headers_ref().unwrap();
        let mut names: Vec<&str> = headers.keys().map(|name| name.as_str()).collect();
        names.retain(|name| *name == "host" || name.starts_with("x-amz-"));
        names.sort_unstable();
        let line = |name: &&str| {
            let values: Vec<_> =
                headers.get_all(*name).iter().map(|value| value.to_str().unwrap_or_default()).collect();
            format!("{name}:{}\n", values.join(","))
        };
        let (lines, names) = (names.iter().map(line).collect::<String>(), names.join(";"));
        let path = uri.path();
        let canonical = format!("{method}\n/storage/v1{path}\n{}\n{lines}\n{names}\n{form}", query.join("&"));
        let scope = format!("{}/us-east-1/s3/aws4_request", &date[..8]);
        let key = scope.split('/').fold(format!("AWS4{secret}").into_bytes(), |key, part| hmac(&key, part));
        let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", sha256(&canonical));
        let signature = hex::encode(hmac(&key, &text));
        let authorization =
            format!("AWS4-HMAC-SHA256 Credential={id}/{scope}, SignedHeaders={names}, Signature={signature}");
        let asked = asked.header("authorization", &authorization);
        (asked, Seed { key, date, scope, previous: signature })
    }
}
