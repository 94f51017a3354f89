//! What a transaction tells the policies and functions that it meets: settings that hold until it ends.

use crate::Caller;

/// Settings by name, in a form that one statement can take.
#[derive(Clone, Debug, Default)]
pub struct Told {
    names: Vec<String>,
    texts: Vec<String>,
}

impl Told {
    /// Who is calling: the claims. The role is set apart, for it decides what the rest may do.
    #[must_use]
    pub fn of(caller: &Caller) -> Self {
        let mut told = Self::default();
        told.tell("request.jwt.claims", caller.claims_json());
        told.tell("request.jwt.claim.sub", caller.claim("sub").unwrap_or_default());
        told.tell("request.jwt.claim.role", caller.role());
        told
    }

    /// Adds a setting.
    pub fn tell(&mut self, name: &str, text: impl Into<String>) {
        self.names.push(name.to_owned());
        self.texts.push(text.into());
    }

    /// The names of the settings.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Their texts, in the same order.
    #[must_use]
    pub fn texts(&self) -> &[String] {
        &self.texts
    }
}
