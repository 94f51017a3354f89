//! Serves downloads: read access to objects, and responses with their content. All protocols use this module.

pub(crate) mod access;
pub(crate) mod response;
