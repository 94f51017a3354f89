//! What a request brings: who asks, in which words, with which body.

pub(crate) mod asking;
pub(crate) mod fields;
pub(crate) mod json;
pub(crate) mod url;

pub(crate) use asking::{Asking, Tx, Visitor};
pub(crate) use fields::Fields;
