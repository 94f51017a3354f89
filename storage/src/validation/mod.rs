//! Validates names, headers and parameters of requests, without access to the database or stored content.

pub(crate) mod cache_control;
pub(crate) mod file_signature;
pub(crate) mod file_size;
pub(crate) mod media_type;
pub(crate) mod names;
pub(crate) mod robots_tag;
