//! Verifies AWS Signature Version 4, in the `Authorization` header or in the query of a presigned URL.

use std::collections::BTreeMap;

use axum::http::HeaderName;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use cloch_core::Secret;
use cloch_sql::Caller;
use cloch_sql::caller::TokenError;
use cloch_sql::caller::roles::RoleError;

use super::canonical_request::{Scope, hmac, request, sha256};
use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::http_headers::header;
use crate::state::StorageState;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const UNSIGNED_PAYLOAD: &str = "UNSIGNED-PAYLOAD";
const MISMATCH: &str =
    "The request signature we calculated does not match the signature you provided. Check your key and signing method.";
/// `x-amz-…` headers that need not be among the signed headers. Date and hash are already a part of the signed text. `x-amz-user-agent` and
/// `x-amz-cf-id` (added by CloudFront) have no effect.
const COVERED_HEADERS: [&str; 4] = ["x-amz-content-sha256", "x-amz-date", "x-amz-user-agent", "x-amz-cf-id"];
/// Maximum validity period of a presigned URL in seconds.
const MAX_EXPIRES_SECONDS: i64 = 7 * 24 * 60 * 60;
/// Maximum difference between the client's clock and the server's clock in seconds.
const MAX_CLOCK_SKEW_SECONDS: i64 = 15 * 60;

/// Data of a request with a verified signature.
#[derive(Clone, Debug)]
pub(crate) struct Signed {
    pub(crate) caller: Caller,
    /// Signature chain for the chunks of the body.
    pub(crate) chain: Chain,
    /// Value of `x-amz-content-sha256`: a hash, `UNSIGNED-PAYLOAD`, or a chunked format.
    pub(crate) payload: String,
}

/// Data for verifying the signatures of a body's chunks.
#[derive(Clone)]
pub(crate) struct Chain {
    pub(crate) key: Vec<u8>,
    pub(crate) date: String,
    pub(crate) scope: String,
    /// Signature of the previous chunk. For the first chunk, the signature in the request's `Authorization` header.
    pub(crate) previous: String,
}

impl std::fmt::Debug for Chain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chain").field("scope", &self.scope).finish_non_exhaustive()
    }
}

/// Components of a signature, as sent by the client and not verified yet.
#[derive(Debug)]
struct Claimed {
    access_key: String,
    scope: Scope,
    signed_headers: Vec<String>,
    signature: String,
    date: String,
    payload: String,
    session_token: Option<String>,
    /// Validity period of a presigned URL in seconds.
    expires: Option<i64>,
}

fn malformed() -> Error {
    Error::InvalidSignature("Invalid signature format")
}

fn denied(message: &str) -> Error {
    Error::AccessDenied(message.to_owned())
}

fn mismatch() -> Error {
    Error::S3(403, "SignatureDoesNotMatch", MISMATCH.to_owned())
}

/// Verifies the signature of a request.
///
/// # Errors
/// 403 if the signature is missing or wrong, 400 if it is malformed or has expired.
pub(crate) async fn verify(state: &StorageState, parts: &Parts) -> Result<Signed> {
    let claimed = claimed(parts)?;
    check_scope(state, &claimed.scope)?;
    check_time(&claimed)?;
    check_signed_headers(parts, &claimed.signed_headers)?;
    let token = claimed.session_token.as_deref();
    let key = claimed.scope.key(secret(state, &claimed.access_key, token)?.expose());
    // Clients sign the external path of the request, which begins with the configured prefix. No request header can change this prefix:
    // otherwise a presigned URL of one object would be valid for another object.
    let prefix = state.settings().base_path.trim_end_matches('/');
    let authority = parts.uri.authority().map(Authority::as_str);
    let hosts = [header(&parts.headers, "host"), authority, header(&parts.headers, "x-forwarded-host")];
    let paths = signed_paths(prefix, parts.uri.path());
    let forms = hosts.into_iter().flatten().flat_map(|host| paths.iter().map(move |path| (host, path)));
    let good = { forms }.any(|(host, path)| {
        let canonical = request(parts, path, host, &claimed.signed_headers, &claimed.payload);
        let text = format!("{ALGORITHM}\n{}\n{}\n{}", claimed.date, claimed.scope.text(), sha256(canonical.as_bytes()));
        Secret::new(hex::encode(hmac(&key, text.as_bytes()))).matches(&claimed.signature)
    });
    if !good {
        return Err(mismatch());
    }
    let caller = caller(state, token).await?;
    let chain = Chain { key, date: claimed.date, scope: claimed.scope.text(), previous: claimed.signature };
    // If the presigned URL does not contain the payload format, the header determines it.
    let sent = header(&parts.headers, "x-amz-content-sha256").filter(|_| claimed.payload == UNSIGNED_PAYLOAD);
    let payload = sent.map_or(claimed.payload, str::to_owned);
    Ok(Signed { caller, chain, payload })
}

/// Refuses `x-amz-…` headers that are not signed, as AWS does, because such headers select a copy source, an access list or metadata.
fn check_signed_headers(parts: &Parts, signed: &[String]) -> Result<()> {
    let is_signed = |name: &str| signed.iter().any(|other| other == name);
    if !is_signed("host") {
        return Err(malformed());
    }
    let mut ours = parts.headers.keys().map(HeaderName::as_str).filter(|name| name.starts_with("x-amz-"));
    match ours.find(|name| !COVERED_HEADERS.contains(name) && !is_signed(name)) {
        Some(_) => Err(denied("There were headers present in the request which were not signed")),
        None => Ok(()),
    }
}

/// Returns the paths that the client may have signed in a request for `path`. The first path is the external path of this API. The second
/// path has no prefix: some tools support S3 only at the root of a host, so an operator may use a separate host whose proxy forwards
/// requests to this API. The second path is omitted if it is also the external path of another resource, so that no signature is valid for
/// two resources.
fn signed_paths(prefix: &str, path: &str) -> Vec<String> {
    let root = path.strip_prefix("/s3").unwrap_or(path);
    let root = if root.is_empty() { "/" } else { root };
    let own = format!("{prefix}/s3");
    let is_own = root.strip_prefix(&own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let mut paths = vec![format!("{prefix}{path}")];
    paths.extend((!is_own && !prefix.is_empty()).then(|| root.to_owned()));
    paths
}

/// Verifies the signature of a form upload. This signature covers only the POST policy.
///
/// # Errors
/// The same errors as [`verify`].
pub(crate) async fn verify_form(state: &StorageState, fields: &BTreeMap<String, String>) -> Result<Caller> {
    let field = |name: &str| fields.get(name).map(String::as_str);
    let (credential, signature, policy) = (field("x-amz-credential"), field("x-amz-signature"), field("policy"));
    let Some(credential) = credential else { return Err(denied("Missing signature")) };
    let (Some(signature), Some(policy)) = (signature, policy) else { return Err(malformed()) };
    let (access_key, scope) = credential_of(credential)?;
    check_scope(state, &scope)?;
    let token = field("x-amz-security-token");
    let key = scope.key(secret(state, &access_key, token)?.expose());
    if !Secret::new(hex::encode(hmac(&key, policy.as_bytes()))).matches(signature) {
        return Err(mismatch());
    }
    caller(state, token).await
}

fn check_scope(state: &StorageState, scope: &Scope) -> Result<()> {
    let regions = [state.settings().s3_protocol.region.as_str(), "us-east-1", "auto", ""];
    if regions.contains(&scope.region.as_str()) && scope.service == "s3" { Ok(()) } else { Err(mismatch()) }
}

/// Returns the secret of an access key. If the request has a session token, the secret is the public anonymous API key, because the session
/// token authenticates the caller.
fn secret<'a>(state: &'a StorageState, access_key: &str, token: Option<&str>) -> Result<&'a Secret> {
    let settings = &state.settings().s3_protocol;
    let found = match token {
        Some(_) => Some(&settings.anon_key).filter(|_| settings.project_refs.iter().any(|known| access_key == known)),
        None => settings.access_keys.iter().find(|key| key.id == access_key).map(|key| &key.secret),
    };
    found.filter(|secret| !secret.is_empty()).ok_or_else(|| denied("Invalid Access Key"))
}

async fn caller(state: &StorageState, token: Option<&str>) -> Result<Caller> {
    let Some(token) = token else { return Ok(Caller::service_role()) };
    let caller = state.verifier().verify(token).map_err(|error| Error::unauthorized(&error))?;
    match state.database().roles().check_caller(&caller).await {
        Ok(()) => Ok(caller),
        Err(RoleError::Refused(refusal)) => Err(Error::unauthorized(&TokenError::Role(refusal))),
        Err(error) => Err(sqlx::Error::from(error).into()),
    }
}

fn claimed(parts: &Parts) -> Result<Claimed> {
    match header(&parts.headers, "authorization") {
        Some(text) if text.starts_with(ALGORITHM) => from_header(parts, text),
        _ => from_query(parts)?.ok_or_else(|| denied("Missing signature")),
    }
}

fn from_header(parts: &Parts, text: &str) -> Result<Claimed> {
    let fields = text.strip_prefix(ALGORITHM).unwrap_or_default();
    let field = |wanted: &str| {
        fields
            .split(',')
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == wanted)
            .map(|(_, value)| value)
    };
    let (credential, headers, signature) = (field("Credential"), field("SignedHeaders"), field("Signature"));
    let (Some(credential), Some(headers), Some(signature)) = (credential, headers, signature) else {
        return Err(malformed());
    };
    let (access_key, scope) = credential_of(credential)?;
    let date = header(&parts.headers, "x-amz-date").ok_or_else(malformed)?;
    Ok(Claimed {
        access_key,
        scope,
        signed_headers: headers.split(';').map(str::to_ascii_lowercase).collect(),
        signature: signature.to_owned(),
        date: date.to_owned(),
        payload: header(&parts.headers, "x-amz-content-sha256").unwrap_or(UNSIGNED_PAYLOAD).to_owned(),
        session_token: header(&parts.headers, "x-amz-security-token").map(str::to_owned),
        expires: None,
    })
}

fn from_query(parts: &Parts) -> Result<Option<Claimed>> {
    let mut query = Fields::of_signed_query(parts.uri.query());
    let Some(credential) = query.text("X-Amz-Credential") else { return Ok(None) };
    let (access_key, scope) = credential_of(&credential)?;
    let (headers, signature, date) =
        (query.text("X-Amz-SignedHeaders"), query.text("X-Amz-Signature"), query.text("X-Amz-Date"));
    let (Some(headers), Some(signature), Some(date)) = (headers, signature, date) else { return Err(malformed()) };
    let expires = expires(query.text("X-Amz-Expires").as_deref())?;
    let (payload, session_token) = (query.text("X-Amz-Content-Sha256"), query.text("X-Amz-Security-Token"));
    query.finish().map_err(|_| malformed())?;
    Ok(Some(Claimed {
        access_key,
        scope,
        signed_headers: headers.split(';').map(str::to_ascii_lowercase).collect(),
        signature,
        date,
        payload: payload.unwrap_or_else(|| UNSIGNED_PAYLOAD.to_owned()),
        session_token,
        expires: Some(expires),
    }))
}

/// Parses the validity period of a presigned URL: a number of seconds in decimal digits. Without a text, returns [`MAX_CLOCK_SKEW_SECONDS`].
fn expires(text: Option<&str>) -> Result<i64> {
    let Some(text) = text else { return Ok(MAX_CLOCK_SKEW_SECONDS) };
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = if digits { text.parse().ok() } else { None };
    seconds.filter(|seconds| *seconds <= MAX_EXPIRES_SECONDS).ok_or_else(malformed)
}

fn credential_of(text: &str) -> Result<(String, Scope)> {
    match text.split('/').collect::<Vec<_>>().as_slice() {
        [access_key, day, region, service, "aws4_request"] => {
            let scope = Scope { day: (*day).to_owned(), region: (*region).to_owned(), service: (*service).to_owned() };
            Ok(((*access_key).to_owned(), scope))
        }
        _ => Err(malformed()),
    }
}

fn check_time(claimed: &Claimed) -> Result<()> {
    let parsed = NaiveDateTime::parse_from_str(&claimed.date, "%Y%m%dT%H%M%SZ").map_err(|_| malformed())?;
    if !claimed.date.starts_with(&claimed.scope.day) {
        return Err(mismatch());
    }
    let age = Utc::now().signed_duration_since(DateTime::<Utc>::from_naive_utc_and_offset(parsed, Utc));
    let max_skew = TimeDelta::seconds(MAX_CLOCK_SKEW_SECONDS);
    match claimed.expires {
        // The comparison is exact to the millisecond. Otherwise a URL with a validity of one second would be valid for almost two seconds.
        Some(expires) if age > TimeDelta::seconds(expires) => {
            Err(Error::S3(400, "ExpiredToken", "The provided token has expired.".to_owned()))
        }
        Some(_) if age < -max_skew => Err(malformed()),
        None if age.abs() > max_skew => {
            let message = "The difference between the request time and the current time is too large.".to_owned();
            Err(Error::S3(403, "RequestTimeTooSkewed", message))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signed_path_stands_for_one_resource() {
        let paths = |path: &str| signed_paths("/storage/v1", path);
        assert_eq!(paths("/s3/b/k"), ["/storage/v1/s3/b/k", "/b/k"]);
        assert_eq!(paths("/s3"), ["/storage/v1/s3", "/"]);
        assert_eq!(paths("/s3/storage/v1/s3/b/k"), ["/storage/v1/s3/storage/v1/s3/b/k"]);
        assert_eq!(paths("/s3/storage/v1/s3"), ["/storage/v1/s3/storage/v1/s3"]);
        assert_eq!(paths("/s3/storage/v1/s3x"), ["/storage/v1/s3/storage/v1/s3x", "/storage/v1/s3x"]);
    }
}
