//! Resumable uploads: the TUS protocol 1.0.0 at `/upload/resumable`, and at `/upload/resumable/sign` with signed URLs.
//!
//! The bytes before an upload's offset are stored whenever the offset is reported: a client, a connection or a node may go away at any
//! time, and the upload continues from there, on any node. The state of an upload is a row of `cloch.storage_uploads`.

mod authorization;
mod create;
mod error;
mod finish;
mod headers;
pub(crate) mod lock;
mod options;
mod patch;
mod receive;
pub(crate) mod record;
mod segments;
mod status;
mod terminate;
mod upload_url;

pub(crate) use create::{create, create_signed};
pub(crate) use options::options;
pub(crate) use patch::{patch, patch_signed};
pub(crate) use status::{status, status_signed};
pub(crate) use terminate::{terminate, terminate_signed};
