//! What a request brings: its identity, its fields, its body.

pub(crate) mod body;
pub(crate) mod custom_metadata;
pub(crate) mod fields;
pub(crate) mod identity;
pub(crate) mod json_body;
pub(crate) mod multipart_form;
pub(crate) mod owner;
pub(crate) mod percent_encoding;

pub(crate) use fields::Fields;
pub(crate) use identity::{Authenticated, MaybeAuthenticated};
