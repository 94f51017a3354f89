//! Objects: one file for each thing that can be done with them.

pub(crate) mod content_headers;
pub(crate) mod copy;
pub(crate) mod cursor;
pub(crate) mod delete;
pub(crate) mod delete_many;
pub(crate) mod download;
pub(crate) mod head;
pub(crate) mod info;
pub(crate) mod link;
pub(crate) mod list;
pub(crate) mod list_v2;
pub(crate) mod meta;
pub(crate) mod relocate;
pub(crate) mod serve;
pub(crate) mod sign;
pub(crate) mod sign_many;
pub(crate) mod sign_upload;
pub(crate) mod upload;
pub(crate) mod upload_signed;
pub(crate) mod visible;
