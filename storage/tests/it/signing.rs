//! Requests of the S3 protocol, signed as AWS Signature Version 4 wants it.

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

impl Asked<'_> {
    /// Signs method, path and query. The query's parameters are in order, and need no encoding.
    pub(crate) fn signed(self) -> Self {
        let uri = self.builder.uri_ref().unwrap().clone();
        self.signed_for(&uri)
    }

    /// Signs another path and query than those that are asked for.
    pub(crate) fn signed_for(self, uri: &Uri) -> Self {
        self.signed_with(uri, (ID, SECRET))
    }

    /// Signs as whoever a token is of: with the key pair that everybody knows.
    pub(crate) fn signed_by(self, token: &str) -> Self {
        let uri = self.builder.uri_ref().unwrap().clone();
        self.signed_with(&uri, ("stub", ANON_KEY)).header("x-amz-security-token", token)
    }

    fn signed_with(self, uri: &Uri, (id, secret): (&str, &str)) -> Self {
        let method = self.builder.method_ref().unwrap().clone();
        let date = Utc::now().format("%Y%m%dT%H%M%SZ").to_string();
        let query: Vec<String> = uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| if pair.contains('=') { pair.to_owned() } else { format!("{pair}=") })
            .collect();
        let canonical = format!(
            "{method}\n/storage/v1{}\n{}\nhost:localhost\nx-amz-date:{date}\n\nhost;x-amz-date\nUNSIGNED-PAYLOAD",
            uri.path(),
            query.join("&"),
        );
        let scope = format!("{}/us-east-1/s3/aws4_request", &date[..8]);
        let key = scope.split('/').fold(format!("AWS4{secret}").into_bytes(), |key, part| hmac(&key, part));
        let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", hex::encode(Sha256::digest(canonical)));
        let signature = hex::encode(hmac(&key, &text));
        self.header("host", "localhost").header("x-amz-date", &date).header(
            "authorization",
            &format!("AWS4-HMAC-SHA256 Credential={id}/{scope}, SignedHeaders=host;x-amz-date, Signature={signature}"),
        )
    }
}
