//! Parses the metadata column of an object's row.

use axum::http::header::{ACCEPT_RANGES, ETAG, LAST_MODIFIED};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::blob::StoredBlob;
use super::content_headers;
use super::representation::Representation;
use crate::backend::BlobKey;
use crate::conditions::Validators;
use crate::error::Result;
use crate::http_headers::{http_date, put};
use crate::validation::media_type::MediaType;
use crate::validation::robots_tag;

/// Name of the metadata column's field for [`Meta::part_size`].
pub(crate) const PART_SIZE: &str = "partSize";

/// Version and properties of an object that are needed to serve it. Rows written by other servers may lack any of these properties.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Meta {
    pub(crate) version: Option<String>,
    pub(crate) size: Option<u64>,
    pub(crate) mimetype: Option<String>,
    pub(crate) cache_control: Option<String>,
    /// Entity tag of the object, including its quotes.
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<DateTime<Utc>>,
    pub(crate) representation: Representation,
    /// Size in bytes of each part of a multipart upload except the last part. `None` if the parts have different sizes.
    pub(crate) part_size: Option<u64>,
    /// Headers that every response with the object contains.
    pub(crate) headers: HeaderMap,
}

impl Meta {
    /// Parses a metadata column. The version of the object is not set.
    pub(crate) fn of_metadata(metadata: Option<&Value>) -> Self {
        let field = |name: &str| metadata.and_then(|metadata| metadata.get(name));
        let text = |name: &str| field(name).and_then(Value::as_str).map(str::to_owned);
        let robots = text("xRobotsTag").filter(|tag| robots_tag::check(tag).is_ok());
        let mut meta = Self {
            version: None,
            size: field("contentLength").and_then(number).or_else(|| field("size").and_then(number)),
            mimetype: text("mimetype"),
            cache_control: text("cacheControl").filter(|value| !value.is_empty()),
            etag: text("eTag"),
            last_modified: field("lastModified").and_then(time),
            part_size: field(PART_SIZE).and_then(number),
            representation: Representation::of_metadata(metadata),
            headers: HeaderMap::new(),
        };
        meta.headers = meta.fixed_headers(robots.as_deref().unwrap_or(robots_tag::DEFAULT));
        meta
    }

    /// Returns the headers that every response with the object contains. They are created once per row, so that responses from the object
    /// cache need not create them again.
    fn fixed_headers(&self, robots: &str) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(12);
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        let media_type = content_headers::plain(self.mimetype.as_deref());
        content_headers::set(&mut headers, &media_type);
        self.representation.send(&mut headers, &media_type);
        put(&mut headers, HeaderName::from_static("x-robots-tag"), robots);
        if let Some(etag) = &self.etag {
            put(&mut headers, ETAG, etag);
        }
        if let Some(time) = self.last_modified {
            put(&mut headers, LAST_MODIFIED, &http_date(time));
        }
        headers
    }

    /// Returns the number of parts of an object that was uploaded in parts, parsed from its entity tag. `None` for other objects.
    pub(crate) fn part_count(&self) -> Option<u64> {
        self.etag.as_deref()?.trim_matches('"').split_once('-')?.1.parse().ok()
    }

    /// Returns the object's validators for conditional requests.
    pub(crate) fn validators(&self) -> Validators<'_> {
        Validators { etag: self.etag.as_deref(), last_modified: self.last_modified }
    }

    /// Returns the estimated memory of this value in bytes, for the size limit of the object cache.
    pub(crate) fn weight(&self) -> usize {
        let texts = [&self.version, &self.mimetype, &self.cache_control, &self.etag];
        let texts = texts.into_iter().flatten().map(String::len).sum::<usize>();
        let headers = self.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum::<usize>();
        texts + headers + size_of::<Self>()
    }

    /// Returns the media type of the object. An invalid type in the row becomes the default type.
    pub(crate) fn media_type(&self) -> MediaType {
        content_headers::stored_type(self.mimetype.as_deref())
    }

    /// Returns the object's blob with its size and entity tag.
    ///
    /// # Errors
    /// The same errors as [`Meta::key`].
    pub(crate) fn blob(&self) -> Result<StoredBlob> {
        let etag = self.etag.as_deref().unwrap_or_default().trim_matches('"').to_owned();
        Ok(StoredBlob { key: self.key()?, size: self.size.unwrap_or(0), etag })
    }

    /// Returns the key of the object's blob.
    ///
    /// # Errors
    /// [`crate::Error::BlobMissing`] if the object's row has no valid version.
    pub(crate) fn key(&self) -> Result<BlobKey> {
        BlobKey::of_version(self.version.as_deref())
    }
}

/// Parses a time in the formats that servers have written: ISO 8601, HTTP-date, or milliseconds since the Unix epoch. `None` for other values.
fn time(value: &Value) -> Option<DateTime<Utc>> {
    match value {
        Value::String(text) => {
            let read = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text));
            read.ok().map(|time| time.to_utc())
        }
        value => value.as_i64().and_then(DateTime::from_timestamp_millis),
    }
}

fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str().and_then(|text| text.parse().ok()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_in_every_form() {
        for value in
            [json!("2026-01-02T03:04:05.678Z"), json!("Fri, 02 Jan 2026 03:04:05 GMT"), json!(1_767_323_045_678_i64)]
        {
            let meta = Meta::of_metadata(Some(&json!({ "lastModified": value })));
            assert_eq!(meta.headers[LAST_MODIFIED], "Fri, 02 Jan 2026 03:04:05 GMT", "{value}");
        }
        for value in [json!("yesterday"), json!(null), json!({}), json!(i64::MAX), json!(1e300)] {
            let meta = Meta::of_metadata(Some(&json!({ "lastModified": value })));
            assert_eq!(meta.headers.get(LAST_MODIFIED), None, "{value}");
        }
    }

    #[test]
    fn sizes_in_every_form() {
        let size = |metadata| Meta::of_metadata(Some(&metadata)).size;
        assert_eq!(size(json!({"size": "x", "contentLength": -1})), None);
        assert_eq!(size(json!({"size": 5})), Some(5));
        assert_eq!(size(json!({"size": 5, "contentLength": "7"})), Some(7));
        assert_eq!(size(json!({"size": 5, "contentLength": null})), Some(5));
    }
}
