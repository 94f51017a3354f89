//! Positions in PostgreSQL's WAL (`pg_lsn`).

use std::fmt;
use std::str::FromStr;

/// Position in PostgreSQL's WAL, in bytes from its beginning. The text format is two hexadecimal numbers of 32 bits, as in `16/B374D848`
/// (PostgreSQL manual, "pg_lsn Type").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lsn(u64);

/// Error of a text that is not a WAL position.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("no position in the log")]
pub struct NoLsn;

impl Lsn {
    /// Returns the bytes of WAL from `earlier` to this position; 0 if `earlier` is later.
    #[must_use]
    pub fn bytes_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl FromStr for Lsn {
    type Err = NoLsn;

    fn from_str(text: &str) -> Result<Self, NoLsn> {
        let (high, low) = text.split_once('/').ok_or(NoLsn)?;
        let half = |digits: &str| {
            let is_half = (1..=8).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            if is_half { u64::from_str_radix(digits, 16).map_err(|_| NoLsn) } else { Err(NoLsn) }
        };
        Ok(Self(half(high)? << 32 | half(low)?))
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}/{:X}", self.0 >> 32, self.0 & 0xFFFF_FFFF)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lsn(text: &str) -> Lsn {
        text.parse().unwrap()
    }

    #[test]
    fn a_position_is_read_and_written_as_postgresql_does() {
        for text in ["0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF", "0/1000028"] {
            assert_eq!(lsn(text).to_string(), text);
        }
        assert_eq!(lsn("16/b374d848"), lsn("16/B374D848"));
        assert!(lsn("1/0") > lsn("0/FFFFFFFF"));
        assert_eq!(lsn("1/0").bytes_since(lsn("0/FFFFFFFF")), 1);
        assert_eq!(lsn("0/1").bytes_since(lsn("1/0")), 0);
    }

    #[test]
    fn anything_else_is_none() {
        for text in [
            "",
            "/",
            "0",
            "0/",
            "/0",
            "0/0/0",
            "100000000/0",
            "0/123456789",
            "+1/0",
            "-1/0",
            " 0/0",
            "g/0",
            "0/0\n",
            "0x1/0",
        ] {
            assert_eq!(text.parse::<Lsn>(), Err(NoLsn), "{text:?}");
        }
    }
}
