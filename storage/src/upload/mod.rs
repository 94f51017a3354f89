//! How bytes become an object: permission first, then the bytes under a version nobody knows, then the row that makes them
//! visible. A failure or a crash at any point leaves the old object or the new one, never a mixture.

pub(crate) mod body;
pub(crate) mod commit;
pub(crate) mod digest;
pub(crate) mod form;
pub(crate) mod head;
pub(crate) mod multipart;
pub(crate) mod permit;
pub(crate) mod pipeline;
pub(crate) mod stream;

pub(crate) use pipeline::upload;

use serde_json::Value;

use crate::backend::ByteStream;
use crate::rules::mime::MediaType;

/// A file as a request brings it.
pub(crate) struct Incoming {
    /// What is known of it before its bytes.
    pub(crate) details: Details,
    /// Its bytes.
    pub(crate) bytes: ByteStream,
}

/// What is stored along with a file's bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Details {
    /// Its type.
    pub(crate) mimetype: MediaType,
    /// Its `Cache-Control`.
    pub(crate) cache_control: String,
    /// The custom metadata of the caller.
    pub(crate) user_metadata: Option<Value>,
    /// Its `X-Robots-Tag`.
    pub(crate) robots: Option<String>,
    /// The size of the request's body, as declared: policies may test it.
    pub(crate) declared_length: Option<u64>,
}
