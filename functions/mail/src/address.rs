//! Parses and validates e-mail addresses.

use std::fmt;
use std::str::FromStr;

use url::Host;

use crate::MailError;

/// Maximum length of an address in bytes. RFC 5321, section 4.5.3.1: a path has at most 256 octets, including its angle brackets.
const MAX_ADDRESS_BYTES: usize = 254;
const MAX_LOCAL_PART_BYTES: usize = 64;

/// One mailbox address, `local@domain`. It has no display name, no comment and no quoted local part. The domain is in ASCII (IDNA).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address(String);

impl Address {
    /// Returns the sender address that is used if the configuration contains no sender address.
    pub(crate) fn no_reply() -> Self {
        Self("noreply@localhost".to_owned())
    }

    /// Returns the e-mail address as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the domain of the address: the part after the `@`.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }

    /// Whether two addresses are equal, without regard to upper and lower case.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl FromStr for Address {
    type Err = MailError;

    /// Parses an e-mail address. Spaces before and after the address, which often occur in pasted text, are ignored.
    fn from_str(text: &str) -> Result<Self, MailError> {
        let refused = || MailError::Address;
        let (local, domain) = text.trim_matches(' ').rsplit_once('@').ok_or_else(refused)?;
        if local.is_empty() || local.len() > MAX_LOCAL_PART_BYTES || !local.split('.').all(is_atom) {
            return Err(refused());
        }
        let Ok(Host::Domain(domain)) = Host::parse(domain) else { return Err(refused()) };
        let labels_fit = domain.split('.').all(|label| (1..=63).contains(&label.len()));
        if !labels_fit || !domain.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte)) {
            return Err(refused());
        }
        let address = format!("{local}@{domain}");
        if address.len() > MAX_ADDRESS_BYTES {
            return Err(refused());
        }
        Ok(Self(address))
    }
}

/// Whether a text is an atom of RFC 5322: a part of the local part, between two dots, that needs no quotes.
fn is_atom(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte))
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for Address {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_everything_that_could_carry_a_header_or_a_second_recipient() {
        for text in [
            "",
            "@",
            "a",
            "a@",
            "@b.org",
            "a@b.org\r\nBcc: c@d.org",
            "a\r\nBcc: c@d.org",
            "a\n@b.org",
            "a@b.org,c@d.org",
            "a@b.org c@d.org",
            "\"a b\"@c.org",
            "A <a@b.org>",
            "<a@b.org>",
            "a@b@c.org",
            "a..b@c.org",
            ".a@c.org",
            "a@[127.0.0.1]",
            "a@127.0.0.1",
            "a@b..org",
            "a@b.org\0",
            "a\t@b.org",
            "ä@b.org",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text:?} was taken");
        }
        assert!(format!("{}@b.org", "a".repeat(65)).parse::<Address>().is_err());
        assert!(format!("a@{}.org", "b".repeat(64)).parse::<Address>().is_err());
    }

    #[test]
    fn accepts_ordinary_addresses() {
        let read = |text: &str| text.parse::<Address>().unwrap().to_string();
        assert_eq!(read(" Jane.O'Neil+club@Example.org "), "Jane.O'Neil+club@example.org");
        assert_eq!(read("someone@localhost"), "someone@localhost");
        assert_eq!(read("a@bücher.example"), "a@xn--bcher-kva.example");
    }
}
