//! Parses headers of the TUS protocol.

use axum::http::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::Digest;

use super::error::{Result, TusError};
use crate::http_headers::header;
use crate::model::object_path::ObjectPath;
use crate::request::custom_metadata;
use crate::validation::media_type::MediaType;

pub(crate) const PROTOCOL_VERSION: &str = "1.0.0";

/// Refuses a client that uses another version of the TUS protocol.
pub(crate) fn check_version(headers: &HeaderMap) -> Result<()> {
    match header(headers, "tus-resumable") {
        None | Some("") => Err(TusError::Protocol(412, "Tus-Resumable Required")),
        Some(PROTOCOL_VERSION) => Ok(()),
        Some(_) => Err(TusError::Protocol(400, "Invalid tus-resumable")),
    }
}

/// Refuses a part of a file that the client uploads in several parallel uploads. The parts would become separate files.
pub(crate) fn check_not_concatenated(headers: &HeaderMap) -> Result<()> {
    match headers.contains_key("upload-concat") {
        true => Err(TusError::Protocol(
            501,
            "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.",
        )),
        false => Ok(()),
    }
}

/// Parses a TUS header that contains a number of bytes; `None` if the header is absent. `refusal` is the error text for an invalid number.
fn bytes(headers: &HeaderMap, name: &str, refusal: &'static str) -> Result<Option<u64>> {
    let Some(text) = headers.get(name) else { return Ok(None) };
    let digits = text.to_str().ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|text| text.parse().ok()).filter(|number| *number <= i64::MAX.unsigned_abs());
    number.map(Some).ok_or(TusError::Protocol(400, refusal))
}

pub(crate) fn length(headers: &HeaderMap) -> Result<Option<u64>> {
    bytes(headers, "upload-length", "Invalid upload-length")
}

/// Parses `Upload-Length`. `None` if `Upload-Defer-Length` declares that the client sends the length later.
pub(crate) fn length_or_deferred(headers: &HeaderMap) -> Result<Option<u64>> {
    match (length(headers)?, header(headers, "upload-defer-length")) {
        (Some(length), None) => Ok(Some(length)),
        (None, Some("1")) => Ok(None),
        (None, Some(_)) => Err(TusError::Protocol(400, "Invalid upload-defer-length")),
        _ => Err(TusError::Protocol(400, "Upload-Length or Upload-Defer-Length header required")),
    }
}

pub(crate) fn offset(headers: &HeaderMap) -> Result<u64> {
    bytes(headers, "upload-offset", "Invalid upload-offset")?
        .ok_or(TusError::Protocol(403, "Upload-Offset header required"))
}

/// Whether the request body contains content of the resumable upload.
pub(crate) fn has_bytes(headers: &HeaderMap) -> bool {
    header(headers, "content-type") == Some("application/offset+octet-stream")
}

/// Parsed header `Upload-Metadata`: the client's description of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Metadata {
    pub(crate) path: ObjectPath,
    pub(crate) content_type: Option<MediaType>,
    /// Cache control to store: `max-age=N` or `no-cache`.
    pub(crate) cache_control: String,
    pub(crate) user_metadata: Option<Value>,
    /// Text of the header `Upload-Metadata`, in which the cache control is replaced by `cache_control`.
    pub(crate) text: String,
}

impl Metadata {
    /// Parses the header `Upload-Metadata`.
    ///
    /// # Errors
    /// 400 if the header is missing or does not have the form `key base64,…`.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Self> {
        let Some(value) = headers.get("upload-metadata") else {
            return Err(TusError::Protocol(400, "Metadata header is required"));
        };
        let invalid = || TusError::Protocol(400, "Invalid upload-metadata");
        let text = value.to_str().map_err(|_| invalid())?;
        let mut metadata = Self { cache_control: "no-cache".to_owned(), ..Self::default() };
        let mut kept = Vec::new();
        let (mut json, mut cached) = (None, None);
        for pair in text.split(',') {
            let (key, encoded) = pair.trim().split_once(' ').unwrap_or((pair.trim(), ""));
            let decoded = STANDARD.decode(encoded.trim()).map_err(|_| invalid())?;
            let decoded = String::from_utf8(decoded).map_err(|_| invalid())?;
            match key {
                "" => return Err(invalid()),
                "bucketName" => metadata.path.bucket = decoded,
                "objectName" => metadata.path.name = decoded,
                "contentType" => {
                    metadata.content_type =
                        Some(decoded).filter(|text| !text.is_empty()).as_deref().map(MediaType::parse_or_default);
                }
                "metadata" => json = Some(decoded),
                "cacheControl" => {
                    if decoded.parse::<i64>().is_ok() {
                        metadata.cache_control = format!("max-age={decoded}");
                    }
                    cached = Some(kept.len());
                }
                _ => {}
            }
            kept.push(if encoded.is_empty() { key.to_owned() } else { format!("{key} {encoded}") });
        }
        let rewritten = format!("cacheControl {}", STANDARD.encode(&metadata.cache_control));
        match cached.and_then(|at| kept.get_mut(at)) {
            Some(place) => *place = rewritten,
            None => kept.push(rewritten),
        }
        metadata.text = kept.join(",");
        metadata.user_metadata = custom_metadata::of_json(json.as_deref().map(str::as_bytes))?;
        Ok(metadata)
    }
}

/// Parsed header `Upload-Checksum`: the expected digest of the body of one request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExpectedDigest {
    algorithm: &'static str,
    digest: Vec<u8>,
}

/// Supported algorithms of `Upload-Checksum`.
pub(crate) const ALGORITHMS: &str = "md5,sha1,sha256";

impl ExpectedDigest {
    /// Parses the header `Upload-Checksum`. `None` if it is absent.
    ///
    /// # Errors
    /// 400 if the header is malformed or contains an unsupported algorithm.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Option<Self>> {
        let Some(value) = headers.get("upload-checksum") else { return Ok(None) };
        let text = value.to_str().map_err(|_| TusError::Protocol(400, "Invalid upload-checksum"))?;
        let unsupported = || TusError::Protocol(400, "Unsupported checksum algorithm");
        let (name, encoded) = text.split_once(' ').ok_or_else(unsupported)?;
        let algorithm = ALGORITHMS.split(',').find(|known| *known == name).ok_or_else(unsupported)?;
        let digest = STANDARD.decode(encoded.trim()).map_err(|_| TusError::Protocol(400, "Invalid upload-checksum"))?;
        Ok(Some(Self { algorithm, digest }))
    }

    pub(crate) fn hasher(&self) -> Hasher {
        match self.algorithm {
            "md5" => Hasher::Md5(md5::Md5::new()),
            "sha1" => Hasher::Sha1(sha1::Sha1::new()),
            _ => Hasher::Sha256(sha2::Sha256::new()),
        }
    }

    /// Compares the digest of the request body with the expected digest.
    ///
    /// # Errors
    /// 460, which TUS defines for a checksum mismatch.
    pub(crate) fn check(&self, hasher: Hasher) -> Result<()> {
        let digest = match hasher {
            Hasher::Md5(hasher) => hasher.finalize().to_vec(),
            Hasher::Sha1(hasher) => hasher.finalize().to_vec(),
            Hasher::Sha256(hasher) => hasher.finalize().to_vec(),
        };
        if digest == self.digest { Ok(()) } else { Err(TusError::Protocol(460, "Checksum mismatch")) }
    }
}

/// Hasher of a supported algorithm.
#[derive(Clone, Debug)]
pub(crate) enum Hasher {
    Md5(md5::Md5),
    Sha1(sha1::Sha1),
    Sha256(sha2::Sha256),
}

impl Hasher {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Md5(hasher) => hasher.update(bytes),
            Self::Sha1(hasher) => hasher.update(bytes),
            Self::Sha256(hasher) => hasher.update(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    fn with(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())])
    }

    fn text(error: TusError) -> String {
        error.to_string()
    }

    #[test]
    fn refuses_what_is_malformed() {
        for length in ["", "-1", "1.5", "+1", "99999999999999999999"] {
            assert_eq!(text(length_or_deferred(&with("upload-length", length)).unwrap_err()), "Invalid upload-length");
        }
        assert!(length_or_deferred(&HeaderMap::new()).is_err());
        assert_eq!(text(Metadata::of(&HeaderMap::new()).unwrap_err()), "Metadata header is required");
        for metadata in ["", "a ?", "a %%%", "a YQ==,,b YQ=="] {
            assert_eq!(text(Metadata::of(&with("upload-metadata", metadata)).unwrap_err()), "Invalid upload-metadata");
        }
        assert_eq!(text(offset(&HeaderMap::new()).unwrap_err()), "Upload-Offset header required");
        assert!(ExpectedDigest::of(&with("upload-checksum", "crc32 AAAA")).is_err());
    }

    #[test]
    fn metadata_is_kept_and_its_cache_control_rewritten() {
        let pair = |key: &str, value: &str| format!("{key} {}", STANDARD.encode(value));
        let header =
            [pair("bucketName", "b"), pair("cacheControl", "60"), pair("metadata", "{\"a\":1}"), "flag".into()]
                .join(",");
        let metadata = Metadata::of(&with("upload-metadata", &header)).unwrap();
        assert_eq!((metadata.path.bucket.as_str(), metadata.cache_control.as_str()), ("b", "max-age=60"));
        assert_eq!(metadata.user_metadata, Some(json!({"a": 1})));
        let rewritten =
            [pair("bucketName", "b"), pair("cacheControl", "max-age=60"), pair("metadata", "{\"a\":1}"), "flag".into()];
        assert_eq!(metadata.text, rewritten.join(","));
        let list = Metadata::of(&with("upload-metadata", &pair("metadata", "[1]")));
        assert!(list.is_err());
    }

    #[test]
    fn a_digest_is_compared() {
        let expected = ExpectedDigest::of(&with("upload-checksum", "md5 XUFAKrxLKna5cZ2REBfFkg==")).unwrap().unwrap();
        let mut hasher = expected.hasher();
        hasher.update(b"hello");
        assert!(expected.check(hasher).is_ok());
        assert_eq!(text(expected.check(expected.hasher()).unwrap_err()), "Checksum mismatch");
    }
}
