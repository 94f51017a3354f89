//! Types for the properties of objects and vectors, as stored in database rows and blobs, and for the headers that describe objects to
//! clients.

pub(crate) mod blob;
pub(crate) mod content_headers;
pub(crate) mod meta;
pub(crate) mod metadata_filter;
pub(crate) mod object_path;
pub(crate) mod owner;
pub(crate) mod representation;
pub(crate) mod vector;
