//! What rows and blobs say of an object, and how it is described to clients.

pub(crate) mod blob;
pub(crate) mod content_headers;
pub(crate) mod meta;
pub(crate) mod object_path;
pub(crate) mod owner;
pub(crate) mod representation;
