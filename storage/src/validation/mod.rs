//! Validation of what a request names, sends and asks for. Pure: no database, no bytes.

pub(crate) mod cache_control;
pub(crate) mod file_signature;
pub(crate) mod file_size;
pub(crate) mod media_type;
pub(crate) mod names;
pub(crate) mod robots_tag;
