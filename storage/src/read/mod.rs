//! Downloads: who may read an object, and the response with its bytes. All protocols read through this module.

pub(crate) mod access;
pub(crate) mod response;
