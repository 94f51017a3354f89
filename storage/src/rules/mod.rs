//! The rules for what a request may name, send and ask for. Pure: no database, no bytes.

pub(crate) mod mime;
pub(crate) mod name;
pub(crate) mod range;
pub(crate) mod robots;
pub(crate) mod signature;
pub(crate) mod size;
