//! A secret text that is never printed in a log, an error or debug output.

use std::fmt;

use serde::{Deserialize, Deserializer};
use subtle::ConstantTimeEq;

/// A secret text. `Debug` prints a placeholder instead of the text. [`Secret::matches`] compares in constant time.
#[derive(Clone, Default)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret text.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// Returns the text of the secret, for a library that needs the plain text.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the secret is empty, which means that no secret is configured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the secret is equal to `candidate`. The duration depends only on the lengths of both texts. An empty secret matches no text.
    #[must_use]
    pub fn matches(&self, candidate: &str) -> bool {
        !self.0.is_empty() && bool::from(self.0.as_bytes().ct_eq(candidate.as_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self(value)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_prints_its_value() {
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn an_empty_secret_matches_nothing() {
        assert!(!Secret::default().matches(""));
        assert!(!Secret::new("a").matches("b"));
        assert!(Secret::new("a").matches("a"));
    }
}
