//! The password policy: minimum length and required groups of characters.

use crate::error::{AuthError, Result};
use crate::settings::{PasswordRequirements, Settings};

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const SYMBOLS: &str = r#"!@#$%^&*()_+-=[]{};'\:"|<>?,./`~"#;

impl PasswordRequirements {
    /// Returns the required groups of characters. A password must contain at least one character of each group.
    fn sets(self) -> &'static [&'static str] {
        match self {
            Self::None => &[],
            Self::LettersDigits => &[LETTERS, DIGITS],
            Self::LowerUpperLettersDigits => &[LOWER, UPPER, DIGITS],
            Self::LowerUpperLettersDigitsSymbols => &[LOWER, UPPER, DIGITS, SYMBOLS],
        }
    }
}

/// The reasons why a password violates the password policy: a message for users, and the short names of the reasons.
#[derive(Clone, Debug, serde::Serialize)]
pub(crate) struct Weakness {
    pub(crate) message: String,
    pub(crate) reasons: Vec<&'static str>,
}

/// Returns the reasons why a password violates the password policy. `None` if the password meets the policy.
pub(crate) fn weakness(settings: &Settings, password: &str) -> Option<Weakness> {
    let least = settings.minimum_password_length.max(6);
    let mut sentences = Vec::new();
    let mut reasons = Vec::new();
    if password.len() < least {
        sentences.push(format!("Password should be at least {least} characters."));
        reasons.push("length");
    }
    let sets = settings.password_requirements.sets();
    if sets.iter().any(|set| !password.chars().any(|c| set.contains(c))) {
        sentences.push(format!("Password should contain at least one character of each: {}.", sets.join(", ")));
        reasons.push("characters");
    }
    (!reasons.is_empty()).then(|| Weakness { message: sentences.join(" "), reasons })
}

pub(crate) fn check(settings: &Settings, password: &str) -> Result<()> {
    super::check_length(password)?;
    match weakness(settings, password) {
        None => Ok(()),
        Some(Weakness { message, reasons }) => Err(AuthError::WeakPassword { message, reasons }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_counts_bytes_and_six_is_the_floor() {
        let settings = Settings { minimum_password_length: 3, ..Settings::default() };
        assert_eq!(weakness(&settings, "abcde").unwrap().message, "Password should be at least 6 characters.");
        assert!(weakness(&settings, "äöü").is_none());
        assert!(check(&settings, &"a".repeat(73)).is_err());
        assert!(check(&settings, &"a".repeat(72)).is_ok());
    }

    #[test]
    fn every_rule_that_fails_is_named_once() {
        let settings = Settings {
            minimum_password_length: 8,
            password_requirements: PasswordRequirements::LowerUpperLettersDigitsSymbols,
            ..Settings::default()
        };
        assert_eq!(weakness(&settings, "abc").unwrap().reasons, ["length", "characters"]);
        assert_eq!(weakness(&settings, "abcdefgH1").unwrap().reasons, ["characters"]);
        assert!(weakness(&settings, "abcdefgH1!").is_none());
    }
}
