//! The `Cache-Control` of an object, as its uploader wants it served.

use crate::error::{Error, Result};

/// The longest value, in bytes: every answer with the object repeats it.
const MAX_BYTES: usize = 1024;

/// A value of `Cache-Control` that is short enough to be kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CacheControl(String);

impl Default for CacheControl {
    /// What is kept where an upload says nothing.
    fn default() -> Self {
        Self("no-cache".to_owned())
    }
}

impl CacheControl {
    /// The value that an upload asks for.
    ///
    /// # Errors
    /// [`Error::InvalidRequest`] when it is longer than 1024 bytes.
    pub(crate) fn new(value: Option<&str>) -> Result<Self> {
        match value {
            None => Ok(Self::default()),
            Some(value) if value.len() <= MAX_BYTES => Ok(Self(value.to_owned())),
            Some(_) => Err(Error::InvalidRequest(format!("cache control longer than {MAX_BYTES} bytes"))),
        }
    }

    /// `max-age=` and the value of a form's field, which supabase-js fills with a number of seconds.
    ///
    /// # Errors
    /// As [`CacheControl::new`].
    pub(crate) fn max_age(field: Option<&str>) -> Result<Self> {
        Self::new(field.map(|value| format!("max-age={value}")).as_deref())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}
