//! Steps that the bytes of an upload pass through on their way to the backend.

pub(crate) mod buffer;
pub(crate) mod digest;
