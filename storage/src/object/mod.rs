//! HTTP endpoints of objects, one file per endpoint.

pub(crate) mod copy;
pub(crate) mod cursor;
pub(crate) mod delete;
pub(crate) mod delete_many;
pub(crate) mod get;
pub(crate) mod head;
pub(crate) mod info;
pub(crate) mod list;
pub(crate) mod list_v2;
mod list_versions;
pub(crate) mod move_object;
pub(crate) mod render;
pub(crate) mod sign;
pub(crate) mod sign_many;
pub(crate) mod sign_upload;
pub(crate) mod upload;
pub(crate) mod upload_signed;
