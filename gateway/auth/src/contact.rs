//! Validates and normalises e-mail addresses and phone numbers.

use crate::error::{AuthError, Result};

const MAX_EMAIL_BYTES: usize = 255;

/// The contact of a new account: a normalised e-mail address ([`email`]) or phone number ([`phone`]).
#[derive(Clone, Debug)]
pub(crate) enum Contact {
    Email(String),
    Phone(String),
}

/// Validates an e-mail address and converts it to lower case.
pub(crate) fn email(text: &str) -> Result<String> {
    if text.is_empty() {
        return Err(AuthError::validation("An email address is required"));
    }
    if text.len() > MAX_EMAIL_BYTES {
        return Err(AuthError::validation("An email address is too long"));
    }
    // White space is refused instead of trimmed, so that each address has only one spelling.
    if text.contains(char::is_whitespace) || text.parse::<cloch_mail::Address>().is_err() {
        return Err(AuthError::validation("Unable to validate email address: invalid format"));
    }
    Ok(text.to_lowercase())
}

/// Validates a phone number (E.164) and removes `+` and spaces.
pub(crate) fn phone(text: &str) -> Result<String> {
    let number = strip_phone(text);
    let digits_ok = number.bytes().all(|digit| digit.is_ascii_digit());
    if digits_ok && (2..=15).contains(&number.len()) && !number.starts_with('0') {
        Ok(number)
    } else {
        Err(AuthError::validation("Invalid phone number format (E.164 required)"))
    }
}

/// Removes `+` and spaces from a phone number. Unlike [`phone`], does not validate the number, because sign-in accepts any text as a phone
/// number.
pub(crate) fn strip_phone(text: &str) -> String {
    text.strip_prefix('+').unwrap_or(text).replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_no_address() {
        for text in [
            "",
            "a",
            "@b.example",
            "a@",
            "a b@c.example",
            "a@b..example",
            ".a@b.example",
            "a@b.example\r\nBcc: x@y.example",
            "<a@b.example>",
            " a@b.example",
            "a@b.example ",
            "a,b@c.example",
        ] {
            assert!(email(text).is_err(), "{text:?}");
        }
        assert!(email(&format!("{}@b.example", "a".repeat(250))).is_err());
    }

    #[test]
    fn addresses_are_lower_case() {
        assert_eq!(email("Ann.O'Neil+x@Club.Example").unwrap(), "ann.o'neil+x@club.example");
        assert_eq!(email("a@localhost").unwrap(), "a@localhost");
    }

    #[test]
    fn numbers_lose_plus_and_spaces() {
        assert_eq!(phone("+44 1475 000000").unwrap(), "441475000000");
        for text in ["", "+", "0123", "12345678901234567", "44a", "++44"] {
            assert!(phone(text).is_err(), "{text:?}");
        }
    }
}
