//! Validates the `Cache-Control` value of an object, as requested by the uploader.

use crate::error::{Error, Result};

/// Maximum length of a `Cache-Control` value in bytes. The length is limited because every response with the object contains the value.
const MAX_BYTES: usize = 1024;

/// A `Cache-Control` value of at most [`MAX_BYTES`].
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CacheControl(String);

impl Default for CacheControl {
    /// Returns the value for uploads without `Cache-Control`.
    fn default() -> Self {
        Self("no-cache".to_owned())
    }
}

impl CacheControl {
    /// Checks the `Cache-Control` value of an upload request. An empty value is the same as no value.
    ///
    /// # Errors
    /// [`Error::InvalidRequest`] if the value is longer than 1024 bytes.
    pub(crate) fn new(value: Option<&str>) -> Result<Self> {
        match value {
            None | Some("") => Ok(Self::default()),
            Some(value) if value.len() <= MAX_BYTES => Ok(Self(value.to_owned())),
            Some(_) => Err(Error::InvalidRequest(format!("cache control longer than {MAX_BYTES} bytes"))),
        }
    }

    /// Creates `max-age=<field>` from a form field, in which supabase-js sends a number of seconds.
    ///
    /// # Errors
    /// The same errors as [`CacheControl::new`].
    pub(crate) fn max_age(field: Option<&str>) -> Result<Self> {
        Self::new(field.map(|value| format!("max-age={value}")).as_deref())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}
