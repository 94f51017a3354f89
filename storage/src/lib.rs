//! The storage API (`/storage/v1`): buckets and objects, signed links, resumable uploads, images, the S3 protocol.
//!
//! A request is read ([`request`](self)), PostgreSQL's policies are asked as the caller, bytes go to or come from a
//! [`backend::Backend`], and the answer or the [`Error`] is written in the form that this protocol's clients know.

mod answer;
mod api;
mod archive;
pub mod backend;
mod background;
mod bucket;
mod buffer_pool;
mod cdn;
mod error;
mod health;
mod object;
mod object_cache;
mod object_path;
mod operation;
mod render;
mod request;
mod router;
mod rows;
mod rules;
mod s3;
mod seed;
pub mod settings;
pub mod space;
mod state;
mod strip;
pub mod sweep;
pub mod transfer;
mod tus;
mod upload;
mod visitors;

pub use api::{Opened, StorageAs};
pub use background::background;
pub use error::{Error, Result};
pub use router::Routes;
pub use seed::{BucketSeed, ensure_buckets};
pub use settings::Settings;
pub use state::StorageState;
