//! Processes the bytes of an upload on their way to the storage backend: buffers and hashes them.

pub(crate) mod buffer;
pub(crate) mod digest;
