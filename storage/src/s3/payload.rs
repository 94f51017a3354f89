//! Decodes the body of a signed S3 request: unsigned, hashed as a whole, or in chunks (`aws-chunked`), with or without a checksum. The body
//! is verified while it is read: the stream ends with an error if the body does not match the headers.

use axum::http::HeaderMap;
use sha2::{Digest, Sha256};

use super::aws_chunked::{self, Trailers};
use super::signature_v4::Signed;
use crate::backend::ByteStream;
use crate::error::{Error, Result};
use crate::http_headers::header;
use crate::upload::checksum::{Algorithm, Checksum, Hasher, VerifiedChecksum};
use crate::upload::content_md5::{self, ending_with};

/// The decoded request body and its checksum. The body is verified while it is read. The checksum is available after the end of the body.
pub(crate) struct Payload {
    pub(crate) bytes: ByteStream,
    pub(crate) checksum: VerifiedChecksum,
}

/// Format of the request body, as declared in `x-amz-content-sha256`.
#[derive(Debug, PartialEq, Eq)]
enum Form {
    Unsigned,
    Hashed(String),
    Chunked { is_signed: bool, has_trailers: bool },
}

impl Form {
    fn of(text: &str) -> Result<Self> {
        match text {
            "UNSIGNED-PAYLOAD" => Ok(Self::Unsigned),
            "STREAMING-UNSIGNED-PAYLOAD-TRAILER" => Ok(Self::Chunked { is_signed: false, has_trailers: true }),
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" => Ok(Self::Chunked { is_signed: true, has_trailers: false }),
            "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" => Ok(Self::Chunked { is_signed: true, has_trailers: true }),
            hash if hash.len() == 64 && hex::decode(hash).is_ok() => Ok(Self::Hashed(hash.to_ascii_lowercase())),
            other => Err(Error::InvalidRequest(format!(
                "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a supported streaming form, or a valid sha256 value, not {other}"
            ))),
        }
    }
}

/// Returns the decoded content of a request body.
///
/// # Errors
/// If the headers declare an unsupported format or checksum. If the content does not match the headers, the returned stream ends with an
/// error.
pub(crate) fn payload(signed: &Signed, headers: &HeaderMap, body: ByteStream) -> Result<Payload> {
    let checksum = VerifiedChecksum::default();
    let (declared, announced) = (declared(headers)?, announced(headers)?);
    let form = Form::of(&signed.payload)?;
    if !matches!(form, Form::Chunked { .. }) && is_sent_in_chunks(headers) {
        return Err(aws_chunked::malformed());
    }
    let bytes = match form {
        Form::Chunked { is_signed, has_trailers } => {
            if announced.is_some() && (!has_trailers || declared.is_some()) {
                return Err(unexpected_trailer());
            }
            let length = header(headers, "x-amz-decoded-content-length").and_then(|text| text.parse().ok());
            let length = length.ok_or_else(|| {
                let message = "You must provide the x-amz-decoded-content-length HTTP header.".to_owned();
                Error::S3(411, "MissingContentLength", message)
            })?;
            let chain = is_signed.then(|| signed.chain.clone());
            let trailers = has_trailers.then(|| Trailers::new(announced, checksum.clone()));
            aws_chunked::decode(body, chain, length, trailers)
        }
        _ if announced.is_some() => return Err(unexpected_trailer()),
        Form::Unsigned => body,
        Form::Hashed(expected) => hashed(body, expected),
    };
    let bytes = content_md5::checked(headers, bytes)?;
    let bytes = match declared {
        Some(declared) => checked(bytes, declared, checksum.clone()),
        None => bytes,
    };
    Ok(Payload { bytes, checksum })
}

/// Whether headers other than `x-amz-content-sha256` declare that the body is in chunks. Such a body must not be accepted in another
/// format: the chunk sizes and signatures would be stored as a part of the object, without verification.
fn is_sent_in_chunks(headers: &HeaderMap) -> bool {
    let codings =
        headers.get_all("content-encoding").iter().flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    let mut codings = codings.map(<[u8]>::trim_ascii);
    headers.contains_key("x-amz-decoded-content-length")
        || codings.any(|coding| coding.eq_ignore_ascii_case(b"aws-chunked"))
}

fn unexpected_trailer() -> Error {
    Error::InvalidRequest("x-amz-trailer does not go with the form of this body".to_owned())
}

/// Returns the checksum in the request headers; `None` if there is none.
pub(super) fn declared(headers: &HeaderMap) -> Result<Option<Checksum>> {
    let mut found = None;
    for (name, value) in headers {
        let Some(kind) = name.as_str().strip_prefix("x-amz-checksum-") else { continue };
        if ["algorithm", "mode", "type"].contains(&kind) {
            continue;
        }
        let invalid = || Error::InvalidRequest(format!("Value for {name} header is invalid."));
        let algorithm = Algorithm::of_header(name.as_str()).ok_or_else(unsupported)?;
        let text = value.to_str().map_err(|_| invalid())?;
        if found.replace(Checksum::parse(algorithm, text).ok_or_else(invalid)?).is_some() {
            let message = "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.";
            return Err(Error::InvalidRequest(message.to_owned()));
        }
    }
    Ok(found)
}

fn unsupported() -> Error {
    let names = Algorithm::ALL.map(Algorithm::name).join(", ");
    Error::InvalidRequest(format!(
        "Checksum algorithm provided is unsupported. Please try again with any of the valid types: [{names}]"
    ))
}

/// Returns the algorithm of the checksum trailer announced in the header `x-amz-trailer`; `None` without this header.
fn announced(headers: &HeaderMap) -> Result<Option<Algorithm>> {
    let invalid =
        || Error::InvalidRequest("The value specified in the x-amz-trailer header is not supported".to_owned());
    match headers.get("x-amz-trailer") {
        None => Ok(None),
        Some(value) => {
            let name = value.to_str().map_err(|_| invalid())?;
            Algorithm::of_header(name.trim()).map(Some).ok_or_else(invalid)
        }
    }
}

/// Compares the computed checksum of a body with the expected checksum.
pub(super) fn compare(hasher: Hasher, expected: &Checksum) -> Result<()> {
    if hasher.finish() == expected.value {
        return Ok(());
    }
    let message = format!("The {} you specified did not match the calculated checksum.", expected.algorithm.name());
    Err(Error::S3(400, "BadDigest", message))
}

fn checked(body: ByteStream, expected: Checksum, verified: VerifiedChecksum) -> ByteStream {
    let hasher = expected.algorithm.hasher();
    ending_with(body, hasher, Hasher::update, move |hasher| {
        compare(hasher, &expected)?;
        verified.set(expected.clone());
        Ok(())
    })
}

fn hashed(body: ByteStream, expected: String) -> ByteStream {
    ending_with(
        body,
        Sha256::new(),
        |hash, bytes| hash.update(bytes),
        move |hash| {
            if hex::encode(hash.finalize()) == expected {
                return Ok(());
            }
            let message = "The provided 'x-amz-content-sha256' header does not match what was computed.";
            Err(Error::S3(400, "XAmzContentSHA256Mismatch", message.to_owned()))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_forms_are_refused() {
        let ecdsa = "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD";
        for text in ["", "x", "STREAMING-UNSIGNED-PAYLOAD", ecdsa, "unsigned-payload", &"g".repeat(64)] {
            assert_eq!(Form::of(text).unwrap_err().code(), "InvalidRequest", "{text}");
        }
        assert_eq!(Form::of(&"AB".repeat(32)).unwrap(), Form::Hashed("ab".repeat(32)));
    }

    #[test]
    fn one_checksum_of_a_known_algorithm() {
        let read = |pairs: &[(&'static str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap()));
            declared(&pairs.collect())
        };
        assert!(read(&[("x-amz-checksum-md4", "AAAAAA==")]).is_err());
        assert!(read(&[("x-amz-checksum-crc32", "AAAA")]).is_err());
        assert!(read(&[("x-amz-checksum-crc32", "AAAAAA=="), ("x-amz-checksum-crc32c", "AAAAAA==")]).is_err());
        assert_eq!(read(&[("x-amz-checksum-mode", "ENABLED"), ("x-amz-checksum-type", "COMPOSITE")]).unwrap(), None);
        let found = read(&[("x-amz-checksum-crc32", "AAAAAA==")]).unwrap().unwrap();
        assert_eq!((found.algorithm, found.value.as_str()), (Algorithm::Crc32, "AAAAAA=="));
    }
}
