//! The statements on schema storage. Each runs inside a transaction of the caller or of the service role; which of the two
//! decides what it may see and change.

pub(crate) mod bucket;
pub(crate) mod listing;
pub(crate) mod multipart;
pub(crate) mod object;
pub(crate) mod question;
pub(crate) mod write;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serializer;

/// A time as this API writes it: ISO 8601 with milliseconds.
pub(crate) fn iso(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

pub(crate) fn serialize_time<S: Serializer>(time: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serializer.serialize_str(&iso(*time)),
        None => serializer.serialize_none(),
    }
}
