//! Database settings that apply until the end of a transaction; policies and functions read the settings.

use std::fmt;

use crate::Caller;

/// Names and values of settings. `Debug` prints only the names, because a value may be a token.
#[derive(Clone, Default)]
pub struct LocalSettings {
    names: Vec<String>,
    values: Vec<String>,
}

impl LocalSettings {
    /// Creates the settings `request.jwt.…` with the claims of a caller. The setting `role` is not included: it must be set separately,
    /// because the effect of other settings depends on the role.
    #[must_use]
    pub fn of(caller: &Caller) -> Self {
        let mut settings = Self::default();
        settings.set("request.jwt.claims", caller.claims_json());
        settings.set("request.jwt.claim.sub", caller.claim("sub").unwrap_or_default());
        settings.set("request.jwt.claim.role", caller.role());
        settings
    }

    /// Adds a setting with its value.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.names.push(name.to_owned());
        self.values.push(value.into());
    }

    /// Returns the names of the settings.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the values, in the order of the names.
    #[must_use]
    pub fn values(&self) -> &[String] {
        &self.values
    }
}

impl fmt::Debug for LocalSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.names).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_do_not_print() {
        let mut settings = LocalSettings::default();
        settings.set("request.jwt", "a.b.c");
        assert_eq!(format!("{settings:?}"), r#"["request.jwt"]"#);
    }
}
