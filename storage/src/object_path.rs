//! Where an object is: its bucket and its name in it.

use std::fmt;

/// The id of a bucket and the name of an object in it. The bucket may not exist, and either may break the rules for names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectPath {
    pub(crate) bucket: String,
    pub(crate) name: String,
}

impl ObjectPath {
    pub(crate) fn new(bucket: impl Into<String>, name: impl Into<String>) -> Self {
        Self { bucket: bucket.into(), name: name.into() }
    }
}

/// `bucket/name`, as signed URLs and answers have it.
impl fmt::Display for ObjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.bucket, self.name)
    }
}
