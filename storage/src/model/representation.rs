//! Stores representation headers with an object and sends them with all downloads: content encoding, language and disposition.

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_LANGUAGE};
use axum::http::{HeaderMap, HeaderName};
use serde_json::Value;

use super::content_headers;
use crate::error::{Error, Result};
use crate::http_headers::put;
use crate::validation::media_type::MediaType;

/// Maximum length of a representation header's value in bytes.
const MAX_VALUE_BYTES: usize = 2048;
/// Content coding of request bodies in the S3 protocol. It describes only the transfer, so it is not stored with the object.
const AWS_CHUNKED: &str = "aws-chunked";
const COUNT: usize = 3;
/// The stored representation headers, and their keys in the metadata column.
const KEPT: [(HeaderName, &str); COUNT] = [
    (CONTENT_ENCODING, "contentEncoding"),
    (CONTENT_LANGUAGE, "contentLanguage"),
    (CONTENT_DISPOSITION, "contentDisposition"),
];

/// The values of the representation headers, in the order of [`KEPT`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Representation([Option<String>; COUNT]);

impl Representation {
    /// Parses the representation headers of an upload request.
    ///
    /// # Errors
    /// [`Error::InvalidRequest`] if a header value is too long or contains non-ASCII characters.
    pub(crate) fn of_headers(headers: &HeaderMap) -> Result<Self> {
        let mut values = Self::default();
        for ((name, _), value) in KEPT.iter().zip(&mut values.0) {
            let lines = headers.get_all(name).iter().map(|line| line.to_str().map_err(|_| invalid(name)));
            let lines = lines.collect::<Result<Vec<_>>>()?;
            *value = kept(name, &lines.join(", "))?;
        }
        Ok(values)
    }

    /// Parses the representation headers in the fields of an upload form. The field names are in lower case.
    ///
    /// # Errors
    /// The same errors as [`Representation::of_headers`].
    pub(crate) fn of_fields<'a>(field: impl Fn(&str) -> Option<&'a str>) -> Result<Self> {
        let mut values = Self::default();
        for ((name, _), value) in KEPT.iter().zip(&mut values.0) {
            *value = kept(name, field(name.as_str()).unwrap_or_default())?;
        }
        Ok(values)
    }

    /// Reads the representation headers from a metadata column.
    pub(crate) fn of_metadata(metadata: Option<&Value>) -> Self {
        let text = |key: &str| metadata.and_then(|map| map.get(key)).and_then(Value::as_str).map(str::to_owned);
        Self(KEPT.map(|(_, key)| text(key)))
    }

    /// Replaces the representation headers in a metadata column.
    pub(crate) fn describe(&self, metadata: &mut Value) {
        let Some(map) = metadata.as_object_mut() else { return };
        for ((_, key), value) in KEPT.iter().zip(&self.0) {
            match value {
                Some(value) => map.insert((*key).to_owned(), value.as_str().into()),
                None => map.remove(*key),
            };
        }
    }

    /// Sets the representation headers of a response with the object. If a browser must not show the media type, the response has the
    /// disposition `attachment` instead of a stored disposition such as `inline`.
    pub(crate) fn send(&self, headers: &mut HeaderMap, media_type: &MediaType) {
        for ((name, _), value) in KEPT.iter().zip(&self.0) {
            match value {
                Some(value) if *name == CONTENT_DISPOSITION => {
                    content_headers::set_disposition(headers, media_type, value);
                }
                Some(value) => put(headers, name.clone(), value),
                None => {}
            }
        }
    }

    /// Whether the object's content is stored without compression (no content encoding, or `identity`).
    pub(crate) fn is_plain(&self) -> bool {
        let [encoding, ..] = &self.0;
        encoding.as_ref().is_none_or(|encoding| encoding.eq_ignore_ascii_case("identity"))
    }
}

/// Returns the header value to store, or `None` if the value is empty.
fn kept(name: &HeaderName, text: &str) -> Result<Option<String>> {
    let is_sendable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if !is_sendable || text.len() > MAX_VALUE_BYTES {
        return Err(invalid(name));
    }
    let value = match *name == CONTENT_ENCODING {
        true => {
            let codings = text.split(',').map(str::trim).filter(|coding| !coding.is_empty());
            codings.filter(|coding| !coding.eq_ignore_ascii_case(AWS_CHUNKED)).collect::<Vec<_>>().join(", ")
        }
        false => text.trim().to_owned(),
    };
    Ok(Some(value).filter(|value| !value.is_empty()))
}

fn invalid(name: &HeaderName) -> Error {
    Error::InvalidRequest(format!("The {name} header must be at most {MAX_VALUE_BYTES} characters of ASCII"))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use serde_json::json;

    use super::*;

    fn read(pairs: &[(&HeaderName, &str)]) -> Result<Representation> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append((*name).clone(), HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        Representation::of_headers(&headers)
    }

    #[test]
    fn what_could_not_be_sent_again_is_refused() {
        assert!(read(&[(&CONTENT_LANGUAGE, "ä")]).is_err());
        assert!(read(&[(&CONTENT_DISPOSITION, &"x".repeat(2049))]).is_err());
    }

    #[test]
    fn they_are_kept_and_sent() {
        let pairs = [(&CONTENT_ENCODING, "aws-chunked, gzip"), (&CONTENT_ENCODING, "br"), (&CONTENT_LANGUAGE, "gd")];
        let representation = read(&pairs).unwrap();
        let mut metadata = json!({"contentDisposition": "inline", "size": 1});
        representation.describe(&mut metadata);
        assert_eq!(metadata, json!({"contentEncoding": "gzip, br", "contentLanguage": "gd", "size": 1}));
        assert_eq!(Representation::of_metadata(Some(&metadata)), representation);
        let mut headers = HeaderMap::new();
        representation.send(&mut headers, &MediaType::default());
        assert_eq!(
            (&headers[CONTENT_ENCODING], &headers[CONTENT_LANGUAGE]),
            (&"gzip, br".parse().unwrap(), &"gd".parse().unwrap())
        );
        assert!(!representation.is_plain());
        assert!(read(&[(&CONTENT_ENCODING, "aws-chunked")]).unwrap() == Representation::default());
    }

    #[test]
    fn a_disposition_does_not_show_a_document() {
        let mut headers = HeaderMap::new();
        let representation = read(&[(&CONTENT_DISPOSITION, "inline; filename=\"a.html\"")]).unwrap();
        representation.send(&mut headers, &MediaType::parse_or_default("text/html"));
        assert_eq!(headers[CONTENT_DISPOSITION], "attachment; filename=\"a.html\"");
    }
}
