//! Runs SQL queries on schema `storage`. Each query runs in a transaction with the role of the caller or the service role. The row-level
//! security policies for this role decide which rows the query can read and change.

pub(crate) mod buckets;
pub(crate) mod lifecycles;
pub(crate) mod listing;
pub(crate) mod metadata_filter;
pub(crate) mod multipart_uploads;
pub(crate) mod objects;
pub(crate) mod read_object;
pub(crate) mod retrying_query;
pub(crate) mod transaction;
pub(crate) mod vector_indexes;
pub(crate) mod vector_search;
pub(crate) mod vectors;
pub(crate) mod versions;
pub(crate) mod write_object;

use std::fmt::Display;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serializer;

/// Formats a time as Supabase Storage's API does: ISO 8601 with milliseconds.
pub(crate) fn iso(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

pub(crate) fn serialize_time<S: Serializer>(time: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => serializer.serialize_str(&iso(*time)),
        None => serializer.serialize_none(),
    }
}

/// Serializes a missing text as an empty string, as Supabase Storage does. Clients in typed languages expect a string.
pub(crate) fn serialize_text<T: Display, S: Serializer>(text: &Option<T>, serializer: S) -> Result<S::Ok, S::Error> {
    match text {
        Some(text) => serializer.collect_str(text),
        None => serializer.serialize_str(""),
    }
}

/// Converts a number to a PostgreSQL `int`, saturating at its maximum.
pub(crate) fn saturating_int(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}
