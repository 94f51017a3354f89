//! The storage API (`/storage/v1`): buckets and objects, signed URLs, resumable uploads, image transformations, the S3 protocol, vector
//! buckets.
//!
//! `request` parses a request, PostgreSQL checks the access of the caller's role with row-level security policies, and a
//! [`backend::Backend`] stores and returns the bytes. Responses and [`Error`]s have the format that clients of the protocol (Storage API,
//! TUS, S3) expect.

mod api;
mod archive;
pub mod backend;
mod background;
mod bucket;
mod buffer_pool;
mod byte_stream;
mod capacity;
mod coercion;
mod conditions;
mod content_disposition;
mod db;
mod error;
mod fields;
mod http_headers;
mod json_response;
mod lifecycle;
pub mod metrics;
pub mod migrate_backend;
mod model;
mod object;
mod object_cache;
mod operation;
mod outage;
mod read;
mod render;
mod request;
mod request_bucket;
mod router;
mod s3;
mod seed;
mod service;
pub mod settings;
mod signed_url;
mod state;
mod strip_metadata;
pub mod sweep;
mod tus;
mod upload;
mod validation;
mod vectors;

pub use api::{Opened, StorageAs};
pub use background::{background, measure_capacity};
pub use error::{Error, Result};
pub use outage::unavailable;
pub use router::Routes;
pub use seed::{BucketSeed, Difference, Existing, ensure_buckets};
pub use settings::Settings;
pub use state::StorageState;
