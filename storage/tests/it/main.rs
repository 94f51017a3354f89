//! Tests of the storage API as seen by clients: HTTP requests to the router with a real PostgreSQL server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod archive;
mod backends;
mod bounds;
mod buckets;
mod caching;
mod chunked;
mod conditional;
mod conditional_reads;
mod declared_buckets;
mod faults;
mod faulty_backend;
mod hostile;
mod images;
mod limits;
mod listing_by_name;
mod listing_by_time;
mod multipart;
mod names;
mod nesting;
mod objects;
mod policies;
mod prefixes;
mod reading;
mod relocation;
mod resumable;
mod s3_answers;
mod s3_headers;
mod s3_unknown;
mod signing;
mod space;
mod stripping;
mod stripping_refusals;
mod support;
mod sweeping;
mod trial;
mod types;
mod uploads;
mod vectors;
mod versions;
