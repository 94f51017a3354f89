//! Handles resumable uploads: the TUS protocol 1.0.0 at `/upload/resumable`, and at `/upload/resumable/sign` with signed URLs.
//!
//! All content before a reported offset is durable: after the failure of a client, a connection or a node, the upload continues from this
//! offset on any node. Each upload is a row of `cloch.storage_uploads`.

mod authorization;
mod create;
mod error;
mod finish;
mod headers;
pub(crate) mod lock;
pub(crate) mod method_override;
mod options;
mod patch;
mod receive;
pub(crate) mod record;
mod segments;
mod status;
mod terminate;
mod upload_url;

pub(crate) use create::{create, create_signed};
pub(crate) use error::TusError;
pub(crate) use options::options;
pub(crate) use patch::{patch, patch_signed};
pub(crate) use status::{status, status_signed};
pub(crate) use terminate::{terminate, terminate_signed};

/// Path of resumable uploads below the mount point of the storage API.
pub(crate) const PATH: &str = "/upload/resumable";
