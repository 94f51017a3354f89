//! Resumable uploads: the TUS protocol 1.0.0 at `/upload/resumable`, and at `/upload/resumable/sign` for holders of a link.
//!
//! The bytes of an upload are safe whenever its offset is told: a client, a connection or a node may go away at any time, and
//! the upload goes on from there, on any node. The state of an upload is a row of `cloch.storage_uploads`.

mod address;
mod create;
mod error;
mod finish;
mod headers;
mod hold;
mod options;
mod patch;
mod receive;
mod record;
mod right;
mod source;
mod status;
mod terminate;

pub(crate) use create::{create, create_signed};
pub(crate) use hold::Holds;
pub(crate) use options::options;
pub(crate) use patch::{patch, patch_signed};
pub(crate) use record::expire;
pub(crate) use status::{status, status_signed};
pub(crate) use terminate::{terminate, terminate_signed};

/// The version of the protocol.
const VERSION: &str = "1.0.0";
