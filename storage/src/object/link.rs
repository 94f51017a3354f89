//! Signed links: a token that names one object, what it may be used for, and until when.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use cloch_sql::caller::TokenError;
use cloch_sql::caller::token::Verifier;
use moka::sync::Cache;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::serve::http_date;
use crate::error::{Error, Result};
use crate::request::Fields;

/// The last second whose milliseconds JavaScript clients can count.
const LAST: i64 = 9_007_199_254_740;

/// The bytes of all links that are remembered.
const REMEMBERED: u64 = 4 * 1024 * 1024;
/// What a remembered link takes besides its texts, roughly.
const OVERHEAD: usize = 256;

/// What a good token for a download says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DownloadLink {
    exp: Option<i64>,
    /// The `Expires` header of answers to this link.
    pub(crate) expires: String,
    /// How an image is to be rendered, as it was signed.
    pub(crate) transformations: Option<String>,
    /// Into which format.
    pub(crate) format: Option<String>,
}

/// What a good token for an upload says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UploadLink {
    /// The `sub` of whoever signed it.
    pub(crate) owner: Option<String>,
    /// Whether what is at the key may be replaced.
    pub(crate) upsert: bool,
}

/// The `token` parameter of a link.
///
/// # Errors
/// When there is none.
pub(crate) fn token(query: Option<&str>) -> Result<String> {
    let mut fields = Fields::of_query(query);
    let token = fields.required_text("token");
    fields.finish()?;
    Ok(token)
}

/// When a link made now expires.
///
/// # Errors
/// When that is beyond what clients can read.
pub(crate) fn expiry(now: i64, seconds: i64) -> Result<i64> {
    now.checked_add(seconds)
        .filter(|exp| *exp <= LAST)
        .ok_or_else(|| Error::InvalidParameter("Invalid Parameter expiresIn".to_owned()))
}

/// Signs a token for downloading one object.
pub(crate) fn sign_download(
    verifier: &Verifier,
    (bucket, name): (&str, &str),
    expires_in: i64,
    extra: Map<String, Value>,
) -> Result<String> {
    let now = Utc::now().timestamp();
    let mut claims = extra;
    claims.insert("url".to_owned(), format!("{bucket}/{name}").into());
    claims.insert("scope".to_owned(), "download".into());
    claims.insert("iat".to_owned(), now.into());
    claims.insert("exp".to_owned(), expiry(now, expires_in)?.into());
    sign(verifier, &claims)
}

/// Signs a token for uploading to one key.
pub(crate) fn sign_upload(
    verifier: &Verifier,
    (bucket, name): (&str, &str),
    expires_in: i64,
    link: &UploadLink,
) -> Result<String> {
    let now = Utc::now().timestamp();
    let mut claims = Map::new();
    if let Some(owner) = &link.owner {
        claims.insert("owner".to_owned(), owner.as_str().into());
    }
    claims.insert("url".to_owned(), format!("{bucket}/{name}").into());
    claims.insert("upsert".to_owned(), link.upsert.into());
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

/// The path of a link. The name stays decoded: clients encode the whole URL.
pub(crate) fn path(kind: &str, (bucket, name): (&str, &str), token: &str) -> String {
    format!("/{kind}/sign/{bucket}/{name}?token={token}")
}

/// Links whose signature has been checked: a page of pictures asks with the same ones again and again.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    verifier: Verifier,
    /// By the token's hash, so that no credentials are kept.
    known: Cache<[u8; 32], Arc<Signed>>,
}

/// What a token says whose signature is good.
#[derive(Debug)]
struct Signed {
    nbf: Option<i64>,
    url: Option<String>,
    in_scope: bool,
    link: DownloadLink,
}

impl Links {
    pub(crate) fn new(verifier: Verifier) -> Self {
        let weight = |_: &[u8; 32], signed: &Arc<Signed>| u32::try_from(OVERHEAD + signed.weight()).unwrap_or(u32::MAX);
        Self { verifier, known: Cache::builder().max_capacity(REMEMBERED).weigher(weight).build() }
    }

    /// Checks a token for downloading an object: its times at each call, its signature once.
    ///
    /// # Errors
    /// [`Error::InvalidJwt`] when it is not ours or has expired, [`Error::InvalidSignature`] when it is for something else.
    pub(crate) fn verify(&self, token: &str, bucket: &str, name: &str) -> Result<DownloadLink> {
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let signed = match self.known.get(&hash) {
            Some(signed) => signed,
            None => {
                let signed = Arc::new(Signed::read(&self.verifier, token)?);
                self.known.insert(hash, signed.clone());
                signed
            }
        };
        check_times(signed.nbf, signed.link.exp)?;
        if !signed.in_scope {
            return Err(Error::InvalidSignature("Token is not scoped for download"));
        }
        check_url(signed.url.as_deref(), bucket, name)?;
        Ok(signed.link.clone())
    }
}

impl Signed {
    /// The bytes of its texts.
    fn weight(&self) -> usize {
        let texts = [&self.url, &self.link.transformations, &self.link.format];
        texts.into_iter().flatten().map(String::len).sum::<usize>() + self.link.expires.len()
    }

    fn read(verifier: &Verifier, token: &str) -> Result<Self> {
        let claims = verifier.claims(token).map_err(|error| Error::invalid_jwt(&error))?;
        let text = |name: &str| claims.get(name).and_then(Value::as_str).map(str::to_owned);
        let exp = time(&claims, "exp")?;
        Ok(Self {
            nbf: time(&claims, "nbf")?,
            url: text("url"),
            // Tokens from before scopes were introduced are told apart by `upsert`.
            in_scope: match claims.get("scope") {
                Some(scope) => scope == "download",
                None => !claims.contains_key("upsert"),
            },
            link: DownloadLink {
                expires: exp
                    .and_then(|exp| DateTime::<Utc>::from_timestamp(exp, 0))
                    .map_or_else(|| "Invalid Date".to_owned(), http_date),
                exp,
                transformations: text("transformations"),
                format: text("format"),
            },
        })
    }
}

/// Checks a token for uploading to a key.
///
/// # Errors
/// As [`Links::verify`].
pub(crate) fn verify_upload(verifier: &Verifier, token: &str, bucket: &str, name: &str) -> Result<UploadLink> {
    let claims = good_claims(verifier, token)?;
    let in_scope = match claims.get("scope") {
        Some(scope) => scope == "upload",
        None => claims.contains_key("upsert"),
    };
    if !in_scope {
        return Err(Error::InvalidSignature("Token is not scoped for upload"));
    }
    check_url(claims.get("url").and_then(Value::as_str), bucket, name)?;
    Ok(UploadLink {
        owner: claims.get("owner").and_then(Value::as_str).map(str::to_owned),
        upsert: claims.get("upsert") == Some(&json!(true)),
    })
}

fn check_url(url: Option<&str>, bucket: &str, name: &str) -> Result<()> {
    match url.and_then(|url| url.split_once('/')) {
        // A bucket made in SQL may have a slash in its id; `a/b` + `c` is not `a` + `b/c`.
        Some((of, named)) if of == bucket && named == name => Ok(()),
        _ => Err(Error::InvalidSignature("Invalid signature")),
    }
}

/// The claims of a token that we signed and that is valid now, to the second.
fn good_claims(verifier: &Verifier, token: &str) -> Result<Map<String, Value>> {
    let claims = verifier.claims(token).map_err(|error| Error::invalid_jwt(&error))?;
    check_times(time(&claims, "nbf")?, time(&claims, "exp")?)?;
    Ok(claims)
}

/// A claim that is a time.
fn time(claims: &Map<String, Value>, name: &'static str) -> Result<Option<i64>> {
    match claims.get(name) {
        None => Ok(None),
        Some(value) => value.as_i64().map(Some).ok_or_else(|| Error::invalid_jwt(&TokenError::NotANumber(name))),
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
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use cloch_sql::Secret;
    use cloch_sql::caller::KeyRing;

    use super::*;

    fn verifier(secret: &str) -> Verifier {
        Verifier::new(Arc::new(KeyRing::new(Secret::new(secret), &[]).unwrap()))
    }

    fn verify_download(verifier: &Verifier, token: &str, bucket: &str, name: &str) -> Result<DownloadLink> {
        let links = Links::new(verifier.clone());
        let first = links.verify(token, bucket, name);
        let again = links.verify(token, bucket, name);
        assert_eq!(first.as_ref().map_err(Error::message), again.as_ref().map_err(Error::message));
        first
    }

    fn ours() -> Verifier {
        verifier("a-secret-of-at-least-thirty-two-characters")
    }

    #[test]
    fn refuses_other_objects_scopes_and_keys() {
        let token = sign_download(&ours(), ("b", "a.txt"), 60, Map::new()).unwrap();
        let refused = |result: Result<DownloadLink>| result.unwrap_err().message();
        assert_eq!(refused(verify_download(&ours(), &token, "b", "other.txt")), "Invalid signature");
        assert_eq!(refused(verify_download(&ours(), "", "b", "a.txt")), "Invalid Compact JWS");
        let forged = verifier("another-secret-of-thirty-two-characters!");
        assert_eq!(refused(verify_download(&forged, &token, "b", "a.txt")), "signature verification failed");
        assert_eq!(
            verify_upload(&ours(), &token, "b", "a.txt").unwrap_err().message(),
            "Token is not scoped for upload"
        );
        let upload = sign_upload(&ours(), ("b", "a.txt"), 60, &UploadLink { owner: None, upsert: false }).unwrap();
        assert_eq!(refused(verify_download(&ours(), &upload, "b", "a.txt")), "Token is not scoped for download");
    }

    #[test]
    fn refuses_expired_ones_to_the_second() {
        let token = sign_download(&ours(), ("b", "a.txt"), 0, Map::new()).unwrap();
        let error = verify_download(&ours(), &token, "b", "a.txt").unwrap_err();
        assert_eq!((error.code(), error.message().as_str()), ("InvalidJWT", "\"exp\" claim timestamp check failed"));
    }

    #[test]
    fn nobody_can_sign_other_claims() {
        let extra = Map::from_iter([("url".to_owned(), json!("b/secret")), ("scope".to_owned(), json!("upload"))]);
        let token = sign_download(&ours(), ("b", "a.txt"), 60, extra).unwrap();
        assert!(verify_download(&ours(), &token, "b", "a.txt").is_ok());
    }

    #[test]
    fn tokens_without_scope_are_told_apart_by_upsert() {
        let token = |claims: Value| ours().keys().sign_hs256(&claims).unwrap();
        let old = token(json!({"url": "b/a.txt"}));
        assert_eq!(verify_download(&ours(), &old, "b", "a.txt").unwrap().expires, "Invalid Date");
        assert!(verify_upload(&ours(), &old, "b", "a.txt").is_err());
        let old = token(json!({"url": "b/a.txt", "upsert": true}));
        assert!(verify_upload(&ours(), &old, "b", "a.txt").unwrap().upsert);
        assert!(verify_download(&ours(), &old, "b", "a.txt").is_err());
    }
}
