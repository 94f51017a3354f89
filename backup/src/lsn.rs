//! Log sequence numbers (LSN) of PostgreSQL's write-ahead log, and the names of its segments.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A log sequence number: a byte position in the write-ahead log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Lsn(pub u64);

impl Lsn {
    /// Parses an LSN in PostgreSQL's text form, for example `0/16B3748`. `None` if the text is invalid.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (high, low) = text.split_once('/')?;
        let (high, low) = (u32::from_str_radix(high, 16).ok()?, u32::from_str_radix(low, 16).ok()?);
        Some(Self(u64::from(high) << 32 | u64::from(low)))
    }

    /// Returns the number of the WAL segment that contains this position, and the offset of the position in that segment in bytes.
    #[must_use]
    pub fn segment(self, segment_bytes: u64) -> (u64, u64) {
        (self.0 / segment_bytes, self.0 % segment_bytes)
    }
}

impl fmt::Display for Lsn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}/{:X}", self.0 >> 32, self.0 & 0xffff_ffff)
    }
}

impl TryFrom<String> for Lsn {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| format!("{text:?} is no position in the write-ahead log"))
    }
}

impl From<Lsn> for String {
    fn from(lsn: Lsn) -> Self {
        lsn.to_string()
    }
}

/// Returns the file name of a WAL segment: the timeline, then the segment number in two halves.
#[must_use]
pub fn segment_name(timeline: u32, number: u64, segment_bytes: u64) -> String {
    let per_id = (1_u64 << 32) / segment_bytes;
    format!("{timeline:08X}{:08X}{:08X}", number / per_id, number % per_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_postgresql() {
        assert_eq!(Lsn::parse("0/16B3748"), Some(Lsn(0x016B_3748)));
        assert_eq!(Lsn::parse("1A/2F000028").map(|lsn| lsn.to_string()), Some("1A/2F000028".to_owned()));
        assert_eq!(Lsn::parse("16B3748"), None);
        let (number, offset) = Lsn(0x1A_2F00_0028).segment(16 << 20);
        assert_eq!((segment_name(1, number, 16 << 20).as_str(), offset), ("000000010000001A0000002F", 0x28));
    }
}
