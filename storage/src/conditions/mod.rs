//! Evaluates conditional requests and ranges (RFC 9110, sections 13 and 14) for all endpoints that return objects: the object routes (with
//! a token, public or signed), `info`, rendered images, and the S3 protocol.
//!
//! Amazon S3 combines the conditional headers as RFC 9110 does: with `If-Match`, `If-Unmodified-Since` is ignored, and with
//! `If-None-Match`, `If-Modified-Since` is ignored.

pub(crate) mod byte_range;
mod entity_tags;
mod http_date;

use std::ops::Range;

use axum::http::HeaderMap;
use axum::http::header::{IF_RANGE, RANGE};
use chrono::{DateTime, Utc};

use self::byte_range::Requested;
use self::entity_tags::EntityTags;
use crate::error::{Error, Result};

/// Validators of a representation (entity tag and time of the last change), which are compared with conditional headers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Validators<'a> {
    /// Entity tag including its quotes.
    pub(crate) etag: Option<&'a str>,
    pub(crate) last_modified: Option<DateTime<Utc>>,
}

/// The conditional headers of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions<'a> {
    headers: &'a HeaderMap,
    names: &'static Names,
}

#[derive(Debug)]
struct Names {
    if_match: &'static str,
    unmodified_since: &'static str,
    none_match: &'static str,
    modified_since: Option<&'static str>,
}

const READ: Names = Names {
    if_match: "if-match",
    unmodified_since: "if-unmodified-since",
    none_match: "if-none-match",
    modified_since: Some("if-modified-since"),
};

/// Names of the conditional headers of requests that write. `If-Modified-Since` is absent, because it applies only to GET and HEAD (RFC
/// 9110, 13.1.3).
const WRITE: Names = Names { modified_since: None, ..READ };

const COPY_SOURCE: Names = Names {
    if_match: "x-amz-copy-source-if-match",
    unmodified_since: "x-amz-copy-source-if-unmodified-since",
    none_match: "x-amz-copy-source-if-none-match",
    modified_since: Some("x-amz-copy-source-if-modified-since"),
};

/// Result of evaluating the conditional headers of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Proceed,
    NotModified,
    PreconditionFailed,
}

impl<'a> Conditions<'a> {
    /// Returns the conditional headers of a GET or HEAD request.
    pub(crate) fn of_read(headers: &'a HeaderMap) -> Self {
        Self { headers, names: &READ }
    }

    /// Returns the conditional headers of a request that changes the object.
    pub(crate) fn of_write(headers: &'a HeaderMap) -> Self {
        Self { headers, names: &WRITE }
    }

    /// Returns the conditional headers of an S3 copy request that apply to the copy source.
    pub(crate) fn of_copy_source(headers: &'a HeaderMap) -> Self {
        Self { headers, names: &COPY_SOURCE }
    }

    /// Evaluates the conditional headers in the order of RFC 9110, 13.2.2.
    pub(crate) fn evaluate(self, current: Validators<'_>) -> Verdict {
        let matched = match self.tags(self.names.if_match) {
            Some(tags) => tags.match_strongly(current.etag),
            None => match (self.date(self.names.unmodified_since), current.last_modified) {
                (Some(since), Some(modified)) => modified.timestamp() <= since.timestamp(),
                _ => true,
            },
        };
        if !matched {
            return Verdict::PreconditionFailed;
        }
        let changed = match self.tags(self.names.none_match) {
            Some(tags) => !tags.match_weakly(current.etag),
            None => match (self.names.modified_since.and_then(|name| self.date(name)), current.last_modified) {
                (Some(since), Some(modified)) => modified.timestamp() > since.timestamp(),
                _ => true,
            },
        };
        if changed { Verdict::Proceed } else { Verdict::NotModified }
    }

    /// Whether the response to a GET or HEAD request contains the representation (`true`) or has status 304 (`false`).
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`] if the response must have status 412.
    pub(crate) fn wants_representation(self, current: Validators<'_>) -> Result<bool> {
        match self.evaluate(current) {
            Verdict::Proceed => Ok(true),
            Verdict::NotModified => Ok(false),
            Verdict::PreconditionFailed => Err(Error::PreconditionFailed),
        }
    }

    /// Requires that all conditional headers of a request are fulfilled. Used for requests that cannot have a response with status 304.
    ///
    /// # Errors
    /// [`Error::PreconditionFailed`] if a condition is false.
    pub(crate) fn require(self, current: Validators<'_>) -> Result<()> {
        if self.evaluate(current) == Verdict::Proceed { Ok(()) } else { Err(Error::PreconditionFailed) }
    }

    /// Whether the client has cached only other versions of the object: `If-None-Match` is present and does not contain the current entity
    /// tag.
    pub(crate) fn knows_another(self, current: Validators<'_>) -> bool {
        self.tags(self.names.none_match).is_some_and(|tags| !tags.match_weakly(current.etag))
    }

    fn tags(self, name: &'static str) -> Option<EntityTags<'a>> {
        self.headers.contains_key(name).then(|| EntityTags::of(self.headers, name))
    }

    fn date(self, name: &str) -> Option<DateTime<Utc>> {
        date(self.headers, name)
    }
}

/// Returns the date in the header `name`. `None` if the header is not a valid HTTP-date or occurs more than once, because RFC 9110 (13.1.3,
/// 13.1.4) requires ignoring such headers.
fn date(headers: &HeaderMap, name: &str) -> Option<DateTime<Utc>> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => http_date::parse(value.to_str().ok()?),
        _ => None,
    }
}

/// Returns the byte range of the `Range` header of a GET request. `None` if the whole representation is to be sent. Call this function
/// after evaluating the conditional headers except `If-Range`.
///
/// # Errors
/// [`Error::InvalidRange`] if the byte range starts after the end of the representation.
pub(crate) fn requested_range(headers: &HeaderMap, current: Validators<'_>, size: u64) -> Result<Option<Range<u64>>> {
    let mut values = headers.get_all(RANGE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return Ok(None) };
    if !if_range_holds(headers, current) {
        return Ok(None);
    }
    match byte_range::parse(value.as_bytes(), size) {
        Requested::Whole => Ok(None),
        Requested::Part(range) => Ok(Some(range)),
        Requested::Unsatisfiable => Err(Error::InvalidRange(size)),
    }
}

/// Evaluates `If-Range` (RFC 9110, 13.1.5), which contains a strong entity tag or the exact time of the last modification.
fn if_range_holds(headers: &HeaderMap, current: Validators<'_>) -> bool {
    if !headers.contains_key(IF_RANGE) {
        return true;
    }
    match (date(headers, IF_RANGE.as_str()), current.last_modified) {
        (Some(date), Some(modified)) => date.timestamp() == modified.timestamp(),
        (Some(_), None) => false,
        (None, _) => EntityTags::of(headers, IF_RANGE.as_str()).is_one_strong(current.etag),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    const NOW: &str = "Fri, 02 Jan 2026 03:04:05 GMT";
    const BEFORE: &str = "Fri, 02 Jan 2026 03:04:04 GMT";

    fn current() -> Validators<'static> {
        Validators { etag: Some("\"a\""), last_modified: http_date::parse(NOW) }
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        headers
    }

    fn verdict(pairs: &[(&'static str, &str)]) -> Verdict {
        Conditions::of_read(&headers(pairs)).evaluate(current())
    }

    /// Tests combinations of conditional headers. The last two cases are the combinations that Amazon documents for GetObject.
    #[test]
    fn the_order_of_the_rfc() {
        use Verdict::{NotModified, PreconditionFailed, Proceed};
        for (pairs, expected) in [
            (&[][..], Proceed),
            (&[("if-match", "\"b\"")], PreconditionFailed),
            (&[("if-match", "W/\"a\"")], PreconditionFailed),
            (&[("if-match", "\"b\", \"a\"")], Proceed),
            (&[("if-match", "*")], Proceed),
            (&[("if-match", "")], PreconditionFailed),
            (&[("if-unmodified-since", BEFORE)], PreconditionFailed),
            (&[("if-unmodified-since", NOW)], Proceed),
            (&[("if-unmodified-since", "soon")], Proceed),
            (&[("if-match", "\"b\""), ("if-none-match", "\"a\"")], PreconditionFailed),
            (&[("if-none-match", "\"a\"")], NotModified),
            (&[("if-none-match", "W/\"a\"")], NotModified),
            (&[("if-none-match", "\"b\""), ("if-none-match", "\"a\"")], NotModified),
            (&[("if-none-match", "*")], NotModified),
            (&[("if-none-match", "\"b\""), ("if-modified-since", NOW)], Proceed),
            (&[("if-modified-since", NOW)], NotModified),
            (&[("if-modified-since", BEFORE)], Proceed),
            (&[("if-modified-since", BEFORE), ("if-modified-since", NOW)], Proceed),
            (&[("if-match", "\"a\""), ("if-unmodified-since", BEFORE)], Proceed),
            (&[("if-none-match", "\"a\""), ("if-modified-since", BEFORE)], NotModified),
        ] {
            assert_eq!(verdict(pairs), expected, "{pairs:?}");
        }
    }

    #[test]
    fn a_file_without_validators() {
        let evaluate = |name, value| Conditions::of_read(&headers(&[(name, value)])).evaluate(Validators::default());
        assert_eq!(evaluate("if-match", "*"), Verdict::Proceed);
        assert_eq!(evaluate("if-match", "\"a\""), Verdict::PreconditionFailed);
        assert_eq!(evaluate("if-none-match", "*"), Verdict::NotModified);
        assert_eq!(evaluate("if-none-match", "\"a\""), Verdict::Proceed);
        assert_eq!(evaluate("if-modified-since", NOW), Verdict::Proceed);
        assert_eq!(evaluate("if-unmodified-since", BEFORE), Verdict::Proceed);
    }

    #[test]
    fn if_range_decides_whether_the_range_counts() {
        let range = |value: &str| {
            requested_range(&headers(&[("range", "bytes=1-2"), ("if-range", value)]), current(), 9).unwrap()
        };
        for value in ["\"a\"", NOW, "Friday, 02-Jan-26 03:04:05 GMT"] {
            assert_eq!(range(value), Some(1..3), "{value}");
        }
        for value in ["\"b\"", "W/\"a\"", BEFORE, "Fri, 02 Jan 2026 03:04:06 GMT", "*", "\"a\", \"b\"", "soon", ""] {
            assert_eq!(range(value), None, "{value}");
        }
    }
}
