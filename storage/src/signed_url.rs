//! Creates and verifies signed URLs. The token of a signed URL is a JWT with the path of one object, the allowed operation and the expiry
//! time.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use cloch_sql::caller::token::Verifier;
use cloch_sql::caller::{Caller, TokenError, numeric_date};
use moka::sync::Cache;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::http_headers::http_date;
use crate::model::object_path::ObjectPath;
use crate::settings::Settings;

/// Maximum `exp` claim in seconds. JavaScript clients cannot represent later times exactly in milliseconds.
const MAX_EXPIRY_SECONDS: i64 = 9_007_199_254_740;

/// Maximum memory of all cached claims of signed URLs in bytes.
const CACHE_CAPACITY_BYTES: u64 = 4 * 1024 * 1024;
/// Estimated memory per cached token in bytes, in addition to the strings of its claims.
const ENTRY_OVERHEAD_BYTES: usize = 256;

/// Claims of a valid download token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SignedDownload {
    exp: Option<i64>,
    /// Value of the `Expires` header of responses to the signed URL.
    pub(crate) expires: String,
    /// Image transformations that the signed URL allows.
    pub(crate) transformations: Option<String>,
    /// Output format of the rendered image.
    pub(crate) format: Option<String>,
    /// Version id of the object; `None` for the current version.
    pub(crate) version: Option<String>,
}

/// Claims of a valid upload token.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SignedUpload {
    /// `sub` claim of the caller who signed the upload URL.
    pub(crate) owner: Option<String>,
    /// Whether an existing object may be replaced.
    pub(crate) upsert: bool,
}

/// Returns the `token` parameter in the query of a signed URL.
///
/// # Errors
/// If the parameter is absent.
pub(crate) fn token(query: Option<&str>) -> Result<String> {
    let mut fields = Fields::of_query(query);
    let token = fields.required_text("token");
    fields.finish()?;
    Ok(token)
}

/// Returns the expiry time, in seconds since the Unix epoch, of a URL that is signed now.
///
/// # Errors
/// If the expiry time is later than [`MAX_EXPIRY_SECONDS`].
pub(crate) fn expiry(now: i64, seconds: i64) -> Result<i64> {
    now.checked_add(seconds)
        .filter(|exp| *exp <= MAX_EXPIRY_SECONDS)
        .ok_or_else(|| Error::InvalidParameter("Invalid Parameter expiresIn".to_owned()))
}

/// Checks the validity period of a new signed URL against the limit of the bucket. The service role has no limit.
///
/// # Errors
/// If the period is longer than the bucket's limit.
pub(crate) fn check_expiry(settings: &Settings, caller: &Caller, bucket: &str, expires_in: i64) -> Result<()> {
    let most = settings.bucket(bucket).max_signed_url_seconds.filter(|_| !caller.is_service_role());
    match most {
        Some(most) if expires_in > i64::from(most) => Err(Error::InvalidParameter(format!(
            "expiresIn: signed URLs of the bucket {bucket} work for {most} seconds at most"
        ))),
        _ => Ok(()),
    }
}

pub(crate) fn sign_download(
    verifier: &Verifier,
    path: &ObjectPath,
    expires_in: i64,
    extra: Map<String, Value>,
) -> Result<String> {
    let now = Utc::now().timestamp();
    let mut claims = extra;
    claims.insert("url".to_owned(), path.to_string().into());
    claims.insert("scope".to_owned(), "download".into());
    claims.insert("iat".to_owned(), now.into());
    claims.insert("exp".to_owned(), expiry(now, expires_in)?.into());
    sign(verifier, &claims)
}

pub(crate) fn sign_upload(
    verifier: &Verifier,
    path: &ObjectPath,
    expires_in: i64,
    upload: &SignedUpload,
) -> Result<String> {
    let now = Utc::now().timestamp();
    let mut claims = Map::new();
    if let Some(owner) = &upload.owner {
        claims.insert("owner".to_owned(), owner.as_str().into());
    }
    claims.insert("url".to_owned(), path.to_string().into());
    claims.insert("upsert".to_owned(), upload.upsert.into());
    claims.insert("scope".to_owned(), "upload".into());
    claims.insert("iat".to_owned(), now.into());
    claims.insert("exp".to_owned(), expiry(now, expires_in)?.into());
    sign(verifier, &claims)
}

fn sign(verifier: &Verifier, claims: &Map<String, Value>) -> Result<String> {
    verifier
        .keys()
        .sign_hs256(claims)
        .map_err(|source| Error::Internal { context: "signing a link", source: source.into() })
}

/// Returns the path and query of a signed URL. The object's name is not percent-encoded, because clients encode the whole URL.
pub(crate) fn download_path(kind: &str, path: &ObjectPath, token: &str) -> String {
    format!("/{kind}/sign/{path}?token={token}")
}

/// Verifies signed URLs. Caches tokens with a valid signature, because a page with images sends the same tokens repeatedly.
#[derive(Clone, Debug)]
pub(crate) struct SignedUrls {
    verifier: Verifier,
    /// Cache of verified claims. The key is the SHA-256 of the token, so that the cache contains no credentials.
    verified: Cache<[u8; 32], Arc<Claims>>,
}

/// Claims of a token with a valid signature.
#[derive(Debug)]
struct Claims {
    nbf: Option<i64>,
    url: Option<String>,
    in_scope: bool,
    download: SignedDownload,
}

impl SignedUrls {
    pub(crate) fn new(verifier: Verifier) -> Self {
        let weight = |_: &[u8; 32], claims: &Arc<Claims>| {
            u32::try_from(ENTRY_OVERHEAD_BYTES + claims.weight()).unwrap_or(u32::MAX)
        };
        Self { verifier, verified: Cache::builder().max_capacity(CACHE_CAPACITY_BYTES).weigher(weight).build() }
    }

    /// Verifies a download token. `exp` and `nbf` are checked at every call; the signature is checked once and then cached.
    ///
    /// # Errors
    /// [`Error::InvalidJwt`] if the token has expired or was not signed by this project, [`Error::InvalidSignature`] if it is valid for
    /// another object or operation.
    pub(crate) fn verify(&self, token: &str, path: &ObjectPath) -> Result<SignedDownload> {
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let claims = match self.verified.get(&hash) {
            Some(claims) => claims,
            None => {
                let claims = Arc::new(Claims::read(&self.verifier, token)?);
                self.verified.insert(hash, claims.clone());
                claims
            }
        };
        check_times(claims.nbf, claims.download.exp)?;
        if !claims.in_scope {
            return Err(Error::InvalidSignature("Token is not scoped for download"));
        }
        check_url(claims.url.as_deref(), path)?;
        Ok(claims.download.clone())
    }
}

impl Claims {
    /// Returns the total length of the claims' strings in bytes.
    fn weight(&self) -> usize {
        let texts = [&self.url, &self.download.transformations, &self.download.format, &self.download.version];
        texts.into_iter().flatten().map(String::len).sum::<usize>() + self.download.expires.len()
    }

    fn read(verifier: &Verifier, token: &str) -> Result<Self> {
        let claims = url_claims(verifier, token)?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str).map(str::to_owned);
        let exp = time(&claims, "exp")?;
        Ok(Self {
            nbf: time(&claims, "nbf")?,
            url: text("url"),
            // Tokens that were signed before the claim `scope` was introduced do not have this claim. Of these tokens, only upload tokens
            // have the claim `upsert`.
            in_scope: match claims.get("scope") {
                Some(scope) => scope == "download",
                None => !claims.contains_key("upsert"),
            },
            download: SignedDownload {
                expires: exp
                    .and_then(|exp| DateTime::<Utc>::from_timestamp(exp, 0))
                    .map_or_else(|| "Invalid Date".to_owned(), http_date),
                exp,
                transformations: text("transformations"),
                format: text("format"),
                version: text("versionId"),
            },
        })
    }
}

/// Verifies an upload token for an object path.
///
/// # Errors
/// The same errors as [`SignedUrls::verify`].
pub(crate) fn verify_upload(verifier: &Verifier, token: &str, path: &ObjectPath) -> Result<SignedUpload> {
    let claims = valid_claims(verifier, token)?;
    let in_scope = match claims.get("scope") {
        Some(scope) => scope == "upload",
        None => claims.contains_key("upsert"),
    };
    if !in_scope {
        return Err(Error::InvalidSignature("Token is not scoped for upload"));
    }
    check_url(claims.get("url").and_then(Value::as_str), path)?;
    Ok(SignedUpload {
        owner: claims.get("owner").and_then(Value::as_str).map(str::to_owned),
        upsert: claims.get("upsert") == Some(&json!(true)),
    })
}

fn check_url(url: Option<&str>, path: &ObjectPath) -> Result<()> {
    match url.and_then(|url| url.split_once('/')) {
        // A bucket created by SQL may have a slash in its id. Bucket `a/b` with object `c` differs from bucket `a` with object `b/c`.
        Some((bucket, name)) if bucket == path.bucket && name == path.name => Ok(()),
        _ => Err(Error::InvalidSignature("Invalid signature")),
    }
}

/// Claims of access tokens. A token with one of these claims is not accepted as the token of a signed URL: a custom access token hook may
/// add the claim `url` to an access token, which must not become a signed URL.
const CLAIMS_OF_CALLERS: [&str; 4] = ["role", "sub", "session_id", "aud"];

/// Returns the claims of a signed URL's token, without a check of `exp` and `nbf`.
fn url_claims(verifier: &Verifier, token: &str) -> Result<Map<String, Value>> {
    let claims = verifier.claims(token).map_err(|error| Error::invalid_jwt(&error))?;
    match CLAIMS_OF_CALLERS.iter().any(|name| claims.contains_key(*name)) {
        true => Err(Error::InvalidSignature("Token is not a signed URL")),
        false => Ok(claims),
    }
}

/// Returns the claims of a signed URL's token after checking `exp` and `nbf`.
fn valid_claims(verifier: &Verifier, token: &str) -> Result<Map<String, Value>> {
    let claims = url_claims(verifier, token)?;
    check_times(time(&claims, "nbf")?, time(&claims, "exp")?)?;
    Ok(claims)
}

/// Returns the value of a claim that is a NumericDate, or `None` if the claim is absent.
fn time(claims: &Map<String, Value>, name: &'static str) -> Result<Option<i64>> {
    match claims.get(name) {
        None => Ok(None),
        Some(value) => numeric_date(value).map(Some).ok_or_else(|| Error::invalid_jwt(&TokenError::NotANumber(name))),
    }
}

fn check_times(nbf: Option<i64>, exp: Option<i64>) -> Result<()> {
    let now = Utc::now().timestamp();
    if nbf.is_some_and(|nbf| nbf > now) {
        return Err(Error::invalid_jwt(&TokenError::NotYetValid));
    }
    if exp.is_some_and(|exp| exp <= now) {
        return Err(Error::invalid_jwt(&TokenError::Expired));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use cloch_core::Secret;
    use cloch_sql::caller::KeyRing;

    use super::*;

    fn path(name: &str) -> ObjectPath {
        ObjectPath::new("b", name)
    }

    fn verifier(secret: &str) -> Verifier {
        Verifier::new(Arc::new(KeyRing::new(Secret::new(secret), &[]).unwrap()))
    }

    fn verify_download(verifier: &Verifier, token: &str, name: &str) -> Result<SignedDownload> {
        let urls = SignedUrls::new(verifier.clone());
        let first = urls.verify(token, &path(name));
        let again = urls.verify(token, &path(name));
        assert_eq!(first.as_ref().map_err(Error::message), again.as_ref().map_err(Error::message));
        first
    }

    fn ours() -> Verifier {
        verifier("a-secret-of-at-least-thirty-two-characters")
    }

    #[test]
    fn refuses_other_objects_scopes_and_keys() {
        let token = sign_download(&ours(), &path("a.txt"), 60, Map::new()).unwrap();
        let refused = |result: Result<SignedDownload>| result.unwrap_err().message();
        assert_eq!(refused(verify_download(&ours(), &token, "other.txt")), "Invalid signature");
        assert_eq!(refused(verify_download(&ours(), "", "a.txt")), "Invalid Compact JWS");
        let forged = verifier("another-secret-of-thirty-two-characters!");
        assert_eq!(refused(verify_download(&forged, &token, "a.txt")), "signature verification failed");
        assert_eq!(
            verify_upload(&ours(), &token, &path("a.txt")).unwrap_err().message(),
            "Token is not scoped for upload"
        );
        let upload = sign_upload(&ours(), &path("a.txt"), 60, &SignedUpload { owner: None, upsert: false }).unwrap();
        assert_eq!(refused(verify_download(&ours(), &upload, "a.txt")), "Token is not scoped for download");
    }

    #[test]
    fn an_access_token_is_no_signed_url() {
        for own in ["role", "sub", "session_id", "aud"] {
            let claims = json!({ "url": "b/a.txt", "exp": 4_000_000_000_i64, own: "x" });
            let token = ours().keys().sign_hs256(&claims).unwrap();
            assert_eq!(verify_download(&ours(), &token, "a.txt").unwrap_err().message(), "Token is not a signed URL");
            let claims = json!({ "url": "b/a.txt", "upsert": true, "exp": 4_000_000_000_i64, own: "x" });
            let token = ours().keys().sign_hs256(&claims).unwrap();
            assert!(verify_upload(&ours(), &token, &path("a.txt")).is_err(), "{own}");
        }
    }

    #[test]
    fn refuses_expired_ones_to_the_second() {
        let token = sign_download(&ours(), &path("a.txt"), 0, Map::new()).unwrap();
        let error = verify_download(&ours(), &token, "a.txt").unwrap_err();
        assert_eq!((error.code(), error.message().as_str()), ("InvalidJWT", "\"exp\" claim timestamp check failed"));
    }

    #[test]
    fn nobody_can_sign_other_claims() {
        let extra = Map::from_iter([("url".to_owned(), json!("b/secret")), ("scope".to_owned(), json!("upload"))]);
        let token = sign_download(&ours(), &path("a.txt"), 60, extra).unwrap();
        assert!(verify_download(&ours(), &token, "a.txt").is_ok());
    }

    #[test]
    fn tokens_without_scope_are_told_apart_by_upsert() {
        let token = |claims: Value| ours().keys().sign_hs256(&claims).unwrap();
        let old = token(json!({"url": "b/a.txt"}));
        assert_eq!(verify_download(&ours(), &old, "a.txt").unwrap().expires, "Invalid Date");
        assert!(verify_upload(&ours(), &old, &path("a.txt")).is_err());
        let old = token(json!({"url": "b/a.txt", "upsert": true}));
        assert!(verify_upload(&ours(), &old, &path("a.txt")).unwrap().upsert);
        assert!(verify_download(&ours(), &old, "a.txt").is_err());
    }
}
